import Credentials
import Envelopes
import Testing
import Trust

/// What a bundle says of itself decides over every credential it would otherwise let in.
@Suite struct BundleTermsTests {
    /// - Parameter highWater: how much later than the bundle was made it is known to be.
    private func verdict(at time: Seconds, clock: TrustBundle.ClockPolicy = .reject, highWater: Seconds = 0) throws -> Verdict {
        var bundle = TestBundle()
        bundle.clock = clock
        let made = try bundle.bundle()
        let store = try made.store().under(TrustTerms(made, highWater: TestBundle.created + highWater))
        return CredentialVerifier(trust: store).verify(TestCredential().message, at: time)
    }

    @Test func inForce() throws {
        let credential = try #require(try verdict(at: TestBundle.created).credential)
        #expect(!credential.notes.contains(.clockUnsure))
        #expect(try verdict(at: TestBundle.notAfter - 1).isAccept)
    }

    @Test func expired() throws {
        #expect(try verdict(at: TestBundle.notAfter).reasons == [.trustExpired])
        #expect(try verdict(at: .max).reasons == [.trustExpired])
        // Also where only the mark knows it.
        #expect(try verdict(at: 0, clock: .accept, highWater: 1000).reasons == [.trustExpired])
    }

    @Test func clockBehind() throws {
        #expect(try verdict(at: TestBundle.created - 1).reasons == [.clockUnsure])
        #expect(try verdict(at: .min).reasons == [.clockUnsure])
        let accepted = try #require(try verdict(at: TestBundle.created - 1, clock: .accept).credential)
        #expect(accepted.notes.contains(.clockUnsure))
    }

    /// A clock that was turned back revives nothing that is known to have expired.
    @Test func expiredCredentialStaysExpired() throws {
        var bundle = TestBundle()
        bundle.clock = .accept
        let made = try bundle.bundle()
        let store = try made.store().under(TrustTerms(made, highWater: TestCredential.now + 500))
        var credential = TestCredential()
        credential.set("exp", "\(TestCredential.now + 400)")
        let verifier = CredentialVerifier(trust: store)
        #expect(verifier.verify(credential.message, at: TestCredential.now).reasons == [.expired])
        credential.set("exp", "\(TestCredential.now + 600)")
        #expect(verifier.verify(credential.message, at: TestCredential.now).isAccept)
    }

    @Test("a running gate goes back neither to an older bundle, nor to an earlier time, nor to a folder that nobody signed")
    func following() throws {
        func store(_ sequence: Int64, highWater: Seconds = 0) throws -> TrustStore {
            var bundle = TestBundle()
            bundle.sequence = sequence
            let made = try bundle.bundle()
            return try made.store().under(TrustTerms(made, highWater: made.created + highWater))
        }
        let unsigned = try TestBundle().bundle().store(), old = try store(7, highWater: 50)
        #expect(try store(6, highWater: 90).following(old) == nil && unsigned.following(old) == nil)
        for (next, mark) in [(try store(7), 50), (try store(8, highWater: 60), 60)] as [(TrustStore, Seconds)] {
            #expect(next.following(old)?.terms?.sequence == next.terms?.sequence)
            #expect(next.following(old)?.terms?.floor(at: 0) == TestBundle.created + mark)
        }
        #expect(try store(1).following(unsigned)?.terms?.sequence == 1 && unsigned.following(unsigned) != nil)
    }

    @Test("before the bundle's beginning the clock is in doubt")
    func beforeBeginning() throws {
        for (clock, reasons) in [(TrustBundle.ClockPolicy.reject, [RejectReason.clockUnsure]), (.accept, [])] {
            var bundle = TestBundle()
            bundle.clock = clock
            bundle.notBefore = TestBundle.created + 100
            let made = try bundle.bundle()
            let verifier = CredentialVerifier(trust: try made.store().under(TrustTerms(made, highWater: made.created)))
            let verdict = verifier.verify(TestCredential().message, at: made.created + 50)
            #expect(verdict.reasons == reasons && verdict.credential?.notes.contains(.clockUnsure) != false)
            #expect(verifier.verify(TestCredential().message, at: made.notBefore).credential?.notes.contains(.clockUnsure) == false)
            // What has expired by the beginning has expired.
            var credential = TestCredential()
            credential.set("exp", "\(made.created + 80)")
            #expect(!verifier.verify(credential.message, at: made.created + 50).isAccept)
        }
    }

    // MARK: A clock that stands still

    /// The year 2000, in which a board without a clock starts.
    private static let year2000: Seconds = 946_684_800
    /// What the board had run for when the mark was read.
    private static let start: Seconds = 40

    /// A gate that accepts while its clock is in doubt, whose mark is the bundle's making.
    private func terms(notAfter: Seconds = TestBundle.created + 100_000, uptime: Seconds = start) throws -> (TrustStore, TrustTerms) {
        var bundle = TestBundle()
        bundle.clock = .accept
        bundle.notAfter = notAfter
        let made = try bundle.bundle(), terms = TrustTerms(made, highWater: TestBundle.created, uptime: uptime)
        return (try made.store().under(terms), terms)
    }

    @Test("while the board's clock stands, credentials end by what the board has run")
    func credentialEnds() throws {
        let verifier = CredentialVerifier(trust: try terms().0)
        var credential = TestCredential()
        credential.set("exp", "\(TestBundle.created + 5000)")
        for (uptime, reasons) in [(0, []), (Self.start, []), (Self.start + 4000, []), (Self.start + 5200, [.expired])]
            as [(Seconds, [RejectReason])]
        {
            for wall in [Self.year2000, 0, .min] {
                #expect(verifier.verify(credential.message, at: wall, uptime: uptime).reasons == reasons, "\(uptime)")
            }
        }
        // Hours ahead and back again: nothing of it stays.
        #expect(verifier.verify(credential.message, at: TestBundle.created + 9000, uptime: Self.start + 10).reasons == [.expired])
        #expect(verifier.verify(credential.message, at: .max, uptime: Self.start + 20).reasons == [.trustExpired])
        #expect(verifier.verify(credential.message, at: Self.year2000, uptime: Self.start + 30).isAccept)
    }

    @Test("and so do bundles")
    func bundleEnds() throws {
        let verifier = CredentialVerifier(trust: try terms(notAfter: TestBundle.created + 500).0), message = TestCredential().message
        #expect(verifier.verify(message, at: Self.year2000, uptime: Self.start + 490).isAccept)
        #expect(verifier.verify(message, at: Self.year2000, uptime: Self.start + 510).reasons == [.trustExpired])
    }

    @Test("and status lists grow old")
    func listAges() throws {
        var issuers = TestIssuers(status: #"{"unknown":"reject","softAge":100,"hardAge":400}"#)
        issuers.lists = [try TestStatusList().document(.jose)]
        let message = try statusCredential(.jose, TestStatusEntry()), store = try issuers.verifier().trust
        let verifier = CredentialVerifier(trust: store.under(try terms().1))
        // Fetched 100 seconds before the bundle was made.
        #expect(verifier.verify(message, at: Self.year2000, uptime: Self.start + 290).isAccept)
        #expect(verifier.verify(message, at: Self.year2000, uptime: Self.start + 310).reasons == [.statusUnknown])
    }

    @Test("what has gone by is never more than what has, for any clock of the board's")
    func floors() throws {
        let terms = try terms().1, created = TestBundle.created
        #expect(terms.floor(at: Self.start) == created && terms.floor(at: 0) == created && terms.floor(at: .min) == created)
        // A crystal that is a thousandth fast counts an hour, or a little over 3599 seconds, for 3595.4.
        #expect(terms.floor(at: Self.start + 3600) == created + 3595)
        #expect(terms.floor(at: .max) == Timestamp.latest)
        #expect(terms.clock(at: created + 10, uptime: Self.start + 5) == .sure(created + 10))
        #expect(terms.clock(at: created + 10, uptime: Self.start + 50) == .unsure(atLeast: created + 48))
    }

    @Test("a visitor right after a bundle was made and installed is let in, though the board's seconds have just changed")
    func edgeOfASecond() throws {
        let terms = try terms().1, created = TestBundle.created
        // The board has run for 40.99 seconds, and a moment later for 41.01; its clock is still within the second of the mark.
        #expect(terms.clock(at: created, uptime: Self.start + 1) == .sure(created))
        #expect(terms.clock(at: created - 1, uptime: Self.start + 1) == .unsure(atLeast: created))
        // Of 40.99 and 43.01 two seconds have gone by.
        #expect(terms.clock(at: created, uptime: Self.start + 3) == .unsure(atLeast: created + 1))
    }

    @Test("a bundle installed while the gate runs takes over what has gone by")
    func elapsedFollows() throws {
        let (old, _) = try terms(uptime: 100), (new, _) = try terms(uptime: 2100)
        let next = try #require(new.following(old)?.terms)
        #expect(next.floor(at: 2100) == TestBundle.created + 1997 && next.floor(at: 3100) == TestBundle.created + 2996)
        // Whichever of the two was read first.
        #expect(old.following(new)?.terms?.floor(at: 3100) == TestBundle.created + 2996)
    }

    @Test("however often the gate is told to read its trust folder again, the time goes by", arguments: [1, 2, 3, 10, 61])
    func reloadsLoseNothing(seconds: Seconds) throws {
        let (first, alone) = try terms(uptime: 0)
        let bundle = try TestBundle().bundle()
        var store = first
        for reload in 1...1000 {
            let uptime = Seconds(reload) * seconds, known = try #require(store.terms?.floor(at: uptime))
            // What is on the disk: the last hour's mark, or what was known a moment ago.
            let mark = reload.isMultiple(of: 2) ? TestBundle.created : known
            let read = first.under(TrustTerms(bundle, highWater: mark, uptime: uptime))
            store = try #require(read.following(store))
            let terms = try #require(store.terms)
            for later in [0, 1, 2, 3, 998, 1000, 5000] as [Seconds] {
                #expect(terms.floor(at: uptime + later) >= alone.floor(at: uptime + later))
            }
        }
    }

    @Test("a mark that is signed later is taken, by however little it is later")
    func laterMarks() throws {
        let (old, before) = try terms(uptime: 0), bundle = try TestBundle().bundle()
        for seconds in 1...10 as ClosedRange<Seconds> {
            let mark = before.floor(at: 500) + seconds
            let next = try #require(old.under(TrustTerms(bundle, highWater: mark, uptime: 500)).following(old)?.terms)
            #expect(next.floor(at: 500) == mark)
            for uptime in 500...4000 as ClosedRange<Seconds> {
                #expect(next.floor(at: uptime) >= before.floor(at: uptime) && next.floor(at: uptime) <= mark + uptime - 500)
            }
        }
    }

    @Test("the time that is judged at never goes back while the gate runs, also before the bundle's own beginning counts as signed")
    func judgedFollows() throws {
        var bundle = TestBundle()
        bundle.clock = .accept
        let made = try bundle.bundle(), begin = made.notBefore + 500
        let later = try TrustBundle(
            sequence: made.sequence, created: made.created, notBefore: begin, notAfter: made.notAfter, clock: .accept,
            contents: made.contents)
        // A mark that lies before the beginning: that is what is judged at, and what goes by.
        func store(_ uptime: Seconds) throws -> TrustStore {
            try later.store().under(TrustTerms(later, highWater: made.created - 5000, uptime: uptime))
        }
        let old = try store(0), reloaded = try #require(store(300).following(old)?.terms)
        #expect(reloaded.clock(at: 0, uptime: 300) == .unsure(atLeast: begin + 298))
        #expect(reloaded.clock(at: 0, uptime: 400) == .unsure(atLeast: begin + 398))
        #expect(reloaded.floor(at: 300) == made.created - 4702, "what is kept on the disk is not raised by it")
    }
}

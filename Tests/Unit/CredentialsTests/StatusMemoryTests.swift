import Testing

@testable import Credentials
@testable import Trust

@Suite struct StatusMemoryTests {
    private static let now = TestCredential.now

    private static let issuer = try? TestIssuers().store().issuers[0]

    private func key(_ name: String) throws -> StatusMemory.Key {
        StatusMemory.Key(PinnedStatusList(url: name, fetched: 0, bytes: []), try #require(Self.issuer))
    }

    private func list(_ octets: Int) throws -> Result<StatusList, StatusListFault> {
        let entries = try TokenStatusList(bits: 1, compressed: zlib([UInt8](repeating: 0, count: octets)))
        return .success(
            StatusList(
                fetched: 0, signed: nil, validity: Validity(notBefore: nil, expires: nil, issuedAt: nil), refresh: nil,
                entries: .token(entries)))
    }

    @Test func rests() throws {
        let memory = StatusMemory()
        let key = try key("a")
        #expect(memory.recall(key, at: 0) == nil)
        memory.keep(try list(10), for: key, at: 1000)
        for time: Int64 in [1000, 1001, 4599] { #expect(memory.recall(key, at: time) != nil) }
        for time: Int64 in [999, 4600, .max, .min, -1] { #expect(memory.recall(key, at: time) == nil) }
        memory.keep(.failure(.listUnsigned), for: key, at: 5000)
        #expect(memory.size == 0 && memory.count == 1)
        #expect(throws: StatusListFault.listUnsigned) { try memory.recall(key, at: 5000)?.get() }
    }

    /// Never more octets than allowed, and what was asked for last stays.
    @Test func bounded() throws {
        let memory = StatusMemory(most: 100)
        let keys = try ["a", "b", "c", "d"].map(key)
        for key in keys.prefix(3) { memory.keep(try list(30), for: key, at: 0) }
        #expect(memory.size == 90 && memory.recall(keys[0], at: 0) != nil)
        memory.keep(try list(30), for: keys[3], at: 0)
        #expect(memory.size == 90 && keys.map { memory.recall($0, at: 0) != nil } == [true, false, true, true])
        memory.keep(try list(100), for: keys[1], at: 0)
        #expect(memory.size == 100 && keys.map { memory.recall($0, at: 0) != nil } == [false, true, false, false])
        // One that alone is too large is read again every time, and takes nobody's place.
        memory.keep(try list(101), for: keys[2], at: 0)
        #expect(memory.recall(keys[2], at: 0) == nil && memory.size == 100)
        memory.keep(try list(20), for: keys[0], at: 0)
        memory.keep(try list(30), for: keys[0], at: 0)
        #expect(memory.size == 30 && memory.count == 1)
    }

    @Test func faultsAreBoundedToo() throws {
        let memory = StatusMemory()
        let first = try key("0")
        memory.keep(try list(10), for: first, at: 0)
        for number in 1..<StatusMemory.mostEntries { memory.keep(.failure(.listUnsigned), for: try key("\(number)"), at: 0) }
        #expect(memory.count == StatusMemory.mostEntries && memory.recall(first, at: 0) != nil)
        memory.keep(.failure(.listUnsigned), for: try key("more"), at: 0)
        let second = try key("1")
        #expect(memory.count == StatusMemory.mostEntries && memory.recall(first, at: 0) != nil && memory.recall(second, at: 0) == nil)
    }

    /// A signature that was checked, with whatever result, is not checked again within the hour.
    @Test func rememberedListsAreNotReadAgain() throws {
        var issuers = TestIssuers()
        issuers.lists = [try TestStatusList().document(.jose)]
        let trust = try issuers.store(), memory = StatusMemory(), proofs = ProofMemory(trust), issuer = trust.issuers[0]
        let stated = [StatedStatus.entry(StatusEntry(scheme: .token, list: TestStatusEntry.url, index: 7))]
        memory.keep(.failure(.listMalformed), for: StatusMemory.Key(trust.lists[0], issuer), at: Self.now)
        for (time, fault) in [
            (Self.now + 3599, StatusListFault?.some(.listMalformed)), (Self.now + 3600, .listNotCurrent), (Self.now - 1, nil),
            (Self.now, nil),
        ] {
            #expect(
                StatusLookup(context: VerificationContext(trust: trust, proofs: proofs, time: time), memory: memory).finding(
                    stated, of: issuer
                ).fault == fault)
        }
    }

    /// A trust store with the list, of a key that ended a second ago, and a credential of a key that has not.
    private func endedKey(_ scheme: StatusScheme, _ change: (inout TestStatusList) -> Void = { _ in }) throws -> TrustStore {
        let old = "https://issuer.example#old"
        var issuers = TestIssuers(keys: [])
        let list = TestStatusList {
            $0.method = old
            $0.key = .otherEd25519
            $0.values = [77: 1]
            change(&$0)
        }
        issuers.lists = [try list.document(scheme)]
        let key = #"{"kid":"\#(TestLinkedCredential.method)","jwk":\#(TestKey.ed25519.jwk)}"#
        issuers.first.members["keys"] =
            #"[\#(key),{"kid":"\#(old)","jwk":\#(TestKey.otherEd25519.jwk),"notAfter":\#(TestLinkedCredential.date(-1))}]"#
        return try issuers.store()
    }

    private func entry(_ scheme: StatusScheme, _ index: UInt64 = 77) -> StatedStatus {
        let kind: StatusEntry.Scheme =
            scheme.isToken ? .token : .bitstring(scheme == .legacy ? .statusList2021 : .bitstring, .revocation, size: 1)
        return .entry(StatusEntry(scheme: kind, list: TestStatusEntry.url, index: index))
    }

    /// However many entries and visits there are, the list is read once with the keys of now, in an hour, and once with those of when it
    /// was fetched.
    @Test(arguments: StatusScheme.allCases) func listsOfEndedKeysAreNotReadAgain(_ scheme: StatusScheme) throws {
        let trust = try endedKey(scheme), memory = StatusMemory(), proofs = ProofMemory(trust), issuer = trust.issuers[0]
        for visit: Int64 in 0..<3 {
            let lookup = StatusLookup(
                context: VerificationContext(trust: trust, proofs: proofs, time: Self.now + visit * 10_000), memory: memory)
            #expect(lookup.finding([entry(scheme), entry(scheme)], of: issuer).status == .revoked)
            #expect(lookup.finding([entry(scheme, 78)], of: issuer).fault == .listUnsigned)
            #expect(memory.count == 2 && memory.size == 16_384)
        }
        // What was found is what is taken, at whatever time: nothing is read where something is known.
        memory.keep(
            .failure(.listUnsigned), for: StatusMemory.Key(trust.lists[0], issuer, isAsFetched: true), at: trust.lists[0].fetched)
        for time in [Self.now, Self.now + 3600, Self.now + 1_000_000] {
            #expect(
                StatusLookup(context: VerificationContext(trust: trust, proofs: proofs, time: time), memory: memory).finding(
                    [entry(scheme)], of: issuer
                ).status == .unknown)
        }
    }

    @Test(arguments: StatusScheme.allCases) func listsOfTheFutureRevokeNobody(_ scheme: StatusScheme) throws {
        func status(_ change: (inout TestStatusList) -> Void) throws -> CredentialStatus? {
            let trust = try endedKey(scheme, change)
            return StatusLookup(context: VerificationContext(trust: trust, time: Self.now), memory: StatusMemory()).finding(
                [entry(scheme)], of: trust.issuers[0]
            ).status
        }
        for start: Int64 in [300, 301] {
            let expected = start > 300 ? CredentialStatus.unknown : .revoked
            #expect(try status { $0.notBefore = start } == expected)
            #expect(try status { $0.issued = start } == expected)
        }
        // One that is over revokes as before.
        #expect(try status { $0.expires = -1 } == .revoked)
        #expect(try status { $0.fetched = Self.now - 10_000_000 } == .revoked)
        // Fetched when the key had ended, it was nobody's.
        #expect(try status { $0.fetched = Self.now - 1 } == .unknown)
    }

    /// What a stranger sends, and what a credential names that the bundle does not have, leaves nothing behind.
    @Test(arguments: StatusScheme.allCases) func strangersAddNothing(_ scheme: StatusScheme) throws {
        var issuers = TestIssuers()
        issuers.lists = [try TestStatusList { $0.octets = 16_384 }.document(scheme)]
        let trust = try issuers.store(), memory = StatusMemory(), proofs = ProofMemory(trust),
            lookup = StatusLookup(context: VerificationContext(trust: trust, proofs: proofs, time: Self.now), memory: memory)
        for index in 0..<50 {
            let stated = StatedStatus.entry(StatusEntry(scheme: .token, list: "https://issuer.example/none/\(index)", index: 1))
            #expect(lookup.finding([stated], of: trust.issuers[0]).fault == .listMissing)
        }
        #expect(memory.count == 0)
        let kind: StatusEntry.Scheme =
            scheme.isToken ? .token : .bitstring(scheme == .legacy ? .statusList2021 : .bitstring, .revocation, size: 1)
        for index: UInt64 in 0..<50 {
            _ = lookup.finding([.entry(StatusEntry(scheme: kind, list: TestStatusEntry.url, index: index))], of: trust.issuers[0])
            _ = lookup.finding([.entry(StatusEntry(scheme: kind, list: TestStatusEntry.url, index: index))], of: trust.issuers[1])
        }
        // One for the issuer whose list it is, one fault for the other.
        #expect(memory.count == 2 && memory.size == 16_384)
    }

    /// An answer that was remembered is the answer that would be found now.
    @Test(arguments: StatusScheme.allCases) func rememberedListsStillEnd(_ scheme: StatusScheme) throws {
        var issuers = TestIssuers()
        issuers.lists = [
            try TestStatusList {
                $0.expires = 10
                $0.values = [78: 1]
            }.document(scheme)
        ]
        let verifier = try issuers.verifier(), good = try statusCredential(scheme),
            revoked = try statusCredential(scheme, TestStatusEntry(index: 78))
        #expect(verifier.verify(good, at: Self.now).isAccept)
        #expect(verifier.verify(revoked, at: Self.now + 9).reasons == [.revoked])
        #expect(verifier.verify(good, at: Self.now + 9).isAccept)
        #expect(verifier.verify(good, at: Self.now + 10).reasons == [.statusUnknown])
        #expect(verifier.verify(good, at: Self.now).isAccept)
    }

    @Test("a list that is too complex is so whenever it is read, and rests like any other fault")
    func tooComplex() throws {
        let memory = StatusMemory()
        let issuer = try TestIssuers().store().issuers[0]
        let key = StatusMemory.Key(PinnedStatusList(url: "a", fetched: 0, bytes: []), issuer)
        memory.keep(.failure(.listTooComplex), for: key, at: 1000)
        #expect(throws: StatusListFault.listTooComplex) { try memory.recall(key, at: 1000)?.get() }
    }

    @Test("a list that takes too much work says so, and its credential's status is unknown")
    func tooMuchWork() throws {
        var issuers = TestIssuers()
        var list = TestStatusList().credential(.rdfc)
        list.set("part", "[" + (0..<300).map { #"{"fullName":"\#($0)"}"# }.joined(separator: ",") + "]")
        // Not signed: it never comes to that.
        let text = list.text(
            proof:
                #"{"type":"DataIntegrityProof","cryptosuite":"eddsa-rdfc-2022","created":"2026-01-01T00:00:00Z","proofPurpose":"assertionMethod","verificationMethod":"\#(TestLinkedCredential.method)","proofValue":"z2"}"#
        )
        issuers.lists = [
            PinnedStatusList(url: TestStatusEntry.url, fetched: TestCredential.now - 100, bytes: Array(text.utf8))
        ]
        let verifier = try issuers.verifier()
        #expect(verifier.trust.statusLists(at: TestCredential.now)[0].fault == .listTooComplex)
        #expect(verifier.verify(try statusCredential(.rdfc), at: TestCredential.now).reasons == [.statusUnknown])
    }
}

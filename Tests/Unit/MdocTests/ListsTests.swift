import CBOR
import Cryptography
import Envelopes
import JSON
import Testing

@testable import Mdoc

/// Lists of roots (mdoc.md section 6.2).
struct ListsTests {
    private static let day: Seconds = 86_400

    private func changed(_ change: (inout TestList) -> Void) -> TestList {
        var list = TestList()
        change(&list)
        return list
    }

    private func read(_ list: TestList, inForce: UInt64? = nil, at now: Seconds = DocumentFixtures.now) throws -> VICAL {
        try TestList.read(list.octets(), inForce: inForce, at: now)
    }

    private func refusal(_ list: TestList, pinned: [String] = [ListsFixtures.provider], inForce: UInt64? = nil) throws -> VICALError? {
        let octets = try list.octets()
        do {
            _ = try TestList.read(octets, pinned: pinned, inForce: inForce)
            return nil
        } catch {
            return error as? VICALError
        }
    }

    @Test(.enabled(if: MdocSuite.isThere)) func anotherProgramsListIsRead() throws {
        let vector = try MdocSuite.file("generated_cases")["vical"], octets = MdocSuite.octets(vector?["vical"])
        let signer = MdocSuite.octets(vector?["signer"]), root = MdocSuite.octets(vector?["iaca"])
        let now = try #require(Timestamp.seconds("2026-03-02T00:00:00Z"))
        let pinned = try Certificate(signer.span)
        let list = try VICAL(octets.span, pinned: [pinned], inForce: 7, at: now)
        #expect(list.version == "1.0" && list.provider == "Utopia" && list.issue == 7)
        #expect(list.date == Timestamp.seconds("2026-03-01T12:00:00Z") && list.nextUpdate == Timestamp.seconds("2026-03-31T12:00:00Z"))
        #expect(try list.roots.map { try $0.certificate.der() } == [root])
        #expect(list.roots.first?.docTypes == ["org.iso.18013.5.1.mDL"])
        #expect(list.skipped.isEmpty && list.warnings.isEmpty && list.roots.first?.warnings == [])
        #expect(try list.signer == pinned.fingerprint())
        #expect(throws: VICALError.rolledBack) { try VICAL(octets.span, pinned: [pinned], inForce: 8, at: now) }
        let foreign = try Certificate(root.span)
        #expect(throws: VICALError.signerNotTrusted) { try VICAL(octets.span, pinned: [foreign], inForce: nil, at: now) }
        #expect(throws: VICALError.signerNotTrusted) { try VICAL(octets.span, pinned: [], inForce: nil, at: now) }
        #expect(try VICAL(octets.span, pinned: [foreign, pinned], inForce: nil, at: now).roots.count == 1)
    }

    @Test(.enabled(if: MdocSuite.isThere)) func anotherProgramsRevocationListsAreRead() throws {
        let vector = try MdocSuite.file("generated_cases")["crl"]
        let root = MdocSuite.octets(vector?["iaca"]), signer = MdocSuite.octets(vector?["ds"])
        let authority = try Certificate(root.span), listed = try Certificate(signer.span)
        for (name, isRevoked) in [("empty", false), ("ds_revoked", true), ("stale", false)] {
            let list = try RevocationList(octets: MdocSuite.octets(vector?[name]))
            #expect(list.isIssued(by: authority) && !list.isIssued(by: listed) && list.lists(listed) == isRevoked, "\(name)")
            #expect(list.next == Timestamp.seconds(name == "stale" ? "2026-03-01T00:00:00Z" : "2026-03-31T12:00:00Z"))
        }
    }

    @Test func aListGivesTheChainItsRoots() throws {
        let list = try read(TestList())
        #expect(list.provider == "Test Provider" && list.issue == 7 && list.skipped.isEmpty && list.warnings.isEmpty)
        #expect(try judge(TestDocument(), MdocTrust(roots: list.roots)).fault == nil)
        let other = try read(changed { $0.entries = [TestList.Entry(DocumentFixtures.root, ["eu.europa.ec.eudi.pid.1"]).octets] })
        #expect(try judge(TestDocument(), MdocTrust(roots: other.roots)).detail == .issuerNotTrusted, "a root of other documents")
        #expect(try judge(TestDocument(), MdocTrust(roots: [])).detail == .issuerNotTrusted)
    }

    @Test func theTagIsOptional() throws {
        let octets = try TestList().octets()
        #expect(try TestList.read(CBOREncoding.tag(18, octets)).roots.count == 1)
        #expect(throws: VICALError.malformed) { try TestList.read(CBOREncoding.tag(17, octets)) }
        #expect(throws: VICALError.malformed) { try TestList.read(octets + [0]) }
    }

    // MARK: the signer

    @Test func theSignerHasAPathToAPinnedCertificate() throws {
        let below = [ListsFixtures.signerBelow, ListsFixtures.intermediate]
        #expect(try refusal(TestList()) == nil)
        #expect(try refusal(TestList(), pinned: [ListsFixtures.signer]) == nil, "the signer itself may be pinned")
        #expect(try refusal(changed { $0.chain = below }) == nil)
        #expect(try refusal(changed { $0.chain = below + [ListsFixtures.provider] }) == nil, "with the root, as some send it")
        #expect(try refusal(changed { $0.chain = [ListsFixtures.signerBelow] }) == .signerNotTrusted, "without what is between")
        #expect(try refusal(changed { $0.chain = [ListsFixtures.signerOfItself] }) == .signerNotTrusted)
        #expect(try refusal(changed { $0.chain = [ListsFixtures.signerOfItself] }, pinned: [ListsFixtures.signerOfItself]) == nil)
        #expect(try refusal(TestList(), pinned: []) == .signerNotTrusted)
        #expect(try refusal(TestList(), pinned: [ListsFixtures.providerOfSameName]) == .signerNotTrusted, "a name proves nothing")
        #expect(try refusal(TestList(), pinned: [ListsFixtures.providerOfSameName, ListsFixtures.provider]) == nil)
        #expect(try refusal(changed { $0.chain = [] }) == .chainMissing)
        #expect(try refusal(changed { $0.chain = ["3000"] }) == .certificateMalformed)
    }

    @Test func aRootOfDocumentsSignsNoList() throws {
        let list = changed {
            $0.chain = [DocumentFixtures.signer]
            $0.key = DocumentFixtures.signerKey
        }
        #expect(try refusal(list, pinned: [DocumentFixtures.root]) == .signerExtendedKeyUsage)
    }

    @Test func theSignersCertificateIsForLists() throws {
        #expect(try refusal(changed { $0.chain = [ListsFixtures.signerOver] }) == .signerValidity)
        #expect(try refusal(changed { $0.chain = [ListsFixtures.signerOfDocuments] }) == .signerExtendedKeyUsage)
        #expect(try refusal(changed { $0.chain = [ListsFixtures.signerOfAnything] }) == .signerExtendedKeyUsage)
        #expect(try refusal(changed { $0.chain = [ListsFixtures.signerOfMessages] }) == .signerKeyUsage)
        // Pinned or not, it has to say so itself.
        #expect(
            try refusal(changed { $0.chain = [ListsFixtures.signerOfAnything] }, pinned: [ListsFixtures.signerOfAnything])
                == .signerExtendedKeyUsage)
    }

    @Test func theSignatureIsTheSigners() throws {
        #expect(try refusal(changed { $0.key = ListsFixtures.otherKey }) == .signature)
        #expect(try refusal(changed { $0.algorithm = -35 }) == .algorithm)
    }

    // MARK: the list

    @Test func anOlderListIsRefused() throws {
        #expect(try refusal(TestList(), inForce: 6) == nil)
        #expect(try refusal(TestList(), inForce: 7) == nil, "the same list may be read again")
        #expect(try refusal(TestList(), inForce: 8) == .rolledBack)
        let unnumbered = changed { $0.issue = nil }
        #expect(try refusal(unnumbered, inForce: 0) == .issueMissing)
        #expect(try read(unnumbered).warnings == [.unnumbered])
        let last = changed { $0.issue = .max }
        #expect(try refusal(last, inForce: .max) == nil)
    }

    @Test func ageIsAWarning() throws {
        let now = DocumentFixtures.now
        #expect(try read(changed { $0.nextUpdate = "2026-06-01T11:59:59Z" }).warnings == [.past(1)])
        #expect(try read(changed { $0.nextUpdate = "2026-06-01T12:00:00Z" }).warnings.isEmpty)
        #expect(try read(changed { $0.date = "2026-06-01T13:00:00+00:30" }).warnings == [.early(1800)])
        let stays = changed { $0.nextUpdate = nil }
        #expect(try read(stays, at: now + 89 * Self.day).warnings.isEmpty)
        #expect(try read(stays, at: now + 90 * Self.day).warnings == [.old(91 * Self.day)])
        let octets = try stays.octets(), pin = hex(ListsFixtures.provider), pinned = try Certificate(pin.span)
        let settings = VICAL.Settings(longestAge: 3600)
        #expect(try VICAL(octets.span, pinned: [pinned], inForce: nil, settings: settings, at: now).warnings == [.old(Self.day)])
        #expect(VICAL.Settings(longestAge: -1).longestAge == 0)
    }

    @Test func theListsOwnMembersAreRequired() throws {
        #expect(try refusal(changed { $0.version = CBOREncoding.text("2.0") }) == .version)
        #expect(try refusal(changed { $0.version = CBOREncoding.text("1.1") }) == nil)
        #expect(try refusal(changed { $0.version = CBOREncoding.unsigned(1) }) == .contents)
        #expect(try refusal(changed { $0.provider = CBOREncoding.text("") }) == .contents)
        #expect(try refusal(changed { $0.provider = CBOREncoding.text(String(repeating: "x", count: 257)) }) == .contents)
        #expect(try refusal(changed { $0.date = "yesterday" }) == .contents)
        #expect(try refusal(changed { $0.nextUpdate = "2026-06-31T12:00:00Z" }) == .contents)
        #expect(try refusal(changed { $0.more = [(CBOREncoding.text("extensions"), CBOREncoding.map([]))] }) == nil)
        for payload in [[], CBOREncoding.array([]), CBOREncoding.map([]), [0xFF], TestList().payload() + [0]] as [[UInt8]] {
            let octets = try TestList.signed(payload)
            #expect(throws: VICALError.contents) { try TestList.read(octets) }
        }
        #expect(try read(changed { $0.entries = [] }).roots.isEmpty)
    }
}

import CBOR
import Cryptography
import Envelopes
import Testing

@testable import Mdoc

/// Entries of lists: a bad one costs itself and no other (mdoc.md section 6.2).
struct ListsEntryTests {
    private func entry(_ change: (inout TestList.Entry) -> Void) -> [UInt8] {
        var entry = TestList.Entry()
        change(&entry)
        return entry.octets
    }

    /// Of a list with that entry and a good one behind it.
    private func fault(_ entry: [UInt8]) throws -> VICALEntryFault? {
        var list = TestList()
        list.entries = [entry, TestList.Entry(DocumentFixtures.rootOfSameName).octets]
        let found = try TestList.read(list.octets())
        #expect(found.roots.last?.certificate.serialNumber != nil && found.roots.count + found.skipped.count == 2)
        #expect(found.skipped.allSatisfy { $0.entry == 0 })
        return found.skipped.first?.fault
    }

    @Test func aBadEntryIsSkippedAndNamed() throws {
        #expect(try fault(entry { _ in }) == nil)
        #expect(try fault(CBOREncoding.null) == .malformed)
        #expect(try fault(CBOREncoding.map([])) == .malformed)
        #expect(try fault(entry { $0.serialNumber = nil }) == .malformed)
        #expect(try fault(entry { $0.serialNumber = CBOREncoding.text("77") }) == .malformed)
        #expect(try fault(entry { $0.serialNumber = CBOREncoding.integer(-77) }) == .malformed)
        #expect(try fault(entry { $0.keyIdentifier = nil }) == .malformed)
        #expect(try fault(entry { $0.docTypes = nil }) == .malformed)
        #expect(try fault(entry { $0.docTypes = CBOREncoding.text("org.iso.18013.5.1.mDL") }) == .malformed)
        #expect(try fault(entry { $0.docTypes = CBOREncoding.array([CBOREncoding.unsigned(1)]) }) == .malformed)
        #expect(try fault(entry { $0.docTypes = CBOREncoding.array([CBOREncoding.text("")]) }) == .malformed)
        #expect(try fault(entry { $0.docTypes = CBOREncoding.array([]) }) == .docTypes)
        #expect(try fault(TestList.Entry(DocumentFixtures.root, (0...64).map { "kind.\($0)" }).octets) == .docTypes)
    }

    @Test func whatTheEntrySaysIsOfTheCertificate() throws {
        let number = CBOREncoding.tag(2, CBOREncoding.bytes([1, 2, 3]))
        #expect(try fault(entry { $0.serialNumber = number }) == .serialNumber)
        #expect(try fault(entry { $0.serialNumber = CBOREncoding.unsigned(77) }) == .serialNumber)
        #expect(try fault(entry { $0.keyIdentifier = [1, 2, 3] }) == .keyIdentifier)
        // Written with a sign octet, it is the same number.
        let der = hex(DocumentFixtures.root), serial = try #require(Certificate(der.span).serialNumber)
        #expect(try fault(entry { $0.serialNumber = CBOREncoding.tag(2, CBOREncoding.bytes([0, 0] + serial)) }) == nil)
        // Other hints override nothing.
        #expect(try fault(entry { $0.more = [(CBOREncoding.text("issuingCountry"), CBOREncoding.text("XX"))] }) == nil)
        #expect(try fault(entry { $0.more = [(CBOREncoding.text("Extensions"), CBOREncoding.null)] }) == nil)
    }

    @Test func aCertificateThatCannotBeARootIsNamedByItsRule() throws {
        let rules: [(String, RootFault)] = [
            (DocumentFixtures.rootNotAnAuthority, .notAnAuthority), (DocumentFixtures.rootWithoutSigning, .keyUsage),
            (DocumentFixtures.rootOfTwoCountries, .country), (DocumentFixtures.rootNotSelfSigned, .notSelfSigned),
            (DocumentFixtures.rootOnBrainpool, .unsupportedCurve), (DocumentFixtures.signer, .notAnAuthority), ("3000", .malformed),
        ]
        for (certificate, rule) in rules { #expect(try fault(TestList.Entry(certificate).octets) == .root(rule)) }
        #expect(VICALEntryFault.root(.notSelfSigned).name == "root-not-self-signed")
    }

    @Test func whatIsSkippedHasAFingerprint() throws {
        var list = TestList()
        list.entries = [TestList.Entry(DocumentFixtures.rootOnBrainpool).octets, CBOREncoding.unsigned(1)]
        let found = try TestList.read(list.octets()), der = hex(DocumentFixtures.rootOnBrainpool)
        #expect(found.roots.isEmpty && found.skipped.map(\.entry) == [0, 1])
        #expect(try found.skipped.map(\.fingerprint) == [Certificate(der.span).fingerprint(), nil])
    }

    @Test func aRootListedTwiceVouchesForBoth() throws {
        var list = TestList()
        list.entries = [["a", "b", "a"], ["b", "c"], ["c"]].map { TestList.Entry(DocumentFixtures.root, $0).octets }
        list.entries.append(TestList.Entry(DocumentFixtures.root, (0..<62).map { "kind.\($0)" }).octets)
        let found = try TestList.read(list.octets())
        #expect(found.roots.map(\.docTypes) == [["a", "b", "c"]])
        #expect(found.skipped.map(\.fault) == [.docTypes], "the bound holds for all of its entries together")
    }

    @Test func aCertificateThatIsNotInDERIsSkipped() throws {
        // The same certificate, its outer length written with an octet too many: the digest would be the same, the octets are not.
        let der = hex(DocumentFixtures.root)
        let other: [UInt8] = [0x30, 0x83, 0x00] + Array(der.dropFirst(2))
        #expect(try Certificate(other.span).fingerprint() == Certificate(der.span).fingerprint())
        #expect(throws: RootFault.malformed) { try IssuerRoot(octets: other) }
        #expect(try IssuerRoot(octets: der).fingerprint == Digest.hash(der.span, .sha256))
        var entry = TestList.Entry(DocumentFixtures.root, ["b"])
        entry.certificate = other
        var list = TestList()
        list.entries = [TestList.Entry(DocumentFixtures.root, ["a"]).octets, entry.octets]
        let found = try TestList.read(list.octets())
        #expect(found.roots.map(\.docTypes) == [["a"]] && found.skipped.map(\.fault) == [.root(.malformed)])
    }

    @Test func rootsOutsideTheirValidityAreKept() throws {
        // The chain tells an expired root from an unknown one, and can only do so where it has it.
        var list = TestList()
        list.entries = [DocumentFixtures.rootOver, DocumentFixtures.rootRenewed].map { TestList.Entry($0).octets }
        let trust = MdocTrust(roots: try TestList.read(list.octets()).roots)
        #expect(try judge(TestDocument(), trust).fault == .trustedIssuerCertificateNotYetValid)
    }
}

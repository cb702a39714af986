import CBOR
import Cryptography
import Envelopes
import TestSupport

@testable import Mdoc

/// A list put together piece by piece, so that each piece can be another one. A provider's signer signs it.
struct TestList {
    struct Entry {
        var certificate: [UInt8]
        /// A bignum, encoded; nil leaves it away.
        var serialNumber: [UInt8]?
        var keyIdentifier: [UInt8]?
        var docTypes: [UInt8]?
        var more: [(key: [UInt8], value: [UInt8])] = []

        init(_ root: String = DocumentFixtures.root, _ docTypes: [String] = [TestDocument.docType]) {
            certificate = Hex.bytes(root)
            let parsed = try? Certificate(certificate.span)
            serialNumber = CBOREncoding.tag(2, CBOREncoding.bytes(parsed?.serialNumber ?? []))
            keyIdentifier = parsed?.subjectKeyIdentifier ?? []
            self.docTypes = CBOREncoding.array(docTypes.map { CBOREncoding.text($0) })
        }

        var octets: [UInt8] {
            var members = [(key: CBOREncoding.text("certificate"), value: CBOREncoding.bytes(certificate))]
            if let serialNumber { members.append((CBOREncoding.text("serialNumber"), serialNumber)) }
            if let keyIdentifier { members.append((CBOREncoding.text("ski"), CBOREncoding.bytes(keyIdentifier))) }
            if let docTypes { members.append((CBOREncoding.text("docType"), docTypes)) }
            return CBOREncoding.map(members + more)
        }
    }

    var version = CBOREncoding.text("1.0")
    var provider = CBOREncoding.text("Test Provider")
    var date = "2026-05-31T12:00:00Z"
    var nextUpdate: String? = "2026-06-30T12:00:00Z"
    var issue: UInt64? = 7
    var entries = [Entry().octets]
    var more: [(key: [UInt8], value: [UInt8])] = []
    var chain: [String] = [ListsFixtures.signer]
    var algorithm: Int64 = -7
    var key = ListsFixtures.signerKey

    func payload() -> [UInt8] {
        func time(_ text: String) -> [UInt8] { CBOREncoding.tag(0, CBOREncoding.text(text)) }
        var members = [
            (key: CBOREncoding.text("version"), value: version), (CBOREncoding.text("vicalProvider"), provider),
            (CBOREncoding.text("date"), time(date)),
        ]
        if let nextUpdate { members.append((CBOREncoding.text("nextUpdate"), time(nextUpdate))) }
        if let issue { members.append((CBOREncoding.text("vicalIssueID"), CBOREncoding.unsigned(issue))) }
        return CBOREncoding.map(members + more + [(CBOREncoding.text("certificateInfos"), CBOREncoding.array(entries))])
    }

    /// COSE_Sign1 without its tag.
    func octets() throws -> [UInt8] { try Self.signed(payload(), chain: chain, algorithm: algorithm, key: key) }

    static func signed(
        _ payload: [UInt8], chain: [String] = [ListsFixtures.signer], algorithm: Int64 = -7, key: String = ListsFixtures.signerKey
    ) throws -> [UInt8] {
        let certificates = chain.map { CBOREncoding.bytes(Hex.bytes($0)) }
        let value = certificates.count == 1 ? certificates[0] : CBOREncoding.array(certificates)
        return try TestDocument.signed(
            payload, protected: TestDocument.protected(algorithm),
            unprotected: chain.isEmpty ? [] : [(CBOREncoding.integer(33), value)], key: key, carries: payload)
    }

    /// An importer that pinned the provider's root.
    static func read(
        _ octets: [UInt8], pinned: [String] = [ListsFixtures.provider], inForce: UInt64? = nil, at now: Seconds = DocumentFixtures.now
    ) throws -> VICAL {
        var certificates: [Certificate] = []
        for text in pinned {
            let der = Hex.bytes(text)
            certificates.append(try Certificate(der.span))
        }
        return try VICAL(octets.span, pinned: certificates, inForce: inForce, at: now)
    }
}

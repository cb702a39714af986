import CBOR
import Cryptography
import Envelopes
import TestSupport

@testable import Mdoc

/// A document put together piece by piece, so that each piece can be another one. An issuer's key signs it, and a device's.
struct TestDocument {
    enum Proof {
        case signature, mac, none, both
    }

    static let docType = "org.iso.18013.5.1.mDL"
    static let nameSpace = "org.iso.18013.5.1"
    static let transcript = CBOREncoding.array([CBOREncoding.null, CBOREncoding.null, CBOREncoding.null])

    typealias Item = (id: UInt64, random: [UInt8], identifier: String, value: [UInt8])

    var docType = Self.docType
    var signedDocType = Self.docType
    var version = "1.0"
    var digestAlgorithm = "SHA-256"
    var signed = "2026-05-01T00:00:00Z", validFrom = "2026-05-01T00:00:00Z", validUntil = "2026-07-01T00:00:00Z"
    var items: [Item] = [
        (0, [UInt8](repeating: 1, count: 16), "family_name", CBOREncoding.text("Doe")),
        (1, [UInt8](repeating: 2, count: 16), "age_over_18", CBOREncoding.bool(true)),
    ]
    /// What the issuer's digests are of; nil for `items`.
    var signedItems: [Item]?
    var nameSpace = Self.nameSpace
    /// COSE_Key.
    var deviceKey = SessionKey.encode(.p256, point: Hex.bytes(DocumentFixtures.devicePoint))
    var authorizations: [UInt8]?
    var status: [UInt8]?
    var deviceItems: [(String, [(String, [UInt8])])] = []
    /// x5chain; nil leaves it away.
    var chain: [UInt8]? = CBOREncoding.bytes(Hex.bytes(DocumentFixtures.signer))
    var issuerAlgorithm: Int64 = -7, deviceAlgorithm: Int64 = -7
    var proof = Proof.signature
    /// Embedded into the device's signature; nil for none.
    var embeds: (([UInt8]) -> [UInt8])?
    var signsTranscript = Self.transcript
    var errors: [UInt8]?
    /// Changes the issuer's signature.
    var isIssuerSignatureBroken = false
    var more: [(key: [UInt8], value: [UInt8])] = []

    // MARK: the issuer

    static func encoded(_ item: Item) -> [UInt8] {
        CBOREncoding.embedded(
            CBOREncoding.map([
                (CBOREncoding.text("digestID"), CBOREncoding.unsigned(item.id)),
                (CBOREncoding.text("random"), CBOREncoding.bytes(item.random)),
                (CBOREncoding.text("elementIdentifier"), CBOREncoding.text(item.identifier)),
                (CBOREncoding.text("elementValue"), item.value),
            ]))
    }

    private func securityObject() throws -> [UInt8] {
        var digests: [(key: [UInt8], value: [UInt8])] = []
        for item in signedItems ?? items {
            let encoded = Self.encoded(item)
            digests.append((CBOREncoding.unsigned(item.id), CBOREncoding.bytes(try Digest.hash(encoded.span, .sha256))))
        }
        var keyInfo = [(key: CBOREncoding.text("deviceKey"), value: deviceKey)]
        if let authorizations { keyInfo.append((CBOREncoding.text("keyAuthorizations"), authorizations)) }
        func date(_ text: String) -> [UInt8] { CBOREncoding.tag(0, CBOREncoding.text(text)) }
        var members = [
            (key: CBOREncoding.text("version"), value: CBOREncoding.text(version)),
            (CBOREncoding.text("digestAlgorithm"), CBOREncoding.text(digestAlgorithm)),
            (CBOREncoding.text("valueDigests"), CBOREncoding.map([(CBOREncoding.text(Self.nameSpace), CBOREncoding.map(digests))])),
            (CBOREncoding.text("deviceKeyInfo"), CBOREncoding.map(keyInfo)),
            (CBOREncoding.text("docType"), CBOREncoding.text(signedDocType)),
            (
                CBOREncoding.text("validityInfo"),
                CBOREncoding.map([
                    (CBOREncoding.text("signed"), date(signed)), (CBOREncoding.text("validFrom"), date(validFrom)),
                    (CBOREncoding.text("validUntil"), date(validUntil)),
                ])
            ),
        ]
        if let status { members.append((CBOREncoding.text("status"), status)) }
        return CBOREncoding.embedded(CBOREncoding.map(members))
    }

    static func protected(_ algorithm: Int64, _ more: [(key: [UInt8], value: [UInt8])] = []) -> [UInt8] {
        CBOREncoding.map([(CBOREncoding.integer(1), CBOREncoding.integer(algorithm))] + more)
    }

    /// COSE_Sign1 with P-256.
    static func signed(
        _ payload: [UInt8], protected: [UInt8], unprotected: [(key: [UInt8], value: [UInt8])], key: String, carries: [UInt8]?
    ) throws -> [UInt8] {
        let structure = CBOREncoding.array([
            CBOREncoding.text("Signature1"), CBOREncoding.bytes(protected), CBOREncoding.bytes([]), CBOREncoding.bytes(payload),
        ])
        let pem = Array(key.utf8), signature = try CurveSigningKey(pem: pem.span).sign(structure.span)
        return CBOREncoding.array([
            CBOREncoding.bytes(protected), CBOREncoding.map(unprotected), carries.map { CBOREncoding.bytes($0) } ?? CBOREncoding.null,
            CBOREncoding.bytes(signature),
        ])
    }

    // MARK: the device

    private func deviceAuth(_ nameSpaces: [UInt8], _ macKeys: borrowing TestMACKeys) throws -> [UInt8] {
        let payload = CBOREncoding.embedded(
            CBOREncoding.array([CBOREncoding.text("DeviceAuthentication"), signsTranscript, CBOREncoding.text(docType), nameSpaces]))
        var members: [(key: [UInt8], value: [UInt8])] = []
        if proof == .signature || proof == .both {
            let signature = try Self.signed(
                payload, protected: Self.protected(deviceAlgorithm), unprotected: [], key: DocumentFixtures.deviceKey,
                carries: embeds?(payload))
            members.append((CBOREncoding.text("deviceSignature"), signature))
        }
        if proof == .mac || proof == .both {
            let protected = Self.protected(5), key = try macKeys.deviceMACKey(for: try SessionKey.decode(deviceKey))
            let structure = CBOREncoding.array([
                CBOREncoding.text("MAC0"), CBOREncoding.bytes(protected), CBOREncoding.bytes([]), CBOREncoding.bytes(payload),
            ])
            let tag = try MessageAuthentication.tag(of: structure.span, key: key)
            members.append(
                (
                    CBOREncoding.text("deviceMac"),
                    CBOREncoding.array([CBOREncoding.bytes(protected), CBOREncoding.map([]), CBOREncoding.null, CBOREncoding.bytes(tag)])
                ))
        }
        return CBOREncoding.map(members)
    }

    func octets(_ macKeys: borrowing TestMACKeys) throws -> [UInt8] {
        let object = try securityObject()
        var issuerAuth = try Self.signed(
            object, protected: Self.protected(issuerAlgorithm), unprotected: chain.map { [(CBOREncoding.integer(33), $0)] } ?? [],
            key: DocumentFixtures.signerKey, carries: object)
        if isIssuerSignatureBroken { issuerAuth[issuerAuth.count - 1] ^= 1 }
        let nameSpaces = CBOREncoding.embedded(
            CBOREncoding.map(
                deviceItems.map { space in
                    (CBOREncoding.text(space.0), CBOREncoding.map(space.1.map { (CBOREncoding.text($0.0), $0.1) }))
                }))
        let issuerSigned = CBOREncoding.map([
            (
                CBOREncoding.text("nameSpaces"),
                CBOREncoding.map([(CBOREncoding.text(nameSpace), CBOREncoding.array(items.map(Self.encoded)))])
            ),
            (CBOREncoding.text("issuerAuth"), issuerAuth),
        ])
        let deviceSigned = CBOREncoding.map([
            (CBOREncoding.text("nameSpaces"), nameSpaces),
            (CBOREncoding.text("deviceAuth"), try deviceAuth(nameSpaces, macKeys)),
        ])
        var members = [
            (key: CBOREncoding.text("docType"), value: CBOREncoding.text(docType)),
            (CBOREncoding.text("issuerSigned"), issuerSigned), (CBOREncoding.text("deviceSigned"), deviceSigned),
        ]
        if let errors { members.append((CBOREncoding.text("errors"), errors)) }
        return CBOREncoding.map(members + more)
    }

    static func response(_ documents: [[UInt8]], status: UInt64 = 0, version: String = "1.0") -> [UInt8] {
        CBOREncoding.map([
            (CBOREncoding.text("version"), CBOREncoding.text(version)), (CBOREncoding.text("documents"), CBOREncoding.array(documents)),
            (CBOREncoding.text("status"), CBOREncoding.unsigned(status)),
        ])
    }
}

/// The gate's ephemeral key and the session's transcript.
struct TestMACKeys: ~Copyable, DeviceMACKeys {
    let pair: CurveAgreement
    let transcript: [UInt8]

    init(_ curve: NISTCurve = .p256) throws {
        pair = try CurveAgreement(curve)
        transcript = TestDocument.transcript
    }

    init(_ curve: NISTCurve, privateKey: [UInt8], transcript: [UInt8]) throws {
        pair = try CurveAgreement(curve, privateKey: privateKey.span)
        self.transcript = transcript
    }

    borrowing func deviceMACKey(for deviceKey: CurvePoint) throws(CryptographyError) -> Secret {
        let secret = try pair.agree(with: deviceKey), bytes = CBOREncoding.embedded(transcript), info = Array("EMacKey".utf8)
        let salt = try Digest.hash(bytes.span, .sha256)
        var derivation = try KeyDerivation()
        return try derivation.derive(32, from: secret, salt: salt.span, info: info.span)
    }
}

extension IssuerRoot {
    init(octets: [UInt8], docTypes: [String]? = nil, signerUsage: String = IssuerRoot.documentSigning) throws(RootFault) {
        try self.init(octets.span, docTypes: docTypes, signerUsage: signerUsage)
    }
}

extension RevocationList {
    init(octets: [UInt8]) throws(CryptographyError) { try self.init(octets.span) }
}

extension MdocTrust {
    static func test(
        roots: [String] = [DocumentFixtures.root], lists: [String] = [], docTypes: [String]? = nil, tokens: [StatusToken] = []
    ) throws -> MdocTrust {
        MdocTrust(
            roots: try roots.map { try IssuerRoot(octets: Hex.bytes($0), docTypes: docTypes) },
            revocationLists: try lists.map { try RevocationList(octets: Hex.bytes($0)) }, statusTokens: tokens)
    }
}

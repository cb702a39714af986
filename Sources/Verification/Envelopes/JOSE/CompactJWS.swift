import Cryptography
import JSON

/// Why a JWS cannot be taken apart, or is none that this gate believes. Nothing of it is believed after any of these.
package enum JWSError: Error, Hashable, Sendable {
    /// Not three base64url parts.
    case notCompact
    case headerMalformed
    /// `crit` asks for an extension this gate does not have.
    case criticalHeaderRefused
    /// `alg` is missing, unknown, `none`, or symmetric.
    case algorithmRefused
    /// `x5c` is no array of certificates in base64, or of more than a chain has.
    case certificateMalformed
}

/// A compact JWS taken apart (RFC 7515 section 7.1): nothing in it is believed yet.
package struct CompactJWS {
    package let header: JOSEHeader
    /// Octets of the payload.
    package let payload: [UInt8]
    let signature: [UInt8]
    /// The first two parts and their dot, exactly as received: what is signed.
    let signed: ArraySlice<UInt8>

    /// - Parameter text: three non-empty base64url parts joined by dots.
    package init(_ text: ArraySlice<UInt8>) throws(JWSError) {
        guard let parts = text.separated(by: UInt8(ascii: "."), most: 3), parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
            let header = Base64.decode(parts[0]), let payload = Base64.decode(parts[1]), let signature = Base64.decode(parts[2])
        else { throw .notCompact }
        self.header = try JOSEHeader(header)
        self.payload = payload
        self.signature = signature
        signed = text[text.startIndex..<parts[1].endIndex]
    }

    /// Whether `key` made the signature over the received text.
    package func isSigned(by key: PublicKey) -> Bool {
        do throws(CryptographyError) {
            try key.verify(signature: signature.span, over: signed.span, algorithm: header.algorithm)
            return true
        } catch {
            return false
        }
    }
}

/// The protected header of a JWS, as far as this verifier uses it.
package struct JOSEHeader {
    /// `typ` as received.
    let type: JSONValue?
    package let algorithm: SignatureAlgorithm
    package let keyID: JSONValue?
    /// `x5c` as received: taken apart only where the key has to come from it.
    private let chain: JSONValue?

    /// RFC 7518 allows many; a credential is one of these. ES384 stays out until an issuer is known to use it.
    private static let allowed: [SignatureAlgorithm] = [.es256, .es256k, .edDSA, .ps256, .rs256]
    private static let limits = JSONLimits(bytes: 256 << 10, depth: 16, nodes: 1000)
    private static let mostCertificates = 8

    init(_ bytes: [UInt8]) throws(JWSError) {
        guard let document = try? JSONDocument(parsing: bytes, limits: Self.limits), document.root.kind == .object else {
            throw .headerMalformed
        }
        let header = document.root
        // RFC 7515 section 4.1.11: an extension that is not understood makes the signature invalid, and none is understood.
        guard header["crit"] == nil else { throw .criticalHeaderRefused }
        guard let algorithm = JOSEAlgorithm.algorithm(header["alg"]), Self.allowed.contains(algorithm) else { throw .algorithmRefused }
        self.algorithm = algorithm
        type = header["typ"]
        keyID = header["kid"]
        guard keyID == nil || keyID?.kind == .string else { throw .headerMalformed }
        chain = header["x5c"]
    }

    package var hasCertificates: Bool { chain != nil }

    /// `x5c`: DER certificates, leaf first; none when absent. Throws `headerMalformed` and `certificateMalformed`.
    package func certificates() throws(JWSError) -> [[UInt8]] {
        guard let chain else { return [] }
        return try Self.certificates(chain)
    }

    package func isType(_ names: String...) -> Bool {
        names.contains { type?.isString($0) == true }
    }

    /// RFC 7515 section 4.1.6: an array of base64 (not base64url) DER.
    private static func certificates(_ value: JSONValue) throws(JWSError) -> [[UInt8]] {
        guard let elements = value.elements else { throw .headerMalformed }
        var certificates: [[UInt8]] = []
        for element in elements {
            guard certificates.count < mostCertificates, let text = element.string, let der = Base64.decode(text, alphabet: .standard)
            else {
                throw .certificateMalformed
            }
            certificates.append(der)
        }
        guard !certificates.isEmpty else { throw .certificateMalformed }
        return certificates
    }
}

/// The names of signature algorithms in JOSE (RFC 7518 section 3.1, RFC 8037, RFC 8812, RFC 9864).
package enum JOSEAlgorithm {
    /// EdDSA can mean several curves; the only one here is Ed25519, so that both names mean the same.
    private static let known = SignatureAlgorithm.allCases.map { ($0.rawValue, $0) } + [("Ed25519", .edDSA)]

    /// All of them, for people.
    package static let names = known.map(\.0).joined(separator: ", ")

    /// The algorithm an `alg` names; nil for every other text and for what is none.
    package static func algorithm(_ name: JSONValue?) -> SignatureAlgorithm? {
        guard let name else { return nil }
        return known.first { name.isString($0.0) }?.1
    }
}

import Cryptography
import JSON

/// A compact JWS taken apart (RFC 7515 section 7.1): nothing in it is believed yet.
struct CompactJWS {
    let header: JOSEHeader
    /// Octets of the payload.
    let payload: [UInt8]
    let signature: [UInt8]
    /// The first two parts and their dot, exactly as received: what is signed.
    let signed: ArraySlice<UInt8>

    /// - Parameter text: three non-empty base64url parts joined by dots.
    init(_ text: ArraySlice<UInt8>, malformed: RejectReason) throws(RejectReason) {
        guard let parts = text.separated(by: UInt8(ascii: "."), most: 3), parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
              let header = Base64.decode(parts[0]), let payload = Base64.decode(parts[1]), let signature = Base64.decode(parts[2])
        else { throw malformed }
        self.header = try JOSEHeader(header)
        self.payload = payload
        self.signature = signature
        signed = text[text.startIndex..<parts[1].endIndex]
    }

    /// Whether `key` made the signature over the received text.
    func isSigned(by key: PublicKey) -> Bool {
        do throws(CryptographyError) {
            try key.verify(signature: signature.span, over: signed.span, algorithm: header.algorithm)
            return true
        } catch {
            return false
        }
    }
}

/// The protected header of a JWS, as far as this verifier uses it.
struct JOSEHeader {
    /// `typ` as received.
    let type: JSONValue?
    let algorithm: SignatureAlgorithm
    let keyID: JSONValue?
    /// `x5c` as received: taken apart only where the key has to come from it.
    private let chain: JSONValue?

    /// RFC 7518 allows many; a credential is one of these. ES384 stays out until an issuer is known to use it.
    private static let allowed: [SignatureAlgorithm] = [.es256, .es256k, .edDSA, .ps256, .rs256]
    private static let limits = JSONLimits(bytes: 256 << 10, depth: 16, nodes: 1000)
    private static let mostCertificates = 8

    init(_ bytes: [UInt8]) throws(RejectReason) {
        guard let document = try? JSONDocument(parsing: bytes, limits: Self.limits), document.root.kind == .object else { throw .headerMalformed }
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

    var hasCertificates: Bool { chain != nil }

    /// `x5c`: DER certificates, leaf first; none when absent. Throws `headerMalformed` and `certificateMalformed`.
    func certificates() throws(RejectReason) -> [[UInt8]] {
        guard let chain else { return [] }
        return try Self.certificates(chain)
    }

    func isType(_ names: String...) -> Bool {
        names.contains { type?.isString($0) == true }
    }

    /// RFC 7515 section 4.1.6: an array of base64 (not base64url) DER.
    private static func certificates(_ value: JSONValue) throws(RejectReason) -> [[UInt8]] {
        guard let elements = value.elements else { throw .headerMalformed }
        var certificates: [[UInt8]] = []
        for element in elements {
            guard certificates.count < mostCertificates, let text = element.string, let der = Base64.decode(text, alphabet: .standard) else {
                throw .certificateMalformed
            }
            certificates.append(der)
        }
        guard !certificates.isEmpty else { throw .certificateMalformed }
        return certificates
    }
}

import CBOR
import Cryptography

/// A COSE_Sign1 or COSE_Mac0 of an mdoc, taken apart (RFC 9052 sections 4.2 and 6.2): the payload may be somewhere else, and the algorithms
/// are those of ISO/IEC 18013-5. Nothing in it is believed before it was verified.
struct MdocCOSE {
    enum Kind: UInt64 {
        case mac0 = 17, sign1 = 18
    }

    private enum Label {
        static let algorithm: Int64 = 1, critical: Int64 = 2, type: Int64 = 16, certificates: Int64 = 33
    }

    /// HMAC 256/256 (RFC 9053 table 3).
    static let hmac: Int64 = 5
    /// Only the first certificate counts. Whoever sends more than these sends no chain.
    private static let mostCertificates = 8

    /// The contents of the protected header's byte string exactly as received.
    let protected: [UInt8]
    /// `alg` of the protected header; nil when it is missing or no number.
    let algorithm: Int64?
    /// `typ` of the protected header.
    let type: CBORItem?
    /// DER, the signer's first; empty where there is no `x5chain`.
    let certificates: [[UInt8]]
    /// Nil where it is somewhere else.
    let payload: [UInt8]?
    /// Signature or tag.
    let proof: [UInt8]

    /// - Parameters:
    ///   - item: the array, or the kind's tag on it.
    ///   - options: for what is inside the protected header.
    init(_ item: CBORItem, _ kind: Kind, options: CBOROptions = ResponseLimits.options) throws(CBORError) {
        let parts = try (item.content(of: kind.rawValue) ?? item).require(\.elements)
        guard parts.count == 4 else { throw item.fault(parts.count < 4 ? .missing : .leftover) }
        protected = try parts[0].require(\.bytes)
        var inside: CBORItem?
        if !protected.isEmpty { inside = try parts[0].embedded(options: options).root }
        let outside = try parts[1].require(\.pairs), covered = try inside?.require(\.pairs) ?? []
        try Self.refuseRepeated(covered, outside, at: parts[1])
        try Self.checkCritical(inside, parts[1])
        algorithm = inside?[Label.algorithm]?.int64
        type = inside?[Label.type]
        // The standard has it unprotected, status tokens have it protected. Either way it has to lead to a pinned root.
        certificates = try Self.certificates(inside?[Label.certificates] ?? parts[1][Label.certificates])
        payload = parts[2].isNull ? nil : try parts[2].require(\.bytes)
        proof = try parts[3].require(\.bytes)
    }

    /// The same parameter in both headers (RFC 9052 section 3): nobody could say which of them counts.
    private static func refuseRepeated(_ inside: [CBORPair], _ outside: [CBORPair], at item: CBORItem) throws(CBORError) {
        let numbers = Set(inside.compactMap(\.key.int64)), texts = Set(inside.compactMap(\.key.textBytes))
        for pair in outside {
            if let number = pair.key.int64, numbers.contains(number) { throw item.fault(.duplicateKey) }
            if let text = pair.key.textBytes, texts.contains(text) { throw item.fault(.duplicateKey) }
        }
    }

    /// RFC 9052 section 3.1: what is critical has to be understood, and understood here is `alg` and the certificates.
    private static func checkCritical(_ inside: CBORItem?, _ outside: CBORItem) throws(CBORError) {
        if let misplaced = outside[Label.critical] { throw misplaced.fault(.leftover) }
        guard let critical = inside?[Label.critical] else { return }
        for label in try critical.require(\.elements) where ![Label.algorithm, Label.certificates].contains(label.int64) {
            throw label.fault(.leftover)
        }
    }

    /// `x5chain` (RFC 9360 section 2): one certificate as a byte string, or an array of them, also of one.
    private static func certificates(_ chain: CBORItem?) throws(CBORError) -> [[UInt8]] {
        guard let chain else { return [] }
        if let one = chain.bytes { return [one] }
        let elements = try chain.require(\.elements)
        guard elements.count <= mostCertificates else { throw chain.fault(.leftover) }
        var certificates: [[UInt8]] = []
        for element in elements { certificates.append(try element.require(\.bytes)) }
        return certificates
    }

    /// What a signature or MAC is over (RFC 9052 sections 4.4 and 6.3), without external data.
    func structure(_ kind: Kind, payload: [UInt8]) -> [UInt8] {
        CBOREncoding.array([
            CBOREncoding.text(kind == .sign1 ? "Signature1" : "MAC0"), CBOREncoding.bytes(protected), CBOREncoding.bytes([]),
            CBOREncoding.bytes(payload),
        ])
    }

    /// Whether `key` made the signature over `payload`, with the curve's algorithm: r and s, never DER.
    func isSigned(by key: CurvePoint, over payload: [UInt8]) -> Bool {
        guard algorithm == key.curve.signatureAlgorithm else { return false }
        let signed = structure(.sign1, payload: payload)
        do throws(CryptographyError) {
            try key.verify(signature: proof.span, over: signed.span)
            return true
        } catch {
            return false
        }
    }
}

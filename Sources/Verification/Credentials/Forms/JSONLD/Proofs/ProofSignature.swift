import Cryptography
import Envelopes
import JSON
import Trust

/// The signature of a proof: a detached JWS with unencoded payload (RFC 7515 appendix F, RFC 7797), or bare octets in multibase.
struct ProofSignature {
    let algorithm: SignatureAlgorithm
    private let octets: [UInt8]
    /// What comes before the hash data in the signed message: the header's text as received and a dot, or nothing.
    private let prefix: ArraySlice<UInt8>

    private static let limits = JSONLimits(bytes: 8 << 10, depth: 8, nodes: 200)
    /// RSA with 8192 bits and a header that names its key by thumbprints stays far below.
    private static let longest = 12 << 10

    init(_ proof: LinkedProof, for key: PublicKey) throws(LinkedProofError) {
        try self.init(proof.signature, proof.suite, for: key)
    }

    /// - Parameter text: `jws` or `proofValue`, whichever the suite has.
    init(_ text: [UInt8], _ suite: LinkedProofSuite, for key: PublicKey) throws(LinkedProofError) {
        guard text.count <= Self.longest else { throw .signatureMalformed }
        switch suite.notation {
        case .multibase:
            guard let algorithm = suite.algorithm(for: key) else { throw .keyMismatch }
            guard let octets = Multibase.decode(text) else { throw .signatureMalformed }
            self.algorithm = algorithm
            self.octets = octets
            prefix = []
        case .detachedJWS:
            guard let parts = text[...].separated(by: UInt8(ascii: "."), most: 3), parts.count == 3 else { throw .signatureMalformed }
            // Text between the dots would be signed by nobody, whatever it says.
            guard parts[1].isEmpty else { throw .payloadNotDetached }
            guard let header = Base64.decode(parts[0]) else { throw .headerMalformed }
            guard !parts[2].isEmpty, let octets = Base64.decode(parts[2]) else { throw .signatureMalformed }
            algorithm = try Self.algorithm(header, suite)
            guard algorithm.fits(key.kind) else { throw .keyMismatch }
            self.octets = octets
            prefix = text[..<parts[1].startIndex]
        }
    }

    /// RFC 7797 section 6: `b64` must be listed as critical, and nothing else may be.
    private static func algorithm(_ bytes: [UInt8], _ suite: LinkedProofSuite) throws(LinkedProofError) -> SignatureAlgorithm {
        guard let document = try? JSONDocument(parsing: bytes, limits: limits), document.root.kind == .object else {
            throw .headerMalformed
        }
        let header = document.root
        guard header["b64"]?.bool == false, let critical = header["crit"]?.elements.map(Array.init), critical.count == 1,
            critical[0].isString("b64")
        else { throw .criticalHeaderRefused }
        guard let name = header["alg"], let algorithm = suite.algorithms.first(where: { name.isString($0.rawValue) }) else {
            throw .algorithmRefused
        }
        return algorithm
    }

    /// Whether `key` made the signature over the hash data.
    func isSigned(by key: PublicKey, over hashData: [UInt8]) -> Bool {
        let message = Array(prefix) + hashData
        do throws(CryptographyError) {
            try key.verify(signature: octets.span, over: message.span, algorithm: algorithm)
            return true
        } catch {
            return false
        }
    }
}

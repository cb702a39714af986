import CBOR
import Cryptography

/// Whoever can say who asks. The key may lie in a file, or in a chip that never gives it away.
public protocol ReaderSigner {
    /// It decides the algorithm too: ES256, ES384 or ES512.
    var curve: NISTCurve { get }
    /// DER, the signer's own first.
    var certificates: [[UInt8]] { get }
    /// r and s over the curve's digest of `message`, `curve.coordinateLength` octets each.
    func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8]
}

/// ReaderAuthentication: the request for one document, in this session and no other (mdoc.md section 4).
public struct ReaderAuthentication: Hashable, Sendable {
    /// `x5chain` (RFC 9360 section 2).
    private static let chainLabel: Int64 = 33
    private static let algorithmLabel: Int64 = 1

    /// ReaderAuthenticationBytes, the payload that is signed and not sent.
    public let bytes: [UInt8]

    public init(_ transcript: SessionTranscript, itemsRequestBytes: [UInt8]) {
        bytes = CBOREncoding.embedded(
            CBOREncoding.array([CBOREncoding.text("ReaderAuthentication"), transcript.octets, itemsRequestBytes]))
    }

    /// Sig_structure (RFC 9052 section 4.4), what the signature is over.
    func signatureStructure(_ curve: NISTCurve) -> [UInt8] {
        CBOREncoding.array([
            CBOREncoding.text("Signature1"), CBOREncoding.bytes(Self.protected(curve)), CBOREncoding.bytes([]), CBOREncoding.bytes(bytes),
        ])
    }

    /// COSE_Sign1 without its payload. Throws `cannotSign`.
    func signed(by signer: some ReaderSigner) throws(RequestError) -> [UInt8] {
        let structure = signatureStructure(signer.curve), certificates = signer.certificates.map { CBOREncoding.bytes($0) }
        let signature: [UInt8]
        do throws(CryptographyError) {
            signature = try signer.sign(structure.span)
        } catch {
            throw .cannotSign
        }
        guard let first = certificates.first, signature.count == 2 * signer.curve.coordinateLength else { throw .cannotSign }
        // One certificate is a byte string, several are an array of them.
        let chain = certificates.count == 1 ? first : CBOREncoding.array(certificates)
        return CBOREncoding.array([
            CBOREncoding.bytes(Self.protected(signer.curve)), CBOREncoding.map([(CBOREncoding.integer(Self.chainLabel), chain)]),
            CBOREncoding.null, CBOREncoding.bytes(signature),
        ])
    }

    private static func protected(_ curve: NISTCurve) -> [UInt8] {
        CBOREncoding.map([(CBOREncoding.integer(algorithmLabel), CBOREncoding.integer(curve.signatureAlgorithm))])
    }
}

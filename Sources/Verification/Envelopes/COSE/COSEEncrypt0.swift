import CBOR
import Cryptography

/// A COSE_Encrypt0 taken apart (RFC 9052 section 5.2). What is in it was sealed by somebody who has the key, and everybody who reads it has
/// it: it has to be signed as well.
package struct COSEEncrypt0 {
    package static let tag: UInt64 = 16

    /// AES-GCM with a 128-bit tag and a 96-bit nonce, by the numbers of RFC 9053 section 4.1, and the bits of their keys.
    private static let algorithms: [(number: Int64, bits: Int)] = [(1, 128), (2, 192), (3, 256)]

    /// As stated: it only points at a key that has to be here already.
    package let keyID: [UInt8]?
    /// Bits of the key that the algorithm takes.
    package let keyBits: Int
    private let header: COSEHeader
    private let nonce: [UInt8]
    private let ciphertext: [UInt8]

    /// - Parameter item: the array, or tag 16 on it.
    package init(_ item: CBORItem) throws(COSEError) {
        let content = try COSESign1.untagged(item, COSEEncrypt0.tag)
        let parts = try CBORItem.cose { () throws(CBORError) in
            try content.array { rest throws(CBORError) in
                (protected: try rest.take(), unprotected: try rest.take(), ciphertext: try rest.take())
            }
        }
        header = try COSEHeader(protected: parts.protected, unprotected: parts.unprotected)
        keyID = header.keyID
        // Protected, as every algorithm here: it must not be the sender's choice how what the issuer sealed is read.
        let stated = header.statedAlgorithm?.int64
        guard let algorithm = COSEEncrypt0.algorithms.first(where: { $0.number == stated }) else { throw .algorithmRefused }
        keyBits = algorithm.bits
        // A Partial IV belongs to a context this gate has none of, and must not stand beside an IV (RFC 9052 section 3.1).
        guard let nonce = header.nonce?.bytes, nonce.count == ContentKey.nonceLength, !header.hasPartialNonce else {
            throw .headerMalformed
        }
        self.nonce = nonce
        ciphertext = try COSESign1.attached(parts.ciphertext)
    }

    /// The plaintext, if `key` sealed it. Throws `cannotOpen`.
    package func open(with key: ContentKey) throws(COSEError) -> [UInt8] {
        // Enc_structure (RFC 9052 section 5.3).
        let additional = try CBORItem.cose { () throws(CBORError) in
            try CBORWriter.encode { writer in
                writer.array {
                    $0.text("Encrypt0")
                    $0.bytes(header.protected)
                    $0.bytes([])
                }
            }
        }
        do throws(CryptographyError) {
            return try key.open(ciphertext.span, nonce: nonce.span, additional: additional.span)
        } catch {
            throw .cannotOpen
        }
    }
}

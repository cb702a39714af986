import CBOR
import Cryptography

/// The writing side of COSE_Sign, with Ed25519: for the tools that sign trust bundles.
extension COSESign {
    /// A message with one signature, under tag 98, without headers of its own. Throws `cannotSign`.
    package static func message(_ payload: [UInt8], keyID: [UInt8], key: borrowing SigningKey, externalAAD: [UInt8]) throws(COSEError)
        -> [UInt8]
    {
        let signature = try NewSignature(of: payload, body: [], keyID, key, externalAAD)
        return try CBORItem.cose { () throws(CBORError) in
            try CBORWriter.encode { writer in
                writer.tag(tag)
                writer.array {
                    $0.bytes([])
                    $0.map { _ in }
                    $0.bytes(payload)
                    $0.array { signature.write(to: &$0) }
                }
            }
        }
    }

    /// This message with one signature more; everything else stays octet for octet as it is. Throws `cannotSign`, `tooManySignatures`.
    package func adding(keyID: [UInt8], key: borrowing SigningKey, externalAAD: [UInt8]) throws(COSEError) -> [UInt8] {
        guard signatures.count < Self.mostSignatures else { throw .tooManySignatures }
        let signature = try NewSignature(of: payload, body: header.protected, keyID, key, externalAAD)
        return try CBORItem.cose { () throws(CBORError) in
            try CBORWriter.encode { writer in
                writer.tag(Self.tag)
                writer.array { writer in
                    writer.copy(headers.protected)
                    writer.copy(headers.unprotected)
                    writer.bytes(payload)
                    writer.array { writer in
                        for other in signatures { writer.copy(other.item) }
                        signature.write(to: &writer)
                    }
                }
            }
        }
    }
}

/// A COSE_Signature (RFC 9052 section 4.1) just made. Algorithm and `kid` are both protected.
private struct NewSignature {
    private static let edDSA: Int64 = -8
    private let protected: [UInt8]
    private let octets: [UInt8]

    init(of payload: [UInt8], body: [UInt8], _ keyID: [UInt8], _ key: borrowing SigningKey, _ externalAAD: [UInt8]) throws(COSEError) {
        protected = try CBORItem.cose { () throws(CBORError) in
            try CBORWriter.encode { writer in
                writer.map {
                    $0.entry(1) { $0.integer(Self.edDSA) }
                    $0.entry(4) { $0.bytes(keyID) }
                }
            }
        }
        let signed = try COSESigned.bytes(body: body, signer: protected, externalAAD: externalAAD, payload: payload)
        do throws(CryptographyError) {
            octets = try key.sign(signed.span)
        } catch {
            throw .cannotSign
        }
    }

    func write(to writer: inout CBORWriter) {
        writer.array {
            $0.bytes(protected)
            $0.map { _ in }
            $0.bytes(octets)
        }
    }
}

import CBOR
import Cryptography

/// The bytes a COSE signature is made over (RFC 9052 section 4.4).
enum COSESigned {
    /// `Sig_structure` of COSE_Sign1, or of one signer of COSE_Sign where there is a `signer`. Protected headers go in exactly as they came.
    static func bytes(
        body: COSEHeader, signer: COSEHeader? = nil, externalAAD: [UInt8], payload: [UInt8]
    ) throws(COSEError) -> [UInt8] {
        try bytes(body: body.protected, signer: signer?.protected, externalAAD: externalAAD, payload: payload)
    }

    /// The same from the contents of the protected headers.
    static func bytes(body: [UInt8], signer: [UInt8]?, externalAAD: [UInt8], payload: [UInt8]) throws(COSEError) -> [UInt8] {
        try CBORItem.cose { () throws(CBORError) in
            try CBORWriter.encode { writer in
                writer.array { writer in
                    writer.text(signer == nil ? "Signature1" : "Signature")
                    writer.bytes(body)
                    if let signer { writer.bytes(signer) }
                    writer.bytes(externalAAD)
                    writer.bytes(payload)
                }
            }
        }
    }

    /// Returns if `key` made the signature with the algorithm.
    static func verify(
        _ signature: [UInt8], over signed: [UInt8], with key: PublicKey, _ algorithm: SignatureAlgorithm
    ) throws(COSEError) {
        do throws(CryptographyError) {
            try key.verify(signature: signature.span, over: signed.span, algorithm: algorithm)
        } catch {
            throw error == .algorithmMismatch ? .keyMismatch : .signatureInvalid
        }
    }
}

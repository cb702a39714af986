import CBOR
import Cryptography

/// A COSE_Sign1 taken apart (RFC 9052 section 4.2): nothing in it is believed before `verify` has returned.
package struct COSESign1 {
    package static let tag: UInt64 = 18

    package let header: COSEHeader
    package let algorithm: SignatureAlgorithm
    /// Contents of the attached payload, exactly as received.
    package let payload: [UInt8]
    let signature: [UInt8]

    /// - Parameters:
    ///   - item: the array, or tag 18 on it. Any other tag is another kind of object and refused.
    ///   - form: of the encoding inside the protected header.
    package init(_ item: CBORItem, form: CBOROptions.Form = .shortest) throws(COSEError) {
        let content = try COSESign1.untagged(item, COSESign1.tag)
        let parts = try CBORItem.cose { () throws(CBORError) in
            try content.array { rest throws(CBORError) in
                (
                    protected: try rest.take(), unprotected: try rest.take(), payload: try rest.take(),
                    signature: try rest.take().require(\.bytes)
                )
            }
        }
        header = try COSEHeader(protected: parts.protected, unprotected: parts.unprotected, form: form)
        guard let algorithm = header.algorithm else { throw .algorithmRefused }
        self.algorithm = algorithm
        payload = try COSESign1.attached(parts.payload)
        signature = parts.signature
    }

    /// Returns if `key` made the signature.
    ///
    /// - Parameters:
    ///   - key: a trusted key. It has to be found by the caller: nothing in the object proves anything about it.
    ///   - externalAAD: what both sides know and the object does not carry (RFC 9052 section 4.3).
    package func verify(with key: PublicKey, externalAAD: [UInt8] = []) throws(COSEError) {
        let signed = try COSESigned.bytes(body: header, externalAAD: externalAAD, payload: payload)
        try COSESigned.verify(signature, over: signed, with: key, algorithm)
    }

    /// The item under one optional tag.
    static func untagged(_ item: CBORItem, _ tag: UInt64) throws(COSEError) -> CBORItem {
        guard item.kind == .tag else { return item }
        guard let content = item.content(of: tag) else { throw .notASignature }
        return content
    }

    static func attached(_ payload: CBORItem) throws(COSEError) -> [UInt8] {
        guard !payload.isNull else { throw .payloadDetached }
        guard let bytes = payload.bytes else { throw .malformed(payload.fault(.wrongType)) }
        return bytes
    }
}

/// The bytes a COSE signature is made over (RFC 9052 section 4.4).
package enum COSESigned {
    /// `Sig_structure` of COSE_Sign1, or of one signer of COSE_Sign where there is a `signer`. Protected headers go in exactly as they
    /// came.
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

import CBOR
import Cryptography

/// A COSE_Sign with several signers taken apart (RFC 9052 section 4.1), for what k of n pinned keys have to agree on.
struct COSESign {
    static let tag: UInt64 = 98
    /// Each signature by a trusted signer costs a check.
    static let mostSignatures = 16

    /// A key that may sign, and the `kid` its signatures carry.
    struct Signer {
        let keyID: [UInt8]
        let key: PublicKey
    }

    let header: COSEHeader
    /// Contents of the attached payload, exactly as received.
    let payload: [UInt8]
    private let signatures: [(header: COSEHeader, signature: [UInt8])]

    /// - Parameter item: the array, or tag 98 on it.
    init(_ item: CBORItem) throws(COSEError) {
        let content = try COSESign1.untagged(item, COSESign.tag)
        let parts = try CBORItem.cose { () throws(CBORError) in
            try content.array { rest throws(CBORError) in
                (protected: try rest.take(), unprotected: try rest.take(), payload: try rest.take(), signatures: try rest.take().require(\.elements))
            }
        }
        header = try COSEHeader(protected: parts.protected, unprotected: parts.unprotected)
        payload = try COSESign1.attached(parts.payload)
        guard parts.signatures.count <= COSESign.mostSignatures else { throw .tooManySignatures }
        guard !parts.signatures.isEmpty else { throw .malformed(content.fault(.missing)) }
        var signatures: [(header: COSEHeader, signature: [UInt8])] = []
        for element in parts.signatures { signatures.append(try COSESign.signature(element)) }
        self.signatures = signatures
    }

    private static func signature(_ item: CBORItem) throws(COSEError) -> (header: COSEHeader, signature: [UInt8]) {
        let parts = try CBORItem.cose { () throws(CBORError) in
            try item.array { rest throws(CBORError) in
                (protected: try rest.take(), unprotected: try rest.take(), signature: try rest.take().require(\.bytes))
            }
        }
        return (try COSEHeader(protected: parts.protected, unprotected: parts.unprotected), parts.signature)
    }

    /// Returns the positions in `signers` of the keys that signed, if they are at least `threshold` different Ed25519 keys.
    ///
    /// A signature by nobody known, with another algorithm, or that does not verify counts for nothing and spoils nothing: anybody can add one. The
    /// same key counts once, however often it signs and under however many names it is pinned.
    func verify(threshold: Int, signers: [Signer], externalAAD: [UInt8] = []) throws(COSEError) -> [Int] {
        var found: [Int] = []
        for (header, signature) in signatures {
            guard header.algorithm == .edDSA, let keyID = header.keyID else { continue }
            for (position, signer) in signers.enumerated() where signer.keyID == keyID {
                guard !found.contains(where: { signers[$0].key == signer.key }) else { continue }
                let signed = try COSESigned.bytes(body: self.header, signer: header, externalAAD: externalAAD, payload: payload)
                do throws(COSEError) {
                    try COSESigned.verify(signature, over: signed, with: signer.key, .edDSA)
                    found.append(position)
                } catch {
                    continue
                }
            }
        }
        // A threshold of nothing would be no threshold.
        guard threshold >= 1, found.count >= threshold else { throw .thresholdNotMet }
        return found
    }
}

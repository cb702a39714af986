import CBOR
import Cryptography

/// A COSE_Sign with several signers taken apart (RFC 9052 section 4.1), for what k of n pinned keys have to agree on.
package struct COSESign {
    package static let tag: UInt64 = 98
    /// Each signature by a trusted signer costs a check.
    package static let mostSignatures = 16

    /// A key that may sign, and the `kid` its signatures carry.
    package struct Signer {
        let keyID: [UInt8]
        let key: PublicKey

        package init(keyID: [UInt8], key: PublicKey) {
            self.keyID = keyID
            self.key = key
        }
    }

    /// What one signature is worth.
    package enum Standing: Hashable {
        /// Made by the key at this position of the signers asked about.
        case valid(Int)
        /// Carries a signer's `kid` and was not made by its key, or not with Ed25519.
        case invalid
        /// By nobody asked about.
        case unknown
    }

    package struct Signature {
        let header: COSEHeader
        let octets: [UInt8]
        /// The whole element as it came.
        let item: CBORItem
    }

    let header: COSEHeader
    /// Contents of the attached payload, exactly as received.
    package let payload: [UInt8]
    let signatures: [Signature]
    /// Both headers of the body as they came.
    let headers: (protected: CBORItem, unprotected: CBORItem)

    /// - Parameter item: the array, or tag 98 on it.
    package init(_ item: CBORItem) throws(COSEError) {
        let content = try COSESign1.untagged(item, COSESign.tag)
        let parts = try CBORItem.cose { () throws(CBORError) in
            try content.array { rest throws(CBORError) in
                (
                    protected: try rest.take(), unprotected: try rest.take(), payload: try rest.take(),
                    signatures: try rest.take().require(\.elements)
                )
            }
        }
        header = try COSEHeader(protected: parts.protected, unprotected: parts.unprotected)
        headers = (parts.protected, parts.unprotected)
        payload = try COSESign1.attached(parts.payload)
        guard parts.signatures.count <= COSESign.mostSignatures else { throw .tooManySignatures }
        guard !parts.signatures.isEmpty else { throw .malformed(content.fault(.missing)) }
        var signatures: [Signature] = []
        for element in parts.signatures { signatures.append(try COSESign.signature(element)) }
        self.signatures = signatures
    }

    private static func signature(_ item: CBORItem) throws(COSEError) -> Signature {
        let parts = try CBORItem.cose { () throws(CBORError) in
            try item.array { rest throws(CBORError) in
                (protected: try rest.take(), unprotected: try rest.take(), octets: try rest.take().require(\.bytes))
            }
        }
        return Signature(
            header: try COSEHeader(protected: parts.protected, unprotected: parts.unprotected), octets: parts.octets, item: item)
    }

    /// The `kid` of each signature; nil where it has none.
    package var keyIDs: [[UInt8]?] { signatures.map(\.header.keyID) }

    /// What each signature is worth.
    package func standings(signers: [Signer], externalAAD: [UInt8] = []) throws(COSEError) -> [Standing] {
        var standings: [Standing] = []
        for signature in signatures { standings.append(try standing(of: signature, signers, externalAAD)) }
        return standings
    }

    private func standing(of signature: Signature, _ signers: [Signer], _ externalAAD: [UInt8]) throws(COSEError) -> Standing {
        let positions = signers.indices.filter { signers[$0].keyID == signature.header.keyID }
        guard !positions.isEmpty else { return .unknown }
        guard signature.header.algorithm == .edDSA else { return .invalid }
        let signed = try COSESigned.bytes(body: header, signer: signature.header, externalAAD: externalAAD, payload: payload)
        for position in positions {
            do throws(COSEError) {
                try COSESigned.verify(signature.octets, over: signed, with: signers[position].key, .edDSA)
                return .valid(position)
            } catch {
                continue
            }
        }
        return .invalid
    }

    /// Returns the positions in `signers` of the keys that signed, if they are at least `threshold` different Ed25519 keys.
    ///
    /// A signature by nobody known, with another algorithm, or that does not verify counts for nothing and spoils nothing: anybody can add
    /// one. The same key counts once, however often it signs and under however many names it is pinned.
    package func verify(threshold: Int, signers: [Signer], externalAAD: [UInt8] = []) throws(COSEError) -> [Int] {
        var found: [Int] = []
        for case .valid(let position) in try standings(signers: signers, externalAAD: externalAAD)
        where !found.contains(where: { signers[$0].key == signers[position].key }) {
            found.append(position)
        }
        // A threshold of nothing would be no threshold.
        guard threshold >= 1, found.count >= threshold else { throw .thresholdNotMet }
        return found
    }
}

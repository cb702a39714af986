import CBOR
import Cryptography

/// The two headers of a COSE structure (RFC 9052 section 3), as far as this gate uses them.
package struct COSEHeader {
    /// The contents of the protected header's byte string exactly as received: what is signed. Empty where the map is empty (RFC 9052
    /// section 4.4).
    let protected: [UInt8]
    /// `alg` of the protected header; nil when it is missing there or not one this gate believes. Nobody may choose it from outside the
    /// signature.
    let algorithm: SignatureAlgorithm?
    /// `kid`. From either header: it only points at a key that has to be trusted already.
    package let keyID: [UInt8]?
    /// `x5chain` as received, from either header: a path has to lead to a pinned root. Taken apart only where the key has to come from it.
    private let chain: CBORItem?
    /// `x5t` as received, from either header.
    private let stated: CBORItem?
    /// `typ` (RFC 9596) of the protected header.
    package let type: CBORItem?
    /// `alg` of the protected header as received.
    let statedAlgorithm: CBORItem?
    /// `IV`, from either header.
    let nonce: CBORItem?
    /// Whether there is a `Partial IV` in either header.
    let hasPartialNonce: Bool

    private enum Label {
        static let algorithm: Int64 = 1, critical: Int64 = 2, keyID: Int64 = 4, nonce: Int64 = 5, partialNonce: Int64 = 6,
            type: Int64 = 16
        static let certificates: Int64 = 33, thumbprint: Int64 = 34
    }

    /// Parameters that `crit` may name, because they are always obeyed.
    private static let understood: Set<Int64> = [Label.algorithm, Label.keyID, Label.certificates]
    private static let mostCertificates = 8

    /// - Parameters:
    ///   - protected: the byte string.
    ///   - unprotected: the map.
    ///   - form: of the encoding inside the byte string.
    init(protected: CBORItem, unprotected: CBORItem, form: CBOROptions.Form = .shortest) throws(COSEError) {
        guard let bytes = protected.bytes else { throw .malformed(protected.fault(.wrongType)) }
        guard let outside = unprotected.pairs else { throw .malformed(unprotected.fault(.wrongType)) }
        let inside = try Self.map(bytes, form)
        let covered = inside?.pairs ?? []
        self.protected = covered.isEmpty ? [] : bytes
        try Self.refuseRepeated(covered, outside)
        try Self.checkCritical(inside, unprotected)
        statedAlgorithm = inside?[Label.algorithm]
        algorithm = COSEAlgorithm.algorithm(statedAlgorithm)
        nonce = inside?[Label.nonce] ?? unprotected[Label.nonce]
        hasPartialNonce = (inside?[Label.partialNonce] ?? unprotected[Label.partialNonce]) != nil
        keyID = try Self.keyID(inside?[Label.keyID] ?? unprotected[Label.keyID])
        chain = inside?[Label.certificates] ?? unprotected[Label.certificates]
        stated = inside?[Label.thumbprint] ?? unprotected[Label.thumbprint]
        type = inside?[Label.type]
    }

    package var hasCertificates: Bool { chain != nil }
    package var hasThumbprint: Bool { stated != nil }

    /// The protected map; nil for the empty string that stands for an empty one (RFC 9052 section 3).
    private static func map(_ bytes: [UInt8], _ form: CBOROptions.Form) throws(COSEError) -> CBORItem? {
        guard !bytes.isEmpty else { return nil }
        let options = CBOROptions(form: form, bytes: 256 << 10, depth: 8, items: 1000)
        return try CBORItem.cose { () throws(CBORError) in
            let root = try CBORDocument(parsing: bytes, options: options).root
            guard root.kind == .map else { throw root.fault(.wrongType) }
            return root
        }
    }

    private static func refuseRepeated(_ inside: [CBORPair], _ outside: [CBORPair]) throws(COSEError) {
        var labels: Set<COSELabel> = []
        for pair in inside + outside {
            guard let label = COSELabel(pair.key) else { throw .headerMalformed }
            guard labels.insert(label).inserted else { throw .headerRepeated }
        }
    }

    /// RFC 9052 section 3.1: a list of labels, protected, each of them there and understood.
    private static func checkCritical(_ inside: CBORItem?, _ outside: CBORItem) throws(COSEError) {
        guard outside[Label.critical] == nil else { throw .criticalHeaderRefused }
        guard let critical = inside?[Label.critical] else { return }
        guard let labels = critical.elements, !labels.isEmpty else { throw .criticalHeaderRefused }
        for label in labels {
            guard let number = label.int64, understood.contains(number), inside?[number] != nil else { throw .criticalHeaderRefused }
        }
    }

    private static func keyID(_ value: CBORItem?) throws(COSEError) -> [UInt8]? {
        guard let value else { return nil }
        guard let bytes = value.bytes else { throw .headerMalformed }
        return bytes
    }

    /// `x5chain` (RFC 9360 section 2): DER certificates, leaf first; none when absent. One certificate is a byte string, or in an array:
    /// RFC 9360 wants two there, ISO mdocs have one too. Throws `headerMalformed`.
    package func certificates() throws(COSEError) -> [[UInt8]] {
        guard let chain else { return [] }
        if let one = chain.bytes { return [one] }
        guard let elements = chain.elements, (1...Self.mostCertificates).contains(elements.count) else { throw .headerMalformed }
        var certificates: [[UInt8]] = []
        for element in elements {
            guard let der = element.bytes else { throw .headerMalformed }
            certificates.append(der)
        }
        return certificates
    }
}

/// The digest of a certificate (RFC 9360 section 2, `COSE_CertHash`).
package struct CertificateThumbprint: Hashable, Sendable {
    let algorithm: DigestAlgorithm
    let digest: [UInt8]

    /// Those of RFC 9054 that are not cut short.
    private static let algorithms: [(number: Int64, algorithm: DigestAlgorithm)] = [(-16, .sha256), (-43, .sha384), (-44, .sha512)]

    fileprivate init(_ item: CBORItem) throws(COSEError) {
        // MOSIP's key manager writes SHA-256 alone, without its number. It turns away from a chain, or names a pinned certificate;
        // the signature is checked all the same.
        if let digest = item.bytes, digest.count == DigestAlgorithm.sha256.byteCount {
            (algorithm, self.digest) = (.sha256, digest)
            return
        }
        guard let parts = item.elements, parts.count == 2, let digest = parts[1].bytes,
            let known = CertificateThumbprint.algorithms.first(where: { $0.number == parts[0].int64 }),
            digest.count == known.algorithm.byteCount
        else { throw .headerMalformed }
        (algorithm, self.digest) = (known.algorithm, digest)
    }

    /// - Parameter certificate: DER.
    package func isOf(_ certificate: [UInt8]) -> Bool {
        (try? Digest.hash(certificate.span, algorithm)) == digest
    }
}

extension COSEHeader {
    /// `x5t`: nil when absent. Throws `headerMalformed`, also for a digest that this gate does not compute.
    package func thumbprint() throws(COSEError) -> CertificateThumbprint? {
        guard let stated else { return nil }
        return try CertificateThumbprint(stated)
    }
}

/// A label is an integer or a text (RFC 9052 section 1.5), the same one however long its head is.
private enum COSELabel: Hashable {
    case number(Int64)
    case text([UInt8])

    init?(_ item: CBORItem) {
        if let number = item.int64 {
            self = .number(number)
        } else if let text = item.textBytes {
            self = .text(text)
        } else {
            return nil
        }
    }
}

/// The algorithms of COSE signatures this gate believes, by their numbers (RFC 9053 section 2, RFC 9864). No entry, no signature.
package enum COSEAlgorithm {
    /// ES256, ES384 and EdDSA leave the curve to the key; here each has one only, so that the numbers of RFC 9864, which name it, mean the
    /// same.
    private static let numbers: [(Int64, SignatureAlgorithm)] = [
        (-7, .es256), (-8, .edDSA), (-35, .es384), (-9, .es256), (-19, .edDSA), (-51, .es384),
    ]

    /// The algorithm an `alg` parameter names; nil for every other number and for texts.
    static func algorithm(_ value: CBORItem?) -> SignatureAlgorithm? {
        guard let number = value?.int64 else { return nil }
        return numbers.first { $0.0 == number }?.1
    }
}

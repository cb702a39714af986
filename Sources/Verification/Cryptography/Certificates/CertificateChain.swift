/// A path from a certificate to a pinned root that held at a given time (RFC 5280 section 6). Its existence is the
/// proof: there is no other way to get one than through `init`, which verifies.
///
/// No system store, no fetching, no revocation lists. What a certificate may be used for the caller says as extended key usages; the key
/// usage of the leaf is the caller's to check.
public struct CertificateChain: Sendable {
    /// The leaf's key.
    public let publicKey: PublicKey
    /// The leaf's DNS names.
    public let dnsNames: [String]
    /// The leaf's URIs.
    public let uris: [String]
    /// The leaf's validity in seconds since 1970, both ends inclusive.
    public let validity: ClosedRange<Int64>
    /// The leaf itself, for what a profile asks beyond this (key usage, names).
    public let leaf: Certificate
    /// Which of the roots given ended the path.
    public let rootIndex: Int

    /// Most intermediates accepted, used or not.
    public static let mostIntermediates = 6

    /// Verifies `leaf` through `intermediates` to one of `roots` at `time`, in seconds since 1970.
    ///
    /// A root is whatever was pinned: it need not be self-signed, and a pinned leaf is its own path. Keys and digests
    /// below 112 bits of security are refused anywhere in the path.
    ///
    /// - Parameter usages: extended key usages as dotted identifiers, one of which the leaf and every intermediate must have that has the
    ///   extension at all (RFC 5280 section 4.2.1.12). A root above the leaf is an input (section 6.1.1): nobody asks it what it is for.
    ///
    /// Throws the certificate cases of `CryptographyError`, and those of `PublicKey` for the leaf's key.
    public init(
        leaf: Certificate, intermediates: [Certificate], roots: [Certificate], usages: [String], at time: Int64
    ) throws(CryptographyError) {
        guard intermediates.count <= Self.mostIntermediates else { throw .chainTooLong }
        rootIndex = try Self.findRoot(leaf, intermediates, roots, usages, time)
        publicKey = try leaf.publicKey()
        (dnsNames, uris) = try leaf.alternativeNames()
        validity = try leaf.validity()
        self.leaf = leaf
    }

    /// As above, from DER. The first of `certificates` is the leaf, as in an x5c header (RFC 7515 section 4.1.6).
    public init(
        x5c certificates: [[UInt8]], roots: [Certificate], usages: [String], at time: Int64
    ) throws(CryptographyError) {
        guard let first = certificates.first else { throw .malformedCertificate }
        guard certificates.count <= 1 + Self.mostIntermediates else { throw .chainTooLong }
        let leaf = try Certificate(first.span)
        var intermediates: [Certificate] = []
        for der in certificates.dropFirst() { intermediates.append(try Certificate(der.span)) }
        try self.init(leaf: leaf, intermediates: intermediates, roots: roots, usages: usages, at: time)
    }

    /// Tries each root alone, because libcrypto looks no further than the first root of a fitting name: an authority
    /// that renewed its key would hide behind its old certificate, and so would anyone behind a look-alike.
    private static func findRoot(
        _ leaf: Certificate, _ intermediates: [Certificate], _ roots: [Certificate], _ usages: [String], _ time: Int64
    ) throws(CryptographyError) -> Int {
        var reason = CryptographyError.untrustedRoot
        for (index, root) in roots.enumerated() {
            do throws(CryptographyError) {
                let path = try CertificatePath(leaf: leaf, intermediates: intermediates, root: root, time: time)
                try path.verify(usages: usages)
                return index
            } catch {
                reason = moreTelling(reason, error)
            }
        }
        throw reason
    }

    /// Of several roots' refusals, the one that says most: that a root is not this path's says nothing, and a signature
    /// that fails under a root of the right name says only that there is another root of that name.
    private static func moreTelling(_ first: CryptographyError, _ second: CryptographyError) -> CryptographyError {
        func weight(_ error: CryptographyError) -> Int {
            switch error {
            case .untrustedRoot: 0
            case .badCertificateSignature: 1
            default: 2
            }
        }
        return weight(second) > weight(first) ? second : first
    }
}

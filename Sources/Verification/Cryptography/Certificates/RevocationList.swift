import COpenSSL

/// A certificate revocation list, version 2, parsed (RFC 5280 section 5). It is only what it says about itself: `isIssued(by:)` tells whose
/// it is.
public struct RevocationList: Sendable {
    /// Longest list accepted, in octets: 20,000 entries of fifty. Issuing authorities of mdocs revoke signers, and have few of them.
    public static let longest = 1 << 20

    let storage: RevocationListStorage
    /// `thisUpdate`, in seconds since 1970.
    public let issued: Int64
    /// `nextUpdate`, in seconds since 1970, where the list has one.
    public let next: Int64?

    /// Parses DER. Throws `malformedCertificate`, also for octets left over and for a list of version 1.
    public init(_ der: Span<UInt8>) throws(CryptographyError) {
        guard !der.isEmpty, der.count <= Self.longest else { throw .malformedCertificate }
        _ = Library.shared
        let (list, consumed) = der.withUnsafeBufferPointer { buffer -> (OpaquePointer?, Int) in
            var cursor = buffer.baseAddress
            let list = d2i_X509_CRL(nil, &cursor, buffer.count)
            let consumed = cursor.flatMap { end in buffer.baseAddress.map { end - $0 } } ?? 0
            return (list, consumed)
        }
        guard let list else { throw Library.failure(.malformedCertificate) }
        storage = RevocationListStorage(list)
        guard consumed == der.count, X509_CRL_get_version(list) == 1, let issued = Certificate.seconds(X509_CRL_get0_lastUpdate(list))
        else {
            throw Library.failure(.malformedCertificate)
        }
        self.issued = issued
        guard let update = X509_CRL_get0_nextUpdate(list) else {
            next = nil
            return
        }
        guard let last = Certificate.seconds(update) else { throw Library.failure(.malformedCertificate) }
        next = last
    }
}

/// Owns one reference to libcrypto's list.
///
/// libcrypto sorts its entries on the first question, under a lock of its own, so sharing it between threads is safe.
final class RevocationListStorage: @unchecked Sendable {
    let list: OpaquePointer

    /// Takes ownership of `list`.
    init(_ list: OpaquePointer) {
        self.list = list
    }

    deinit {
        X509_CRL_free(list)
    }
}

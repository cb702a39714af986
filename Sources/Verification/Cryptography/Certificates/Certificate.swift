import COpenSSL

/// One parsed X.509 certificate (RFC 5280). It is only what it says about itself: `CertificateChain` decides whether
/// to believe it.
public struct Certificate: Sendable {
    /// Longest certificate accepted, in bytes.
    public static let longest = 32 * 1024

    let storage: CertificateStorage

    /// Parses DER. Throws `malformedCertificate`.
    public init(_ der: Span<UInt8>) throws(CryptographyError) {
        try self.init(unread: der)
        // Extensions are parsed late: one that does not parse must not wait until someone asks for it.
        guard hasReadableExtensions else { throw Library.failure(.malformedCertificate) }
    }

    /// Whether the extensions that libcrypto knows are each there once and parse.
    public var hasReadableExtensions: Bool { X509_get_extension_flags(storage.certificate) & UInt32(EXFLAG_INVALID) == 0 }

    /// Parses DER, but for what is in the extensions: whoever asks for one asks `hasReadableExtensions` first.
    /// Throws `malformedCertificate`.
    public init(unread der: Span<UInt8>) throws(CryptographyError) {
        guard !der.isEmpty, der.count <= Self.longest else { throw .malformedCertificate }
        _ = Library.shared
        let (certificate, consumed) = der.withUnsafeBufferPointer { buffer -> (OpaquePointer?, Int) in
            var cursor = buffer.baseAddress
            let certificate = d2i_X509(nil, &cursor, buffer.count)
            let consumed = cursor.flatMap { end in buffer.baseAddress.map { end - $0 } } ?? 0
            return (certificate, consumed)
        }
        guard let certificate else { throw Library.failure(.malformedCertificate) }
        storage = CertificateStorage(certificate)
        guard consumed == der.count else { throw .malformedCertificate }
    }

    /// The subject's key, checked as every `PublicKey`. Throws `malformedKey`, `unsupportedKey`, `keySizeRefused`.
    public func publicKey() throws(CryptographyError) -> PublicKey {
        guard let key = X509_get0_pubkey(storage.certificate), EVP_PKEY_up_ref(key) == 1 else {
            throw Library.failure(.malformedKey)
        }
        return try PublicKey(checking: KeyStorage(key))
    }

    /// The certificate as DER. Throws `unavailable`.
    public func der() throws(CryptographyError) -> [UInt8] {
        let length = i2d_X509(storage.certificate, nil)
        guard length > 0, Int(length) <= Self.longest else { throw Library.failure(.unavailable) }
        var octets = [UInt8](repeating: 0, count: Int(length))
        let written = octets.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return i2d_X509(storage.certificate, &cursor)
        }
        guard written == length else { throw Library.failure(.unavailable) }
        return octets
    }

    /// Validity, both ends inclusive, in seconds since 1970. Throws `malformedCertificate`.
    public func validity() throws(CryptographyError) -> ClosedRange<Int64> {
        guard let first = Self.seconds(X509_get0_notBefore(storage.certificate)),
            let last = Self.seconds(X509_get0_notAfter(storage.certificate)), first <= last
        else { throw Library.failure(.malformedCertificate) }
        return first...last
    }

    /// The DNS names and URIs of the subject's alternative names, in order, as UTF-8 text.
    /// Throws `malformedCertificate` also for a name with bytes outside printable ASCII (an embedded NUL, say).
    public func alternativeNames() throws(CryptographyError) -> (dns: [String], uris: [String]) {
        var critical: Int32 = 0
        let found = X509_get_ext_d2i(storage.certificate, NID_subject_alt_name, &critical, nil)
        guard let found else {
            // -1 is "there is none"; anything else is one that does not parse, or two of them.
            guard critical == -1 else { throw Library.failure(.malformedCertificate) }
            return ([], [])
        }
        let names = OpaquePointer(found)
        defer { GENERAL_NAMES_free(names) }
        var dns: [String] = []
        var uris: [String] = []
        for index in 0..<gatehouse_names_count(names) {
            var kind: Int32 = 0
            var length: Int32 = 0
            guard let start = gatehouse_name_text(names, index, &kind, &length) else { continue }
            let bytes = UnsafeBufferPointer(start: start, count: max(0, Int(length)))
            guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .malformedCertificate }
            let text = String(decoding: bytes, as: UTF8.self)
            if kind == GEN_DNS { dns.append(text) } else { uris.append(text) }
        }
        return (dns, uris)
    }

    /// Seconds since 1970 of a certificate's or a list's time; nil for one that is none.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Calendar.seconds(
            year: Int64(parts.tm_year) + 1900, month: Int64(parts.tm_mon) + 1, day: Int64(parts.tm_mday),
            hour: Int64(parts.tm_hour), minute: Int64(parts.tm_min), second: Int64(parts.tm_sec))
    }
}

/// Owns one reference to libcrypto's certificate object.
///
/// libcrypto fills caches inside it on first use, under a lock of its own, so sharing it between threads is safe.
final class CertificateStorage: @unchecked Sendable {
    let certificate: OpaquePointer

    /// Takes ownership of `certificate`.
    init(_ certificate: OpaquePointer) {
        self.certificate = certificate
    }

    deinit {
        X509_free(certificate)
    }
}

/// The proleptic Gregorian calendar in UTC, as far as certificates need it.
enum Calendar {
    /// Seconds since 1970-01-01T00:00:00Z of a date already known to be one.
    static func seconds(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) -> Int64 {
        // Years begin in March here, so that the leap day is a year's last.
        let shifted = month > 2 ? month - 3 : month + 9
        let yearFromMarch = month > 2 ? year : year - 1
        let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfEra = yearFromMarch - era * 400
        let dayOfYear = (153 * shifted + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }
}

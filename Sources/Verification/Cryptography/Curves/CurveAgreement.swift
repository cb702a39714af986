import COpenSSL

/// A key pair for one agreement by ECDH (SEC 1 section 3.3.1), on a curve of the other side's choice (mdoc.md section 3).
///
/// The private half lives in libcrypto's arena, which wipes what is given back.
public struct CurveAgreement: ~Copyable {
    public let curve: NISTCurve
    /// The public half, uncompressed: `04 x y`. It stays when the private half is forgotten.
    public let point: [UInt8]
    private var pair: OpaquePointer?

    /// A fresh pair. Throws `unavailable`, which a random generator without a seed is too.
    public init(_ curve: NISTCurve) throws(CryptographyError) {
        _ = Library.shared
        try self.init(curve, owning: gatehouse_new_ec_key(curve.groupName))
    }

    /// The pair of a known private key, for tests and recorded sessions: a big-endian scalar of exactly `curve.coordinateLength` octets.
    /// Throws `wrongLength`, `malformedKey`, `unavailable`.
    public init(_ curve: NISTCurve, privateKey: Span<UInt8>) throws(CryptographyError) {
        guard privateKey.count == curve.coordinateLength else { throw .wrongLength }
        _ = Library.shared
        let known = privateKey.withUnsafeBufferPointer { gatehouse_ec_private_key(curve.groupName, $0.baseAddress, $0.count) }
        guard let known else { throw Library.failure(.malformedKey) }
        try self.init(curve, owning: known)
    }

    private init(_ curve: NISTCurve, owning pair: OpaquePointer?) throws(CryptographyError) {
        guard let pair else { throw Library.failure(.unavailable) }
        let read: [UInt8]
        do throws(CryptographyError) {
            read = try curve.point(of: pair)
        } catch {
            EVP_PKEY_free(pair)
            throw error
        }
        self.curve = curve
        point = read
        self.pair = pair
    }

    deinit {
        EVP_PKEY_free(pair)
    }

    /// Wipes the private half, as soon as every key of the session is derived.
    public mutating func forget() {
        EVP_PKEY_free(pair)
        pair = nil
    }

    /// The x-coordinate of the shared point, `curve.coordinateLength` octets.
    ///
    /// Throws `algorithmMismatch` for a point of another curve, `keyForgotten`, `malformedKey`, `unavailable`.
    public borrowing func agree(with peer: CurvePoint) throws(CryptographyError) -> Secret {
        guard peer.curve == curve else { throw .algorithmMismatch }
        guard let pair else { throw .keyForgotten }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pair, nil) else { throw Library.failure(.unavailable) }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_derive_init(context) == 1 else { throw Library.failure(.unavailable) }
        guard EVP_PKEY_derive_set_peer(context, peer.storage.key) == 1 else { throw Library.failure(.malformedKey) }
        var secret = try Secret(count: curve.coordinateLength)
        let isDerived = secret.withMutableBytes { buffer in
            var length = buffer.count
            let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return EVP_PKEY_derive(context, start, &length) == 1 && length == buffer.count
        }
        guard isDerived else { throw Library.failure(.unavailable) }
        return secret
    }
}

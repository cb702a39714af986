import COpenSSL

/// The other side's public key of an agreement: a point that was checked to lie on its curve. It never changes, so it can be shared.
public struct CurvePoint: Sendable, Equatable {
    public let curve: NISTCurve
    let storage: KeyStorage

    /// From affine coordinates, big-endian, each exactly `curve.coordinateLength` octets. Throws `wrongLength`, `malformedKey`.
    public init(_ curve: NISTCurve, x: Span<UInt8>, y: Span<UInt8>) throws(CryptographyError) {
        guard x.count == curve.coordinateLength, y.count == curve.coordinateLength else { throw .wrongLength }
        var point: [UInt8] = [0x04]
        point.reserveCapacity(curve.pointLength)
        for index in x.indices { point.append(x[index]) }
        for index in y.indices { point.append(y[index]) }
        try self.init(curve, encoded: point)
    }

    /// From x and whether y is odd, the compressed form. Throws `wrongLength`, `malformedKey`.
    public init(_ curve: NISTCurve, x: Span<UInt8>, isOdd: Bool) throws(CryptographyError) {
        guard x.count == curve.coordinateLength else { throw .wrongLength }
        var point: [UInt8] = [isOdd ? 0x03 : 0x02]
        point.reserveCapacity(1 + x.count)
        for index in x.indices { point.append(x[index]) }
        try self.init(curve, encoded: point)
    }

    private init(_ curve: NISTCurve, encoded point: [UInt8]) throws(CryptographyError) {
        _ = Library.shared
        guard let key = gatehouse_ec_public_key(curve.groupName, point, point.count) else { throw Library.failure(.malformedKey) }
        self.curve = curve
        storage = KeyStorage(key)
        // libcrypto checks while it reads the point; the second look costs little and does not depend on it.
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { throw Library.failure(.unavailable) }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_public_check_quick(context) == 1 else { throw Library.failure(.malformedKey) }
    }

    /// Whether both are the same point, whatever form they came in.
    public static func == (left: CurvePoint, right: CurvePoint) -> Bool {
        left.curve == right.curve && EVP_PKEY_eq(left.storage.key, right.storage.key) == 1
    }
}

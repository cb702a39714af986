import CBOR
import Cryptography

/// The public keys of a session as COSE_Key (RFC 9052 section 7, RFC 9053 section 7.1; mdoc.md sections 1 and 3).
enum SessionKey {
    private enum Label {
        static let type: Int64 = 1
        static let curve: Int64 = -1, x: Int64 = -2, y: Int64 = -3, secret: Int64 = -4
    }

    /// "Elliptic Curve Keys w/ x- and y-coordinate pair" (RFC 9053 table 17).
    private static let twoCoordinates: Int64 = 2
    /// A key has half a dozen members; whoever writes more has no key in mind.
    private static let options = CBOROptions(form: .wellFormed, allowsIndefinite: true, bytes: 1024, depth: 4, items: 64)

    /// The point of a COSE_Key in its octets, `y` whole or as a sign. Throws `unsupportedCurve`, `badKey`.
    static func decode(_ octets: [UInt8]) throws(EngagementError) -> CurvePoint {
        guard let key = try? CBORDocument(parsing: octets, options: options).root, key.kind == .map else { throw .badKey }
        guard let type = key[Label.type], let curve = key[Label.curve] else { throw .badKey }
        guard type.int64 == twoCoordinates, let known = NISTCurve.allCases.first(where: { $0.identifier == curve.int64 }) else {
            throw .unsupportedCurve
        }
        // With its private half in the code everybody who sees the screen can read the session.
        guard key[Label.secret] == nil, let x = key[Label.x]?.bytes, let y = key[Label.y] else { throw .badKey }
        do throws(CryptographyError) {
            if let isOdd = y.bool { return try CurvePoint(known, x: x.span, isOdd: isOdd) }
            guard let y = y.bytes else { throw .malformedKey }
            return try CurvePoint(known, x: x.span, y: y.span)
        } catch {
            throw .badKey
        }
    }

    /// COSE_Key of an uncompressed point `04 x y`, with its members in the standard's order and none besides.
    static func encode(_ curve: NISTCurve, point: [UInt8]) -> [UInt8] {
        let x = point.dropFirst().prefix(curve.coordinateLength), y = point.suffix(curve.coordinateLength)
        return CBOREncoding.map([
            (CBOREncoding.integer(Label.type), CBOREncoding.integer(twoCoordinates)),
            (CBOREncoding.integer(Label.curve), CBOREncoding.integer(curve.identifier)),
            (CBOREncoding.integer(Label.x), CBOREncoding.bytes(x)),
            (CBOREncoding.integer(Label.y), CBOREncoding.bytes(y)),
        ])
    }
}

extension NISTCurve {
    /// The number of the curve (RFC 9053 table 18).
    var identifier: Int64 {
        switch self {
        case .p256: 1
        case .p384: 2
        case .p521: 3
        }
    }

    /// The number of ECDSA with this curve's digest (RFC 9053 table 1).
    var signatureAlgorithm: Int64 {
        switch self {
        case .p256: -7
        case .p384: -35
        case .p521: -36
        }
    }
}

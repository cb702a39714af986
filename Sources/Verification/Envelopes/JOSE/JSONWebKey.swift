import Cryptography
import JSON

/// A public key as RFC 7517 writes it; RFC 7518 section 6, RFC 8037 section 2, RFC 8812 section 3.
package struct JSONWebKey {
    package static let publicMembers: Set<String> = ["kty", "crv", "x", "y", "n", "e", "kid", "use", "alg"]
    /// RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1.
    package static let secretMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    package let key: PublicKey
    /// The one algorithm the key is meant for, where it says so (RFC 7517 section 4.4).
    package let algorithm: SignatureAlgorithm?

    /// Nil when a component is missing, malformed or not of a key this gate verifies with, and for a key that is not meant to verify
    /// signatures. Members without a part in that are not looked at.
    package init?(_ value: JSONValue) {
        guard let key = Self.publicKey(value) else { return nil }
        if let use = value["use"], !use.isString("sig") { return nil }
        if let operations = value["key_ops"] {
            guard let elements = operations.elements, elements.contains(where: { $0.isString("verify") }) else { return nil }
        }
        if let name = value["alg"] {
            guard let stated = JOSEAlgorithm.algorithm(name), stated.fits(key.kind) else { return nil }
            algorithm = stated
        } else {
            algorithm = nil
        }
        self.key = key
    }

    private static func publicKey(_ value: JSONValue) -> PublicKey? {
        guard let type = value["kty"] else { return nil }
        if type.isString("EC") {
            guard let curve = curve(value["crv"]), let x = octets(value["x"]), let y = octets(value["y"]) else { return nil }
            return try? PublicKey(curve: curve, x: x.span, y: y.span)
        }
        if type.isString("OKP") {
            guard value["crv"]?.isString("Ed25519") == true, let x = octets(value["x"]) else { return nil }
            return try? PublicKey(ed25519: x.span)
        }
        if type.isString("RSA") {
            guard let modulus = octets(value["n"]), let exponent = octets(value["e"]) else { return nil }
            return try? PublicKey(rsaModulus: modulus.span, exponent: exponent.span)
        }
        return nil
    }

    private static func curve(_ name: JSONValue?) -> EllipticCurve? {
        EllipticCurve.allCases.first { name?.isString(Self.name(of: $0)) == true }
    }

    /// `crv` of a curve.
    fileprivate static func name(of curve: EllipticCurve) -> String {
        switch curve {
        case .p256: "P-256"
        case .p384: "P-384"
        case .secp256k1: "secp256k1"
        }
    }

    private static func octets(_ value: JSONValue?) -> [UInt8]? {
        guard let text = value?.string else { return nil }
        return Base64.decode(text)
    }
}

extension PublicKey {
    /// Writes the key as RFC 7517 has it: an Ed25519 key, or one of an elliptic curve whose point is not compressed. Throws
    /// `unsupportedKey` for others, before anything is written.
    package func writeJWK(to writer: inout JSONWriter) throws(CryptographyError) {
        let point = try point()
        func text(_ octets: ArraySlice<UInt8>) -> String { String(decoding: Base64.encodeURL(Array(octets)), as: UTF8.self) }
        if case .ed25519 = kind {
            writer.object { writer in
                writer.member("kty", "OKP")
                writer.member("crv", "Ed25519")
                writer.member("x", text(point[...]))
            }
            return
        }
        guard let curve, point.first == 0x04, point.count == 1 + 2 * curve.coordinateLength else { throw .unsupportedKey }
        let coordinates = point.dropFirst()
        writer.object { writer in
            writer.member("kty", "EC")
            writer.member("crv", JSONWebKey.name(of: curve))
            writer.member("x", text(coordinates.prefix(curve.coordinateLength)))
            writer.member("y", text(coordinates.suffix(curve.coordinateLength)))
        }
    }
}

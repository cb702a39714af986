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
        let names: [(String, EllipticCurve)] = [("P-256", .p256), ("P-384", .p384), ("secp256k1", .secp256k1)]
        return names.first { name?.isString($0.0) == true }?.1
    }

    private static func octets(_ value: JSONValue?) -> [UInt8]? {
        guard let text = value?.string else { return nil }
        return Base64.decode(text)
    }
}

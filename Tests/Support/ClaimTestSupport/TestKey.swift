import Cryptography
import Envelopes
import Foundation

/// A key pair made for one test.
package struct TestKey {
    package let curve: NISTCurve
    package let signing: CurveSigningKey
    /// SubjectPublicKeyInfo.
    package let info: [UInt8]

    package init(_ curve: NISTCurve = .p256) throws {
        let pair = try CurveKeyPair(curve)
        let pem = try pair.privatePEM()
        signing = try pem.withBytes { (text) throws(CryptographyError) in try CurveSigningKey(pem: text) }
        info = try pair.subjectPublicKeyInfo()
        self.curve = curve
    }

    /// A pair that is the same in every run, from PKCS #8 and SubjectPublicKeyInfo in base64.
    package init(pkcs8: String, info: String) throws {
        let pem = Array("-----BEGIN PRIVATE KEY-----\n\(pkcs8)\n-----END PRIVATE KEY-----\n".utf8)
        signing = try CurveSigningKey(pem: pem.span)
        self.info = Base64.decode(info, alphabet: .standard) ?? []
        curve = .p256
    }

    /// X and Y.
    package var coordinates: [UInt8] { Array(info.suffix(2 * curve.coordinateLength)) }

    package var x: String { String(decoding: Base64.encodeURL(Array(coordinates.prefix(curve.coordinateLength))), as: UTF8.self) }
    package var y: String { String(decoding: Base64.encodeURL(Array(coordinates.suffix(curve.coordinateLength))), as: UTF8.self) }

    /// As JSON, with the members that are given in place of its own; nil takes one away.
    package func jwk(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String?] = ["kty": #""EC""#, "crv": #""P-256""#, "x": "\"\(x)\"", "y": "\"\(y)\""]
        for (name, value) in changes { members[name] = value }
        return "{"
            + members.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
            + "}"
    }

    /// The key's name in a list of what is revoked, by the specification's words.
    package func address() throws -> String { "0x" + Hexadecimal.text(try Digest.hash(coordinates.span, .sha256)).suffix(40) }

    package func sign(_ message: [UInt8]) throws -> [UInt8] { try signing.sign(message.span) }

    /// header.payload.signature
    package func token(header: String, payload: [UInt8]) throws -> String {
        let signed = Base64.encodeURL(Array(header.utf8)) + [UInt8(ascii: ".")] + Base64.encodeURL(payload)
        return String(decoding: signed + [UInt8(ascii: ".")] + Base64.encodeURL(try sign(signed)), as: UTF8.self)
    }
}

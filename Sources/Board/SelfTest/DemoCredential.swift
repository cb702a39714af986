import Cryptography

/// A demo issuer whose key is made at start, and a credential of its with a portrait of any size, as Inji Wallet wraps it.
public struct DemoCredential {
    /// A trust file that believes the issuer, and nobody else.
    public let trust: [UInt8]
    public let text: [UInt8]
    /// The same, signed in the same way, for another name than the one it was signed for.
    public let tampered: [UInt8]

    /// - Parameters:
    ///   - portrait: octets of the photo, which is no picture.
    ///   - time: of issuing, in seconds since 1970. It is valid for 70 years.
    public init(portrait: Int, at time: Int64 = 1_700_000_000) throws {
        let key = try SigningKey(seed: Secret(randomCount: 32))
        trust = Array(
            """
            {"gatehouse-trust":1,"ids":["https://demo.example"],
             "keys":[{"kid":"demo","jwk":\(Self.jwk(of: key))}],
             "forms":["sd_jwt"],"algorithms":["EdDSA"],"types":["urn:demo:id"]}
            """.utf8)
        let header = #"{"alg":"EdDSA","typ":"dc+sd-jwt","kid":"demo"}"#
        // Letters that do not repeat early, as a photo's would not.
        var state: UInt32 = 1
        let photo = String(
            decoding: (0..<portrait).map { _ -> UInt8 in
                state = state &* 1_664_525 &+ 1_013_904_223
                return 0x41 + UInt8(state >> 24) % 26
            }, as: UTF8.self)
        func signed(name: String) -> String {
            let times = #""iat":\#(time),"exp":\#(time + 2_200_000_000)"#
            let payload =
                #"{"iss":"https://demo.example","vct":"urn:demo:id",\#(times),"name":"\#(name)","portrait":"data:image/jpeg;base64,\#(photo)"}"#
            return Self.base64URL(Array(header.utf8)) + "." + Self.base64URL(Array(payload.utf8))
        }
        let octets = Array(signed(name: "Demo").utf8)
        let signature = Self.base64URL(try key.sign(octets.span))
        text = Self.wrapped(signed(name: "Demo") + "." + signature + "~")
        tampered = Self.wrapped(signed(name: "Omed") + "." + signature + "~")
    }

    /// The public half of a key, as trust files and root files name it.
    public static func jwk(of key: borrowing SigningKey) -> String {
        let key = key.publicKey
        let point = (0..<32).map { key[$0] }
        return #"{"kty":"OKP","crv":"Ed25519","x":"\#(base64URL(point))"}"#
    }

    private static func wrapped(_ token: String) -> [UInt8] {
        Array(
            #"{"vcMetadata":{"format":"vc+sd-jwt","isVerified":true},"verifiableCredential":{"credential":"\#(token)"},"generatedOn":null}"#
                .utf8)
    }

    private static func base64URL(_ octets: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: octets.count, by: 3) {
            let group = octets[start..<min(start + 3, octets.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for digit in 0...group.count { text.append(digits[Int(bits >> UInt32(18 - 6 * digit)) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

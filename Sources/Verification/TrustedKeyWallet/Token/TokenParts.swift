import Envelopes
import JSON

/// A compact JWS taken apart (RFC 7515 section 7.1), of any algorithm: `CompactJWS` refuses those with a shared key, which one of the two
/// envelopes of a wallet's call has.
struct TokenParts {
    let header: JSONValue
    let payload: [UInt8]
    let signature: [UInt8]
    /// The first two parts and their dot, exactly as received: what is signed.
    let signed: ArraySlice<UInt8>

    /// Octets of the longest token, and with that of each part.
    static let longest = 8 << 10
    /// Any JSON that fits into a token, but for its depth.
    static let limits = JSONLimits(bytes: longest, depth: 32, nodes: longest)

    /// Nil for what is not three parts in base64url, and where the first is no JSON object or asks for an extension.
    init?(_ text: ArraySlice<UInt8>, longest: Int = TokenParts.longest) {
        guard text.count <= longest, let parts = text.separated(by: UInt8(ascii: "."), most: 3), parts.count == 3,
            parts.allSatisfy({ !$0.isEmpty }), let header = Base64.decode(parts[0]), let payload = Base64.decode(parts[1]),
            let signature = Base64.decode(parts[2]), let document = try? JSONDocument(parsing: header, limits: Self.limits),
            document.root.kind == .object, document.root["crit"] == nil
        else { return nil }
        self.header = document.root
        self.payload = payload
        self.signature = signature
        signed = text[text.startIndex..<parts[1].endIndex]
    }

    /// The payload as a JSON object; nil where it is none.
    func claims() -> JSONValue? {
        guard let document = try? JSONDocument(parsing: payload, limits: Self.limits), document.root.kind == .object else { return nil }
        return document.root
    }
}

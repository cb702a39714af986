import Envelopes
import JSON

/// One audit record as a webhook (Standard Webhooks 1.0): a body of JSON, and the three headers that sign it.
public struct WebhookMessage: Hashable, Sendable {
    /// `GATE-SEQ-ID`: the same for each attempt, so that a receiver sees what it had before, and for no other record.
    public let identifier: String
    public let body: [UInt8]

    /// Nil for a gate or an identity that no identifier can have: what is signed has full stops of its own between its parts.
    ///
    /// - Parameters:
    ///   - record: of the feed: an audit record, whole or shortened, or a count of them, which has the number of the last.
    ///   - line: what of it leaves the gate, as an object of JSON.
    ///   - identity: of that record: a number may come again for another one.
    public init?(_ record: JSONValue, line: [UInt8], gate: String, identity: String) {
        guard let sequence = (record["seq"] ?? record["to"])?.int64, sequence > 0, Self.isName(gate), Self.isName(identity)
        else { return nil }
        identifier = "\(gate)-\(sequence)-\(identity)"
        let event = record["event"]?.string.flatMap { Self.isName($0) ? $0 : nil } ?? "record"
        let time = (record["at"] ?? record["since"])?.int64.flatMap(Timestamp.text) ?? "1970-01-01T00:00:00Z"
        body = Array(#"{"type":"gatehouse.\#(event)","timestamp":"\#(time)","gate":"\#(gate)","data":"#.utf8) + line + [UInt8(ascii: "}")]
    }

    /// Letters, digits, `-` and `_`, up to 64.
    private static func isName(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F
            }
    }

    /// The headers of an attempt.
    ///
    /// - Parameter time: seconds since 1970 of the attempt: receivers refuse what is older than five minutes.
    public func headers(at time: Int64, by secret: WebhookSecret) throws(WebhookSecretError) -> [String] {
        let signatures = try secret.signatures(of: Array("\(identifier).\(time).".utf8) + body)
        return ["webhook-id: \(identifier)", "webhook-timestamp: \(time)", "webhook-signature: \(signatures)"]
    }
}

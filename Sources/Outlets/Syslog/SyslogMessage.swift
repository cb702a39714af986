import Envelopes
import JSON

/// One audit record as a syslog message (RFC 5424), and its frame on a stream (RFC 5425 section 4.3):
/// `LEN <110>1 2027-01-15T08:00:07Z GATE gatehouse - visit [gatehouse@PEN seq="1" outcome="accepted"] {line}`.
public struct SyslogMessage: Sendable {
    /// Who sends, as the header has it.
    public struct Sender: Hashable, Sendable {
        /// HOSTNAME: printable ASCII without spaces, up to 255 octets.
        public let host: String
        /// Private enterprise number of whoever defines the structured data. 32473 is for documents (RFC 5612).
        public let enterprise: UInt32

        public static let documentation: UInt32 = 32_473
        static let longestHost = 255

        /// Nil for a host that no header can have.
        public init?(host: String, enterprise: UInt32 = Sender.documentation) {
            guard 1...Self.longestHost ~= host.utf8.count, host.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), enterprise > 0 else { return nil }
            (self.host, self.enterprise) = (host, enterprise)
        }
    }

    /// From the angle bracket to the last octet.
    public let octets: [UInt8]

    /// - Parameters:
    ///   - record: of the feed: an audit record, whole or shortened, or a count of them.
    ///   - line: the text of the message: what of the record leaves the gate, one line of JSON in UTF-8.
    public init(_ record: JSONValue, line: [UInt8], from sender: Sender) {
        let time = (record["at"] ?? record["since"])?.int64.flatMap(Timestamp.text) ?? "-"
        let head = "<\(SyslogSeverity(record).priority)>1 \(time) \(sender.host) gatehouse - \(Self.identifier(record)) "
        var octets = Array(head.utf8)
        octets.append(contentsOf: "[gatehouse@\(sender.enterprise)".utf8)
        for (name, value) in Self.parameters(of: record) {
            octets.append(contentsOf: " \(name)=\"".utf8)
            for octet in value.utf8 {
                // RFC 5424 section 6.3.3: these three and no others.
                if [0x22, 0x5C, 0x5D].contains(octet) { octets.append(0x5C) }
                octets.append(octet)
            }
            octets.append(0x22)
        }
        octets.append(contentsOf: "] ".utf8)
        self.octets = octets + line
    }

    /// The message with its length before it, in octets.
    public var frame: [UInt8] { Array("\(octets.count) ".utf8) + octets }

    /// MSGID: the event, which is one of a few codes.
    private static func identifier(_ record: JSONValue) -> String {
        guard let event = record["event"]?.string, 1...32 ~= event.utf8.count, event.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return "-" }
        return event
    }

    /// What a receiver may want to sort by without reading JSON.
    private static func parameters(of record: JSONValue) -> [(String, String)] {
        var parameters: [(String, String)] = []
        // What stands for many records has the number of the last of them.
        if let sequence = (record["seq"] ?? record["to"])?.int64 { parameters.append(("seq", "\(sequence)")) }
        for name in ["outcome", "form", "what"] {
            if let code = record[name]?.string { parameters.append((name, code)) }
        }
        if var reasons = record["reasons"]?.elements, let reason = reasons.next()?.string { parameters.append(("reason", reason)) }
        return parameters
    }
}

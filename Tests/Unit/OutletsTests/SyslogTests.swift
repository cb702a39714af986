import JSON
import Testing

@testable import Syslog

@Suite("Records as syslog messages (RFC 5424, RFC 5425)")
struct SyslogTests {
    private func message(_ line: String, host: String = "EAST", enterprise: UInt32 = 32_473) throws -> String {
        let sender = try #require(SyslogMessage.Sender(host: host, enterprise: enterprise))
        return String(decoding: SyslogMessage(try Records.parse(line), line: Array(line.utf8), from: sender).octets, as: UTF8.self)
    }

    @Test("a visit's message, octet for octet")
    func visit() throws {
        let line = Records.line(7, "visit", Records.accepted)
        let head = "<110>1 2027-01-15T08:00:07Z EAST gatehouse - visit [gatehouse@32473 seq=\"7\" outcome=\"accepted\" form=\"sd_jwt\"]"
        #expect(try message(line) == "\(head) \(line)")
        let rejected = Records.line(8, "visit", Records.rejected)
        let beginning = "<109>1 2027-01-15T08:00:07Z EAST gatehouse - visit [gatehouse@32473 seq=\"8\" outcome=\"rejected\""
        #expect(try message(rejected).hasPrefix(beginning))
        #expect(try message(rejected).contains(#"reason="expired"] {"#))
    }

    @Test("a frame's length is that of its octets, not of its characters")
    func frame() throws {
        let line = Records.line(7, "visit", #","outcome":"failed","note":"é""#)
        let sender = try #require(SyslogMessage.Sender(host: "EAST"))
        let message = SyslogMessage(try Records.parse(line), line: Array(line.utf8), from: sender)
        let parts = message.frame.split(separator: 0x20, maxSplits: 1)
        #expect(Int(String(decoding: parts[0], as: UTF8.self)) == message.octets.count)
        #expect(parts[1].elementsEqual(message.octets))
        #expect(message.octets.count == String(decoding: message.octets, as: UTF8.self).count + 1)
    }

    @Test(
        "what an operator should look at is an error",
        arguments: [
            ("visit", #","outcome":"controller-fault""#, 107), ("visit", #","outcome":"left""#, 110), ("repaired", "", 107),
            ("void", #","of":3"#, 107), ("segment", #","segment":2"#, 110), ("segment", #","segment":2,"damaged":1"#, 107),
            ("dropped", #","exported":true"#, 110), ("dropped", #","exported":false"#, 107), ("door", #","what":"opened""#, 110),
            ("door", #","what":"forced""#, 107), ("started", "", 110), ("unheard-of", "", 110),
        ])
    func severity(_ event: String, _ members: String, _ priority: Int) throws {
        #expect(try message(Records.line(1, event, members)).hasPrefix("<\(priority)>1 "))
    }

    @Test("what a record says cannot leave its place in the header")
    func hostile() throws {
        let line = Records.line(1, "visit", #","outcome":"a\"]\\b","form":"x y""#)
        #expect(try message(line).contains(#"outcome="a\"\]\\b" form="x y"] {"#))
        #expect(try message(Records.line(1, "a b")).contains(" gatehouse - - [gatehouse@32473 seq=\"1\"] {"))
        #expect(try message(Records.line(1, String(repeating: "a", count: 33))).contains(" gatehouse - - ["))
        #expect(try message(Records.line(1, "visit", at: -1)).hasPrefix("<110>1 - EAST "))
        for host in ["", "a b", "a\n", "é", String(repeating: "a", count: 256)] {
            #expect(SyslogMessage.Sender(host: host) == nil, "\(host)")
        }
        #expect(SyslogMessage.Sender(host: "EAST", enterprise: 0) == nil)
    }
}

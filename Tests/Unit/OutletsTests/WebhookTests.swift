import JSON
import Testing

@testable import Webhook

@Suite("Records as webhooks (Standard Webhooks 1.0)")
struct WebhookTests {
    /// The key of the specification's own example.
    private static let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func secret(_ text: String) throws -> WebhookSecret { try WebhookSecret(Array(text.utf8)) }

    @Test("the example of the specification's libraries has their signature")
    func example() throws {
        let message = Array(#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#.utf8)
        #expect(try secret(Self.key).signatures(of: message) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("while a key changes there are two signatures, the newest first")
    func twoKeys() throws {
        let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", message = Array("message".utf8)
        let both = try secret("\(other)\n\(Self.key)\n").signatures(of: message)
        #expect(try both == secret(other).signatures(of: message) + " " + secret(Self.key).signatures(of: message))
    }

    @Test(
        "what is no secret is refused by name",
        arguments: [
            ("", .wrongCount(0)), ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", .noPrefix), ("whsec_?", .notBase64),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", .notBase64), ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLQ==", .wrongLength(22)),
            ("whsec_" + String(repeating: "A", count: 88), .wrongLength(66)), ("whsec_A whsec_A whsec_A", .wrongCount(3)),
        ] as [(String, WebhookSecretError)])
    func secrets(_ text: String, _ error: WebhookSecretError) {
        #expect(throws: error) { try secret(text) }
    }

    @Test("identifier, body and headers")
    func message() throws {
        let line = Records.line(7, "visit", Records.accepted)
        let message = try #require(WebhookMessage(Records.parse(line), line: Array(line.utf8), gate: "10000000abcdef01"))
        #expect(message.identifier == "10000000abcdef01.7")
        let body = try JSONDocument(parsing: message.body).root
        #expect(body["type"]?.string == "gatehouse.visit" && body["timestamp"]?.string == "2027-01-15T08:00:07Z")
        #expect(body["data"]?.source == Array(line.utf8) && body["gate"]?.string == "10000000abcdef01")
        let headers = try message.headers(at: 1_800_000_008, by: secret(Self.key))
        #expect(headers[0] == "webhook-id: 10000000abcdef01.7" && headers[1] == "webhook-timestamp: 1800000008")
        #expect(headers[2].hasPrefix("webhook-signature: v1,") && headers.count == 3)
        for gate in ["", "a.b", "a b", "a\r\nx: y", "é", String(repeating: "a", count: 65)] {
            #expect(WebhookMessage(try Records.parse(line), line: Array(line.utf8), gate: gate) == nil, "\(gate)")
        }
    }

    @Test("pauses grow, and start anew with the next record")
    func pauses() {
        var patience = WebhookPatience(), now: UInt64 = 1000
        for pause in [5, 300, 1800, 7200, 18_000, 36_000, 36_000] as [UInt64] {
            #expect(patience.attempted(.answered(500), at: now) == .again(after: pause))
            now += pause
        }
        #expect(patience.attempted(.answered(204), at: now) == .delivered)
        #expect(patience.attempted(.answered(400), at: now) == .again(after: 5))
        #expect(patience.attempted(.answered(410), at: now) == .stopped)
        for status in [199, 300, 302, 404, 429, 503] {
            var patience = WebhookPatience()
            #expect(patience.attempted(.answered(status), at: 0) == .again(after: 5), "\(status)")
        }
    }

    @Test("a record that is refused for three days is left out; one that nobody answers never is")
    func skipping() {
        var patience = WebhookPatience()
        #expect(patience.attempted(.answered(500), at: 1000) == .again(after: 5))
        #expect(patience.attempted(.answered(500), at: 1000 + WebhookPatience.longest - 1) == .again(after: 300))
        // A clock that fell back is no reason to give up, nor to wait for ever.
        #expect(patience.attempted(.answered(500), at: 0) == .again(after: 1800))
        #expect(patience.attempted(.answered(500), at: 1000 + WebhookPatience.longest) == .skipped)
        #expect(patience == WebhookPatience())
        for day in 0..<30 as Range<UInt64> {
            let next = patience.attempted(.unanswered, at: day * 86_400)
            #expect(next == .again(after: day == 0 ? 5 : day == 1 ? 300 : 1800))
        }
    }
}

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
        let message = try #require(
            WebhookMessage(Records.parse(line), line: Array(line.utf8), gate: "10000000abcdef01", identity: "0123456789abcdef"))
        #expect(message.identifier == "10000000abcdef01-7-0123456789abcdef")
        let body = try JSONDocument(parsing: message.body).root
        #expect(body["type"]?.string == "gatehouse.visit" && body["timestamp"]?.string == "2027-01-15T08:00:07Z")
        #expect(body["data"]?.source == Array(line.utf8) && body["gate"]?.string == "10000000abcdef01")
        let headers = try message.headers(at: 1_800_000_008, by: secret(Self.key))
        #expect(headers[0] == "webhook-id: 10000000abcdef01-7-0123456789abcdef" && headers[1] == "webhook-timestamp: 1800000008")
        #expect(headers[2].hasPrefix("webhook-signature: v1,") && headers.count == 3)
        for gate in ["", "a.b", "a b", "a\r\nx: y", "é", String(repeating: "a", count: 65)] {
            #expect(WebhookMessage(try Records.parse(line), line: Array(line.utf8), gate: gate, identity: "a") == nil, "\(gate)")
            #expect(WebhookMessage(try Records.parse(line), line: Array(line.utf8), gate: "a", identity: gate) == nil, "\(gate)")
        }
    }

    @Test("pauses grow, and start anew with the next record")
    func pauses() {
        var patience = WebhookPatience()
        for pause in [5, 300, 1800, 7200, 18_000, 36_000, 36_000] as [UInt64] {
            let next = patience.attempted(.answered(400))
            #expect(next == .again(after: pause))
        }
        let delivered = patience.attempted(.answered(204)), anew = patience.attempted(.answered(400))
        let gone = patience.attempted(.answered(410))
        #expect(delivered == .delivered && anew == .again(after: 5) && gone == .stopped)
        for status in [199, 300, 302, 404, 408, 425, 429, 500, 503, 599] {
            var patience = WebhookPatience()
            let next = patience.attempted(.answered(status))
            #expect(next == .again(after: 5), "\(status)")
        }
    }

    @Test("a receiver in trouble of its own, or away, is asked each half hour, and the record is not left out")
    func absences() {
        for result in [.answered(503), .answered(429), .unanswered] as [WebhookPatience.Result] {
            var patience = WebhookPatience()
            let pauses = (0..<200).map { _ in
                patience.pass(86_400)
                return patience.attempted(result)
            }
            #expect(pauses == [.again(after: 5), .again(after: 300)] + [WebhookPatience.Next](repeating: .again(after: 1800), count: 198))
            // One refusal after an outage is the first.
            let refused = patience.attempted(.answered(400)), away = patience.attempted(result)
            #expect(refused == .again(after: 5) && away == .again(after: 5))
        }
    }

    @Test("what the receiver asks for is waited for, and never less than we would wait")
    func retryAfter() {
        for status in [429, 503, 400] {
            var patience = WebhookPatience()
            let long = patience.attempted(.answered(status, retryAfter: 3600)), short = patience.attempted(.answered(status, retryAfter: 1))
            #expect(long == .again(after: 3600) && short == .again(after: 300), "\(status)")
        }
    }

    @Test("a record that is refused for three days is left out: time in which nobody answered is none of them")
    func skipping() {
        var patience = WebhookPatience()
        patience.pass(10 * WebhookPatience.longest)
        let first = patience.attempted(.answered(422))
        patience.pass(WebhookPatience.longest - 1)
        let second = patience.attempted(.answered(422)), away = patience.attempted(.unanswered)
        patience.pass(10 * WebhookPatience.longest)
        let third = patience.attempted(.answered(422))
        #expect([first, second, away, third] == [5, 300, 5, 1800].map { .again(after: $0) })
        // Kept over a restart, to the second.
        #expect(patience.refusals == 3 && patience.refusedFor == WebhookPatience.longest - 1)
        patience = WebhookPatience(refusals: patience.refusals, refusedFor: patience.refusedFor)
        patience.pass(1)
        let last = patience.attempted(.answered(422))
        #expect(last == .skipped && patience == WebhookPatience())
        var full = WebhookPatience(refusals: 1, refusedFor: .max)
        full.pass(.max)
        #expect(full.refusedFor == .max)
    }
}

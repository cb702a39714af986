import HTTP
import Testing

@Suite("Each limit of HTTP, from both sides")
struct HTTPLimitTests {
    @Test("the figures are the specification's")
    func figures() {
        #expect(HTTPLimits.requestLine == 16_384)
        #expect(HTTPLimits.fields == 8192)
        #expect(HTTPLimits.fieldLines == 64)
        #expect(HTTPLimits.envelope == 524_288)
        #expect(HTTPLimits.answer == 65_536)
        #expect((HTTPLimits.headTime, HTTPLimits.bodyTime, HTTPLimits.judgeTime) == (10_000_000_000, 60_000_000_000, 10_000_000_000))
    }

    @Test("a request line of 16 KiB, and one octet more")
    func requestLine() {
        let rest = "GET /tk/answer? HTTP/1.1".utf8.count
        let longest = String(repeating: "a", count: HTTPLimits.requestLine - rest)
        let outcome = Requests.read(Requests.answer("/tk/answer?" + longest))
        #expect(outcome.phase == .whole && outcome.target.count == longest.utf8.count + 11)
        #expect(Requests.read(Requests.answer("/tk/answer?a" + longest)).fault == .lineTooLong)
        #expect(RequestFault.lineTooLong.status == .targetTooLong)
        // It is told while the line goes on.
        let endless = [UInt8](repeating: 0x41, count: HTTPLimits.requestLine)
        #expect(Requests.read(endless, pieces: []).fault == nil)
        #expect(Requests.read(endless + [0x41], pieces: []).fault == .lineTooLong)
    }

    @Test("a header of 8 KiB, and one octet more")
    func fields() {
        // Of each line name, colon, blank and end count, and the empty line as well.
        let other = "Host: gate\r\n\r\n".utf8.count + "X: \r\n".utf8.count
        func request(_ count: Int) -> String {
            "GET /tk/answer HTTP/1.1\r\nHost: gate\r\nX: \(String(repeating: "x", count: count))\r\n\r\n"
        }
        #expect(Requests.read(request(HTTPLimits.fields - other)).phase == .whole)
        #expect(Requests.read(request(HTTPLimits.fields - other + 1)).fault == .fieldsTooLarge)
        #expect(RequestFault.fieldsTooLarge.status == .fieldsTooLarge)
    }

    @Test("64 lines, and one more")
    func fieldLines() {
        func request(_ count: Int) -> String {
            "GET /tk/answer HTTP/1.1\r\nHost: gate\r\n\(String(repeating: "X: y\r\n", count: count - 1))\r\n"
        }
        #expect(Requests.read(request(HTTPLimits.fieldLines)).phase == .whole)
        #expect(Requests.read(request(HTTPLimits.fieldLines + 1)).fault == .tooManyFields)
        #expect(RequestFault.tooManyFields.status == .fieldsTooLarge)
    }

    @Test("a body of 512 KiB for an envelope, of 64 KiB for an answer, and one octet more")
    func bodies() {
        let envelope = String(repeating: "e", count: HTTPLimits.envelope), answer = String(repeating: "a", count: HTTPLimits.answer)
        #expect(Requests.read(Requests.envelope(envelope)).body.count == HTTPLimits.envelope)
        #expect(Requests.read(Requests.envelope(length: "\(HTTPLimits.envelope + 1)")).fault == .bodyTooLarge)
        for length in ["18446744073709551617", "9223372036854775807", String(repeating: "9", count: 4000)] {
            #expect(Requests.read(Requests.envelope(length: length)).fault == .bodyTooLarge)
        }
        for type in ["application/json", "application/x-www-form-urlencoded"] {
            #expect(Requests.read(Requests.form(answer, type: type)).body.count == HTTPLimits.answer)
            #expect(Requests.read(Requests.form(answer + "a", type: type)).fault == .bodyTooLarge)
        }
        #expect(RequestFault.bodyTooLarge.status == .contentTooLarge)
        // The longest of both parts at once.
        let target = "/tk/answer?" + String(repeating: "t", count: HTTPLimits.requestLine - "POST /tk/answer? HTTP/1.1".utf8.count)
        let longest = Requests.read(Requests.form(answer, target: target))
        #expect(longest.target.count == target.utf8.count && longest.body.count == HTTPLimits.answer)
    }

    @Test("every fault has a status that is no success, and every status its words")
    func statuses() {
        for fault in RequestFault.allCases { #expect(fault.status.rawValue >= 400) }
        for status in Status.allCases {
            let text = String(decoding: Response(.empty(status), allowed: "POST").octets, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 \(status.rawValue) \(status.reason)\r\n"))
            #expect(text.hasSuffix("Content-Length: 0\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"))
            #expect(text.contains("Allow: POST\r\n") == (status == .methodNotAllowed))
        }
        let message = String(decoding: Response(.message(Array("{}".utf8))).octets, as: UTF8.self)
        #expect(message.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: application/didcomm-envelope-enc\r\nContent-Length: 2\r\n"))
        #expect(message.hasSuffix("\r\n\r\n{}"))
        #expect(String(decoding: Response(.result(isAccepted: true)).octets, as: UTF8.self).hasSuffix("\r\n\r\n{\"result\":\"accepted\"}"))
        #expect(String(decoding: Response(.result(isAccepted: false)).octets, as: UTF8.self).hasSuffix("\r\n\r\n{\"result\":\"rejected\"}"))
    }
}

import HTTP
import Testing

@Suite("What is no request")
struct RequestFaultTests {
    private func fault(_ text: String) -> RequestFault? { Requests.read(text).fault }

    @Test("a request line that is none")
    func lines() {
        let lines = [
            "", "GET", "GET /tk/answer", "GET  /tk/answer HTTP/1.1", " GET /tk/answer HTTP/1.1", "GET /tk/answer HTTP/1.1 ",
            "GET /tk/answer  HTTP/1.1", "G(T /tk/answer HTTP/1.1", "GET /tk/answer?#a HTTP/1.1",
            String(repeating: "G", count: 33) + " / HTTP/1.1",
            "GET\t/tk/answer\tHTTP/1.1", "GET /tk/\u{e4} HTTP/1.1", "\u{16}\u{3}\u{1}",
        ]
        for line in lines { #expect(fault(line + "\r\nHost: a\r\n\r\n") == .lineMalformed, "\(line)") }
        // Told at its first octet: somebody speaks TLS.
        #expect(Requests.read([0x16], pieces: []).fault == .lineMalformed)
    }

    @Test("another path, and another method")
    func routes() {
        let others = [
            "/", "*", "/didcomm/", "/didcomm?", "/didcomm?a=b", "/Didcomm", "/%64idcomm", "//didcomm", "/./didcomm", "/tk/answer/",
            "/tk/answers",
            "/tk", "http://192.168.7.1/didcomm", "/tk/%61nswer", "192.168.7.1:80", "/../didcomm",
        ]
        for target in others { #expect(fault("POST \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == .notFound, "\(target)") }
        for method in ["GET", "HEAD", "PUT", "OPTIONS", "post", "CONNECT"] {
            #expect(fault("\(method) /didcomm HTTP/1.1\r\nHost: a\r\n\r\n") == .methodNotAllowed)
        }
        for method in ["HEAD", "PUT", "DELETE", "get"] {
            #expect(fault("\(method) /tk/answer?a HTTP/1.1\r\nHost: a\r\n\r\n") == .methodNotAllowed)
        }
    }

    @Test("lines that two readers end in two places")
    func endings() {
        let good = Requests.envelope()
        #expect(fault(good.replacing("HTTP/1.1\r\n", with: "HTTP/1.1\n")) == .bareLineFeed)
        #expect(fault(good.replacing("192.168.7.1\r\n", with: "192.168.7.1\n")) == .bareLineFeed)
        #expect(fault(good.replacing("\r\n\r\n", with: "\r\n\n")) == .bareLineFeed)
        #expect(fault(good.replacing("192.168.7.1\r\n", with: "192.168\r.7.1\r\n")) == .bareReturn)
        #expect(fault(good.replacing("HTTP/1.1\r\n", with: "HTTP/1.1\r\r\n")) == .bareReturn)
        #expect(fault("\r\n" + good) == .lineMalformed)
    }

    @Test("header lines that are none")
    func fields() {
        for line in ["Host : a", ": a", "Host", "Ho st: a", "Ho\tst: a", "X: a\u{0}b", "X: a\u{7F}", "X: a\u{B}b", "\u{e4}: a", "(X): a"] {
            #expect(fault(Requests.envelope(fields: line + "\r\n")) == .fieldMalformed, "\(line)")
        }
        for line in [" X: a", "\tfolded", " "] { #expect(fault(Requests.envelope(fields: line + "\r\n")) == .fieldFolded, "\(line)") }
        // The near neighbours.
        for line in ["X: a b\tc", "X:", "X: \u{e4}", "!#$%&'*+-.^_`|~: a", "X: a: b", "X:   "] {
            #expect(fault(Requests.envelope(fields: line + "\r\n")) == nil, "\(line)")
        }
    }

    @Test("two lengths, no length, and lengths that are none")
    func lengths() {
        #expect(fault(Requests.envelope(fields: "Content-Length: 2\r\n")) == .twoLengths)
        #expect(fault(Requests.envelope(fields: "content-length: 3\r\n")) == .twoLengths)
        #expect(fault(Requests.envelope(fields: "Transfer-Encoding: chunked\r\n")) == .twoLengths)
        #expect(fault(Requests.envelope(fields: "Transfer-Encoding: identity\r\n")) == .twoLengths)
        for length in ["2, 2", "+2", "-2", "0x2", "2.0", "", " ", "2 2", "\u{662}", "2;"] {
            #expect(fault(Requests.envelope(length: length)) == .lengthMalformed, "\(length)")
        }
        #expect(fault(Requests.envelope(length: "\t002 ")) == nil)
        #expect(fault(Requests.envelope("", length: "0")) == .bodyEmpty)
        let none = Requests.envelope().replacing("Content-Length: 2\r\n", with: "")
        #expect(fault(none) == .lengthRequired)
        #expect(fault(none.replacing("\r\n\r\n", with: "\r\nTransfer-Encoding: chunked\r\n\r\n")) == .lengthRequired)
        let get = Requests.answer()
        #expect(fault(get.replacing("\r\n\r\n", with: "\r\nContent-Length: 0\r\n\r\n")) == nil)
        #expect(fault(get.replacing("\r\n\r\n", with: "\r\nContent-Length: 1\r\n\r\n")) == .bodyUnexpected)
        #expect(fault(get.replacing("\r\n\r\n", with: "\r\nTransfer-Encoding: chunked\r\n\r\n")) == .bodyUnexpected)
    }

    @Test("media types, compression, and expectations")
    func types() {
        let good = Requests.envelope()
        let others = [
            "application/json", "application/didcomm-encrypted+json", "", "application/didcomm-envelope-encx",
            "text/plain;application/ssi-agent-wire",
        ]
        for type in others {
            #expect(fault(good.replacing("application/didcomm-envelope-enc", with: type)) == .typeUnsupported, "\(type)")
        }
        #expect(fault(good.replacing("Content-Type: application/didcomm-envelope-enc\r\n", with: "")) == .typeUnsupported)
        #expect(fault(Requests.envelope(fields: "Content-Type: application/ssi-agent-wire\r\n")) == .typeUnsupported)
        #expect(fault(Requests.form(type: "multipart/form-data; boundary=a")) == .typeUnsupported)
        #expect(fault(Requests.form(type: "application/ssi-agent-wire")) == .typeUnsupported)
        #expect(fault(Requests.envelope(fields: "Content-Encoding: gzip\r\n")) == .encodingUnsupported)
        #expect(fault(Requests.envelope(fields: "Content-Encoding: Identity\r\n")) == nil)
        #expect(Requests.read(Requests.envelope(fields: "Expect: 100-Continue\r\n")).waits)
        #expect(!Requests.read(Requests.envelope()).waits)
        #expect(fault(Requests.envelope(fields: "Expect: 200-ok\r\n")) == .expectationUnknown)
        #expect(!Requests.read(Requests.envelope(fields: "Expect: 100-continue\r\n").replacing("HTTP/1.1", with: "HTTP/1.0")).waits)
    }
}

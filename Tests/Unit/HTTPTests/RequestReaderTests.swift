import HTTP
import TestSupport
import Testing

@Suite("A request of HTTP")
struct RequestReaderTests {
    @Test("an envelope, an answer in a query, as a form and as JSON")
    func served() {
        let envelope = Requests.read(Requests.envelope("{\"a\":1}"))
        #expect(envelope == Outcome(phase: .whole, kind: .envelope, body: Array("{\"a\":1}".utf8)))
        let query = Requests.read(Requests.answer())
        #expect(query == Outcome(phase: .whole, kind: .query, target: Array("/tk/answer?result=success".utf8)))
        let form = Requests.read(Requests.form())
        #expect(form == Outcome(phase: .whole, kind: .form, target: Array("/tk/answer?lane=5".utf8), body: Array("result=success".utf8)))
        #expect(Requests.read(Requests.form("{}", type: "Application/JSON ; charset=utf-8")).kind == .json)
        #expect(Requests.read(Requests.envelope(fields: "X-Empty:\r\nUser-Agent: \t a b\t \r\n")).kind == .envelope)
        let older = Requests.envelope().replacing("application/didcomm-envelope-enc", with: "application/ssi-agent-wire")
        #expect(Requests.read(older).kind == .envelope)
    }

    @Test("HTTP/1.0 needs no host, a later minor version is 1.1")
    func versions() {
        #expect(Requests.read("GET /tk/answer HTTP/1.0\r\n\r\n").phase == .whole)
        #expect(Requests.read("GET /tk/answer HTTP/1.0\r\nHost: a\r\n\r\n").phase == .whole)
        #expect(Requests.read("GET /tk/answer HTTP/1.9\r\nHost: a\r\n\r\n").phase == .whole)
        #expect(Requests.read("GET /tk/answer HTTP/1.1\r\n\r\n").fault == .hostMissing)
        #expect(Requests.read("GET /tk/answer HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n").fault == .hostMissing)
        for version in ["HTTP/2.0", "HTTP/1.10", "http/1.1", "HTTP/1.", "HTTP/1.x", "HTTPS/1.1"] {
            #expect(Requests.read("GET /tk/answer \(version)\r\n\r\n").fault == .versionUnknown)
        }
    }

    @Test("the same, wherever it is cut, and an octet at a time")
    func cuts() {
        let texts = [
            Requests.envelope("{\"a\":1}"), Requests.answer(), Requests.form(), Requests.envelope(fields: "Expect: 100-continue\r\n"),
        ]
        for text in texts {
            let octets = Array(text.utf8), whole = Requests.read(octets, pieces: [])
            #expect(whole.phase == .whole)
            for cut in 1..<octets.count { #expect(Requests.read(octets, pieces: [cut]) == whole) }
            #expect(Requests.read(octets, pieces: [Int](repeating: 1, count: octets.count)) == whole)
            for count in 0..<octets.count {
                let part = Requests.read(Array(octets.prefix(count)), pieces: [])
                #expect(part.fault == nil && part.phase != .whole)
            }
        }
    }

    @Test("what is behind the one request is not looked at")
    func behind() {
        let smuggled = Requests.read(Requests.envelope("{}") + "POST /didcomm HTTP/1.1\r\n\n\n\u{0}")
        #expect(smuggled == Outcome(phase: .whole, kind: .envelope, body: Array("{}".utf8)))
    }

    @Test("a fault stays one, whatever comes; wiped, the reader begins again and has nothing left")
    func wiping() throws {
        let line = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.requestLine, alignment: 8)
        let content = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.content, alignment: 8)
        defer {
            line.deallocate()
            content.deallocate()
        }
        for memory in [line, content] { memory.initializeMemory(as: UInt8.self, repeating: 0) }
        var reader = RequestReader(line: line, content: content)
        let bad = Array("GET /\n".utf8), good = Array(Requests.form("CANARY", target: "/tk/answer?CANARY").utf8)
        for octets in [bad, good] {
            do throws(RequestFault) {
                try reader.take(octets.span)
                Issue.record("it was taken")
            } catch {
                #expect(error == .bareLineFeed)
            }
        }
        reader.wipe()
        try reader.take(good.span)
        #expect((reader.phase == .whole) == true)
        reader.wipe()
        #expect(line.allSatisfy { $0 == 0 })
        #expect(content.allSatisfy { $0 == 0 })
        #expect((reader.phase == .head) == true)
        #expect((reader.withContent { _ in true } == nil) == true)
    }

    @Test("random changes of a request neither trap nor make a longer one")
    func mutants() {
        var random = SeededRandom(seed: 6)
        let samples = [Requests.envelope(), Requests.answer(), Requests.form()].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            var octets = samples[Int.random(in: 0..<samples.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<octets.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: octets[place] = UInt8.random(in: 0...255, using: &random)
                case 1: octets.insert([0, 9, 10, 13, 32, 58, 59].randomElement(using: &random) ?? 0, at: place)
                default: if octets.count > 1 { octets.remove(at: place) }
                }
            }
            let outcome = Requests.read(octets, pieces: [Int.random(in: 1...octets.count, using: &random)])
            #expect(outcome == Requests.read(octets, pieces: []))
            #expect(outcome.body.count + outcome.target.count <= octets.count)
            #expect(outcome.fault == nil || outcome.kind == nil)
        }
    }
}

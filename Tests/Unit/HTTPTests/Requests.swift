import HTTP

/// What became of octets that were read as one request.
struct Outcome: Equatable {
    var phase = RequestReader.Phase.head
    var fault: RequestFault?
    var kind: ContentKind?
    var target: [UInt8] = []
    var body: [UInt8] = []
    var waits = false
}

/// Requests as octets, and what they come to.
enum Requests {
    /// - Parameter pieces: how many octets come at a time.
    static func read(_ octets: [UInt8], pieces: [Int]) -> Outcome {
        let line = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.requestLine, alignment: 8)
        let content = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.content, alignment: 8)
        defer {
            line.deallocate()
            content.deallocate()
        }
        var reader = RequestReader(line: line, content: content), outcome = Outcome()
        var rest = octets[...], sizes = pieces.makeIterator()
        while !rest.isEmpty {
            let part = Array(rest.prefix(sizes.next() ?? rest.count))
            rest = rest.dropFirst(part.count)
            do throws(RequestFault) { try reader.take(part.span) } catch {
                outcome.fault = error
                break
            }
            if reader.takeExpectation() { outcome.waits = true }
        }
        outcome.phase = reader.phase
        let targetCount = reader.targetCount
        reader.withContent { octets in
            for index in octets.indices {
                if index < targetCount { outcome.target.append(octets[index]) } else { outcome.body.append(octets[index]) }
            }
        }
        if reader.phase == .whole { outcome.kind = reader.kind }
        return outcome
    }

    static func read(_ text: String) -> Outcome { read(Array(text.utf8), pieces: []) }

    static func envelope(_ body: String = "{}", fields: String = "", length: String? = nil) -> String {
        "POST /didcomm HTTP/1.1\r\nHost: 192.168.7.1\r\nContent-Type: application/didcomm-envelope-enc\r\n"
            + "\(fields)Content-Length: \(length ?? String(body.utf8.count))\r\n\r\n\(body)"
    }

    static func answer(_ target: String = "/tk/answer?result=success") -> String { "GET \(target) HTTP/1.1\r\nHost: gate\r\n\r\n" }

    static func form(
        _ body: String = "result=success", target: String = "/tk/answer?lane=5", type: String = "application/x-www-form-urlencoded"
    ) -> String {
        "POST \(target) HTTP/1.1\r\nHost: gate\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}

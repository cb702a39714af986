import HTTP

@testable import ListenerProtocol

/// What somebody on the gate's network may send, whole and in pieces; and what a listener that was taken over may write into its channel,
/// or a gate that is none.
func fuzzHTTP(_ octets: UnsafeBufferPointer<UInt8>) {
    let whole = readRequest(octets, step: octets.count), pieces = readRequest(octets, step: 1)
    require(whole == pieces, "a request is the same, however it is cut")
    let all = Array(octets)
    checkListenerWords(all)
    checkGateWords(all)
    if let report = KeeperReport(decoding: all.span) { require(report.octets == all, "a report has one spelling") }
}

private struct ReadRequest: Equatable {
    var fault: RequestFault?
    var isWhole = false
    var kind = ContentKind.envelope
    var content: [UInt8] = []
    var targetCount = 0
}

private func readRequest(_ octets: UnsafeBufferPointer<UInt8>, step: Int) -> ReadRequest {
    let line = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.requestLine, alignment: 8)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.content, alignment: 8)
    defer {
        line.deallocate()
        memory.deallocate()
    }
    var reader = RequestReader(line: line, content: memory), read = ReadRequest(), position = 0
    while position < octets.count {
        let end = min(position + max(step, 1), octets.count)
        let part = UnsafeBufferPointer(rebasing: octets[position..<end])
        do throws(RequestFault) { try reader.take(part.span) } catch {
            read.fault = error
            break
        }
        position = end
    }
    (read.isWhole, read.kind, read.targetCount) = (reader.phase == .whole, reader.kind, reader.targetCount)
    reader.withContent { content in for index in content.indices { read.content.append(content[index]) } }
    require(read.content.count <= octets.count, "nothing is kept that was not sent")
    guard read.isWhole, read.fault == nil else { return read }
    let posted = ListenerWord.Posted(
        kind: PostedKind(rawValue: read.kind.rawValue) ?? .envelope, number: 1, targetCount: read.targetCount,
        bodyCount: read.content.count - read.targetCount)
    require((try? ListenerWord.posted(posted).head()) != nil, "what was read can be handed over")
    return read
}

private func checkListenerWords(_ octets: [UInt8]) {
    var rest = octets
    for _ in 0..<64 {
        guard let count = try? ListenerWord.rest(after: rest.span), rest.count >= MessageHead.size + count else { return }
        let head = Array(rest.prefix(MessageHead.size + count))
        guard let word = try? ListenerWord(decoding: head.span) else { return }
        require((try? word.head()) == head, "a word has one spelling")
        rest.removeFirst(head.count)
        guard case .posted(let posted) = word else { continue }
        require(posted.targetCount + posted.bodyCount <= ListenerWord.mostContent, "what is posted has its most")
        rest.removeFirst(min(rest.count, posted.targetCount + posted.bodyCount))
    }
}

private func checkGateWords(_ octets: [UInt8]) {
    var rest = octets
    for _ in 0..<64 {
        guard let found = try? GateWord.first(of: rest.span) else { return }
        require(found.count <= GateWord.most, "a word has its most")
        require((try? found.word.octets(number: found.number)) == Array(rest.prefix(found.count)), "a word has one spelling")
        rest.removeFirst(found.count)
    }
}

let httpSeeds: [[UInt8]] = {
    let requests = [
        "POST /didcomm HTTP/1.1\r\nHost: 192.168.7.1\r\nContent-Type: application/didcomm-envelope-enc\r\nContent-Length: 2\r\n\r\n{}",
        "POST /didcomm HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
            + "Content-Type: application/ssi-agent-wire\r\nContent-Length: 1\r\n\r\n{",
        "GET /tk/answer?lane=5&result=success HTTP/1.0\r\n\r\n",
        "POST /tk/answer?lane=5 HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
        "POST /tk/answer HTTP/1.1\r\nHost: gate\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1\r\n\r\na",
        "POST /didcomm HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n",
    ]
    let posted = ListenerWord.posted(.init(kind: .form, number: 7, targetCount: 1, bodyCount: 1))
    let words = [ListenerWord.ready, .refused(Refusals()), posted].map { (try? $0.head()) ?? [] }
    let all: [GateWord] = [.message([0x7B, 0x7D]), .accepted, .rejected, .taken, .malformed, .gone]
    let answers = all.map { (try? $0.octets(number: 7)) ?? [] }
    return requests.map { Array($0.utf8) } + [
        words.flatMap { $0 } + [1, 2], answers.flatMap { $0 }, KeeperReport.started(serial: 1).octets,
    ]
}()

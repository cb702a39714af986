@testable import VisionProtocol

/// What a worker that was taken over may write into its pipe, read as replies one after the other; and, since the same code reads them, as
/// requests.
func fuzzWorkerMessage(_ octets: UnsafeBufferPointer<UInt8>) {
    var rest = Array(octets)
    for _ in 0..<64 {
        guard let frame = try? MessageHeader(decoding: rest.span) else { return }
        let length = Int(frame.length)
        require(length <= MessageHeader.mostPayload, "a payload has its most")
        guard rest.count >= MessageHeader.size + length else { return }
        let payload = Array(rest[MessageHeader.size..<MessageHeader.size + length])
        checkReply(frame, payload)
        checkRequest(frame, payload)
        rest.removeFirst(MessageHeader.size + length)
    }
}

/// What is believed is written again octet for octet: there is one spelling, and nothing in it that the other end would refuse.
private func checkReply(_ frame: MessageHeader, _ payload: [UInt8]) {
    guard let reply = try? WorkerReply(frame, decoding: payload.span) else { return }
    if case .assessment(_, let assessment) = reply {
        let box = assessment.face
        let numbers = [box.x, box.y, box.width, box.height, assessment.secondArea, assessment.brightness, assessment.sharpness]
        require(numbers.allSatisfy(\.isFinite), "every number is one")
        require(assessment.similarity.map { $0 >= 0 && $0 <= 1 } ?? true, "a similarity is 0 to 1")
        require(assessment.similarity == nil || assessment.status == 0, "a score belongs to a template")
    }
    if case .reading(let reading) = reply {
        require((reading.text != nil) == (reading.status == .read), "a text belongs to a code")
        require(reading.text.map { (1...CodeReading.mostText).contains($0.count) } ?? true, "a text has its most")
        require(reading.text != nil || reading.corners == CodeCorners(), "corners belong to a code")
    }
    var again = [UInt8](repeating: 0, count: WorkerReply.most)
    var span = again.mutableSpan
    guard let count = try? reply.encode(request: frame.request, into: &span) else { return require(false, "what is read can be written") }
    require(Array(again[..<count].dropFirst(MessageHeader.size)) == payload, "a reply has one spelling")
}

private func checkRequest(_ frame: MessageHeader, _ payload: [UInt8]) {
    guard let request = try? WorkerRequest(frame, decoding: payload.span) else { return }
    var again = [UInt8](repeating: 0, count: WorkerRequest.mostHead)
    var span = again.mutableSpan
    let picture = max(0, payload.count - PictureHeader.size)
    guard let count = try? request.encode(request: frame.request, count: picture, into: &span) else {
        return require(false, "what is read can be written")
    }
    require(Array(again[MessageHeader.size..<count]) == Array(payload.prefix(count - MessageHeader.size)), "a request has one spelling")
}

let workerMessageSeeds: [[UInt8]] = {
    var assessment = FrameAssessment(status: 0)
    (assessment.width, assessment.height, assessment.faces) = (640, 480, 2)
    assessment.face = FaceBox(x: 10, y: 10, width: 200, height: 200)
    (assessment.eyeDistance, assessment.yaw, assessment.quality) = (80, -5, 50)
    let reference = assessment
    (assessment.similarity, assessment.attackScore) = (0.5, -1)
    var reading = CodeReading(.read)
    (reading.text, reading.width, reading.height, reading.change) = (Array("NCFK".utf8), 640, 480, 3)
    (reading.isMirrored, reading.corners.lowerLeft) = (true, CodePoint(x: -3, y: 480))
    let identity = PluginIdentity(
        id: "a", version: "1", modelSHA256: String(repeating: "0", count: 64), capabilities: 5, referenceMinimum: 60)
    let replies: [WorkerReply] = [
        .hello(identity), .assessment(.reference, reference), .assessment(.probe, assessment),
        .assessment(.probe, FrameAssessment(status: 8)),
        .forgotten, .cannotOpen(status: 22), .note(level: 1, code: "a.b_c1"),
        .codeLibrary(CodeLibrary(name: "zxing-cpp", version: "2.3.0")), .reading(CodeReading(.undecodable)), .reading(reading),
    ]
    let requests: [(WorkerRequest, Int)] = [
        (.forget, 0), (.picture(.reference, PictureHeader(format: .jpeg)), 3),
        (.picture(.probe, PictureHeader(format: .yuyv, width: 2, height: 2, stride: 4)), 8), (.codes(PictureHeader(format: .png)), 5),
    ]
    var seeds = replies.map { reply in
        var octets = [UInt8](repeating: 0, count: WorkerReply.most)
        var span = octets.mutableSpan
        let count = (try? reply.encode(request: 1, into: &span)) ?? 0
        return Array(octets.prefix(count))
    }
    for (request, count) in requests {
        var octets = [UInt8](repeating: 0, count: WorkerRequest.mostHead)
        var span = octets.mutableSpan
        let head = (try? request.encode(request: 1, count: count, into: &span)) ?? 0
        seeds.append(octets.prefix(head) + [UInt8](repeating: 7, count: count))
    }
    return seeds + [seeds.flatMap { $0 }]
}()

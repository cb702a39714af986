import Testing

@testable import VisionProtocol

/// What one end writes, as octets.
enum Written {
    static func reply(_ reply: WorkerReply, request: UInt32 = 7) throws(MessageError) -> [UInt8] {
        var octets = [UInt8](repeating: 0xEE, count: WorkerReply.most)
        var span = octets.mutableSpan
        let count = try reply.encode(request: request, into: &span)
        return Array(octets.prefix(count))
    }

    static func request(_ request: WorkerRequest, octets picture: [UInt8] = [], id: UInt32 = 7) throws(MessageError) -> [UInt8] {
        var octets = [UInt8](repeating: 0xEE, count: WorkerRequest.mostHead)
        var span = octets.mutableSpan
        let count = try request.encode(request: id, count: picture.count, into: &span)
        return Array(octets.prefix(count)) + picture
    }

    static func readReply(_ octets: [UInt8]) throws(MessageError) -> WorkerReply {
        let frame = try MessageHeader(decoding: octets.span)
        let payload = Array(octets.dropFirst(MessageHeader.size))
        return try WorkerReply(frame, decoding: payload.span)
    }

    static func readRequest(_ octets: [UInt8]) throws(MessageError) -> WorkerRequest {
        let frame = try MessageHeader(decoding: octets.span)
        let payload = Array(octets.dropFirst(MessageHeader.size))
        return try WorkerRequest(frame, decoding: payload.span)
    }

    static let identity = PluginIdentity(
        id: "test-1.0_x", version: "1.0 (beta)", modelSHA256: String(repeating: "0a", count: 32), capabilities: 5, referenceMinimum: 60)

    static var probe: FrameAssessment {
        var made = FrameAssessment(status: 0)
        made.width = 640
        made.height = 480
        made.faces = 2
        made.secondArea = 0.25
        made.face = FaceBox(x: -3.5, y: 10, width: 200, height: 210)
        made.eyeDistance = 80
        made.yaw = -12
        made.pitch = 3
        made.roll = 0
        made.quality = 55
        made.qualityFlags = 4
        made.brightness = 128
        made.sharpness = 300
        made.attackScore = -0.5
        made.similarity = 0.75
        made.elapsed = 20_000
        return made
    }

    static var reference: FrameAssessment {
        var made = probe
        made.attackScore = nil
        made.similarity = nil
        return made
    }

    static let replies: [WorkerReply] = [
        .hello(identity), .assessment(.probe, probe), .assessment(.reference, reference), .forgotten, .cannotOpen(status: 22),
        .cannotOpen(status: OpenFailure.noEntry.rawValue), .note(level: -1, code: "model.missing_1"),
        .assessment(.probe, FrameAssessment(status: 8)),
        .assessment(.reference, FrameAssessment(status: FrameAssessment.Failure.undecodable.rawValue)),
        .reading(CodeReading(.undecodable)),
    ]

    static let requests: [(WorkerRequest, [UInt8])] = [
        (.forget, []), (.picture(.reference, PictureHeader(format: .jpeg, captured: 5, sequence: 6)), [1, 2, 3]),
        (.picture(.probe, PictureHeader(format: .rgb24, width: 2, height: 2, stride: 8, captured: .max, sequence: .max)), Array(0..<16)),
        (.picture(.probe, PictureHeader(format: .yuyv, width: 2, height: 1, stride: 4)), [1, 2, 3, 4]),
        (.picture(.reference, PictureHeader(format: .png, width: 640, height: 480)), [9]),
        (.codes(PictureHeader(format: .yuyv, width: 4, height: 1, stride: 8, sequence: 3)), Array(0..<8)),
    ]
}

@Suite("Messages of the worker's pipe")
struct WorkerMessageTests {
    @Test("what is written is read the same, and so many octets", arguments: Written.replies.indices)
    func repliesRoundTrip(_ index: Int) throws {
        let octets = try Written.reply(Written.replies[index])
        #expect(try Written.readReply(octets) == Written.replies[index])
        #expect(try MessageHeader(decoding: octets.span).request == 7)
    }

    @Test("requests are read as they were written", arguments: Written.requests.indices)
    func requestsRoundTrip(_ index: Int) throws {
        let (request, picture) = Written.requests[index]
        let octets = try Written.request(request, octets: picture)
        #expect(try Written.readRequest(octets) == request)
        #expect(Array(octets.suffix(picture.count)) == picture)
    }

    @Test("a message cut at any octet, or one longer, is none", arguments: Written.replies.indices)
    func cutReplies(_ index: Int) throws {
        let octets = try Written.reply(Written.replies[index])
        for count in 0..<octets.count {
            var cut = Array(octets.prefix(count))
            if count >= MessageHeader.size { cut[0] = UInt8(count - MessageHeader.size) }
            // A shorter note is a note.
            if case .note = Written.replies[index], count > MessageHeader.size + 4 { continue }
            if case .cannotOpen = Written.replies[index], count == octets.count { continue }
            #expect(throws: MessageError.self, "\(count) octets") { try Written.readReply(cut) }
        }
        if case .note = Written.replies[index] { return }
        var longer = octets + [0]
        longer[0] += 1
        #expect(throws: MessageError.wrongLength) { try Written.readReply(longer) }
    }

    @Test("requests cut at any octet are none")
    func cutRequests() throws {
        for (request, picture) in Written.requests {
            let octets = try Written.request(request, octets: picture)
            for count in MessageHeader.size..<octets.count {
                var cut = Array(octets.prefix(count))
                cut[0] = UInt8(count - MessageHeader.size)
                // A shorter JPEG is for the decoder to tell.
                if case .picture(_, let head) = request, head.format == .jpeg, count > WorkerRequest.mostHead { continue }
                #expect(throws: MessageError.wrongLength, "\(request), \(count) octets") { try Written.readRequest(cut) }
            }
        }
    }

    @Test("headers: version, length, type")
    func headers() throws {
        var octets = try Written.reply(.forgotten)
        octets[6] = 2
        #expect(throws: MessageError.wrongVersion) { try Written.readReply(octets) }
        octets[6] = 1
        octets[3] = 1
        #expect(throws: MessageError.tooLong) { try Written.readReply(octets) }
        octets[3] = 0
        octets[2] = 0x40
        #expect(throws: MessageError.wrongLength) { try Written.readReply(octets) }
        octets[0] = 1
        #expect(throws: MessageError.tooLong) { try Written.readReply(octets) }
        for type: UInt16 in [0, 1, 2, 3, 4, 0x7FFF, 0x8005, 0x800F, 0x8011, 0xFFFF] {
            let frame = MessageHeader(length: 0, type: type, request: 1)
            #expect(throws: MessageError.unknownType) { try WorkerReply(frame, decoding: [UInt8]().span) }
        }
        for type: UInt16 in [0, 5, 0x8000, 0x8001, 0x8004, 0xFFFF] {
            let frame = MessageHeader(length: 0, type: type, request: 1)
            #expect(throws: MessageError.unknownType) { try WorkerRequest(frame, decoding: [UInt8]().span) }
        }
    }

    @Test("a picture whose measures no picture has is neither written nor read")
    func pictures() throws {
        let bad: [(PictureHeader, Int, MessageError)] = [
            (PictureHeader(format: .jpeg, stride: 1), 5, .badPicture), (PictureHeader(format: .jpeg), 0, .wrongLength),
            (PictureHeader(format: .png, width: 8193), 5, .badPicture),
            (PictureHeader(format: .rgb24, width: 0, height: 1, stride: 3), 3, .badPicture),
            (PictureHeader(format: .rgb24, width: 2, height: 1, stride: 5), 5, .badPicture),
            (PictureHeader(format: .rgb24, width: 2, height: 2, stride: 6), 11, .wrongLength),
            (PictureHeader(format: .rgb24, width: 2, height: .max, stride: 6), 12, .badPicture),
            (PictureHeader(format: .rgb24, width: 2, height: 1, stride: .max), 12, .badPicture),
            (PictureHeader(format: .rgb24, width: 8192, height: 8192, stride: 32_768), 12, .wrongLength),
            (PictureHeader(format: .yuyv, width: 3, height: 1, stride: 6), 6, .badPicture),
            (PictureHeader(format: .jpeg), MessageHeader.mostPayload - PictureHeader.size + 1, .tooLong),
        ]
        for (picture, count, error) in bad {
            var octets = [UInt8](repeating: 0, count: WorkerRequest.mostHead)
            var span = octets.mutableSpan
            var seen: MessageError?
            do throws(MessageError) {
                _ = try WorkerRequest.picture(.probe, picture).encode(request: 1, count: count, into: &span)
            } catch { seen = error }
            #expect(seen == error, "\(picture)")
        }
        var octets = try Written.request(Written.requests[1].0, octets: [1, 2, 3])
        octets[MessageHeader.size + 2] = 1
        #expect(throws: MessageError.badPicture) { try Written.readRequest(octets) }
        octets[MessageHeader.size + 2] = 0
        for format: UInt8 in [0, 2, 4, 15, 18, 255] {
            octets[MessageHeader.size] = format
            #expect(throws: MessageError.badPicture) { try Written.readRequest(octets) }
        }
    }

    /// Each of them is one field of an assessment that was fine.
    static let impossible: [(String, @Sendable (inout FrameAssessment) -> Void)] = [
        ("a similarity that is not a number", { $0.similarity = .nan }), ("a similarity above 1", { $0.similarity = 1.000001 }),
        ("a similarity below 0", { $0.similarity = -0.01 }), ("an infinite similarity", { $0.similarity = .infinity }),
        ("no similarity with a template", { $0.similarity = nil }), ("a similarity without a template", { $0.status = 8 }),
        ("an attack score that is not a number", { $0.attackScore = .nan }), ("an attack score above 1", { $0.attackScore = 1.5 }),
        ("an attack score below -1", { $0.attackScore = -1.5 }),
        ("a box that is not a number", { $0.face.x = .nan }), ("an infinite box", { $0.face.width = .infinity }),
        ("a box of negative width", { $0.face.width = -1 }), ("a box far outside", { $0.face.y = 1e6 }),
        ("a huge box", { $0.face.height = 1e6 }),
        ("an empty box with a template", { $0.face.height = 0 }),
        ("a template without a face", { $0.faces = 0 }), ("a thousand faces and more", { $0.faces = 1025 }),
        ("all the faces", { $0.faces = .max }),
        ("a second face larger than the largest", { $0.secondArea = 1.01 }), ("a second face of no number", { $0.secondArea = .nan }),
        ("a negative second face", { $0.secondArea = -0.1 }),
        ("a picture without width", { $0.width = 0 }), ("a picture wider than any", { $0.width = 8193 }),
        ("a picture of no end", { $0.height = .max }),
        ("eyes that are not a number apart", { $0.eyeDistance = .nan }), ("eyes apart by less than nothing", { $0.eyeDistance = -1 }),
        ("eyes apart without end", { $0.eyeDistance = .infinity }), ("eyes further apart than any picture", { $0.eyeDistance = 9000 }),
        ("a yaw of 181 degrees", { $0.yaw = 181 }), ("a pitch that is not a number", { $0.pitch = .nan }),
        ("a roll without end", { $0.roll = -.infinity }),
        ("a quality of 101", { $0.quality = 101 }), ("a quality that is not a number", { $0.quality = .nan }),
        ("a brightness of 256", { $0.brightness = 256 }), ("a brightness that is not a number", { $0.brightness = .nan }),
        ("a sharpness below 0", { $0.sharpness = -1 }), ("a sharpness without end", { $0.sharpness = .infinity }),
    ]

    @Test("an assessment that cannot be is not written", arguments: impossible.indices)
    func impossibleAssessments(_ index: Int) {
        var assessment = Written.probe
        Self.impossible[index].1(&assessment)
        #expect(throws: MessageError.badNumber, "\(Self.impossible[index].0)") { try Written.reply(.assessment(.probe, assessment)) }
    }

    @Test("nor is it read")
    func impossibleOctets() throws {
        let octets = try Written.reply(.assessment(.probe, Written.probe))
        // Where each number lies, and octets that make it none.
        let nan: [UInt8] = [0, 0, 0xC0, 0x7F], infinity: [UInt8] = [0, 0, 0x80, 0xFF], most = [UInt8](repeating: 0xFF, count: 4)
        for place in [1, 2, 3, 6] { expectNumber(octets, at: place, most) }
        for place in 7...19 {
            expectNumber(octets, at: place, nan)
            expectNumber(octets, at: place, infinity)
        }
        var score = octets
        score.replaceSubrange(octets.count - 8..<octets.count, with: [0, 0, 0, 0, 0, 0, 0xF8, 0x7F])
        #expect(throws: MessageError.badNumber) { try Written.readReply(score) }
    }

    private func expectNumber(_ octets: [UInt8], at place: Int, _ number: [UInt8]) {
        var octets = octets
        let start = MessageHeader.size + 4 * place
        octets.replaceSubrange(start..<start + 4, with: number)
        #expect(throws: MessageError.badNumber, "number \(place)") { try Written.readReply(octets) }
    }

    @Test("a number that is said not to be there is zero")
    func absent() throws {
        var assessment = Written.probe
        assessment.yaw = nil
        var octets = try Written.reply(.assessment(.probe, assessment))
        #expect(try Written.readReply(octets) == .assessment(.probe, assessment))
        octets[MessageHeader.size + 4 * 15] = 1
        #expect(throws: MessageError.badNumber) { try Written.readReply(octets) }
        octets[MessageHeader.size + 4 * 15] = 0
        octets[MessageHeader.size + 4 * 15 + 3] = 0x80
        #expect(throws: MessageError.badNumber, "minus zero") { try Written.readReply(octets) }
    }

    @Test("codes that are none")
    func statuses() {
        for status: Int32 in [-1, .min, 0x10008, 0x1FFFF, .max] {
            #expect(throws: MessageError.badStatus) { try Written.reply(.assessment(.reference, FrameAssessment(status: status))) }
        }
        for status in FrameAssessment.Failure.allCases {
            #expect(throws: Never.self) { try Written.reply(.assessment(.reference, FrameAssessment(status: status.rawValue))) }
        }
        for status: Int32 in [0, -1] {
            #expect(throws: MessageError.badStatus) { try Written.reply(.cannotOpen(status: status)) }
        }
    }

    @Test("a reference has no scores")
    func references() {
        var assessment = Written.reference
        assessment.similarity = 0.5
        #expect(throws: MessageError.badNumber) { try Written.reply(.assessment(.reference, assessment)) }
        assessment.similarity = nil
        assessment.attackScore = 0
        #expect(throws: MessageError.badNumber) { try Written.reply(.assessment(.reference, assessment)) }
    }

    @Test("names that are none")
    func identities() throws {
        let bad: [@Sendable (inout PluginIdentity) -> Void] = [
            { $0.id = "" }, { $0.id = "Upper" }, { $0.id = "a b" }, { $0.id = "../x" }, { $0.id = String(repeating: "a", count: 65) },
            { $0.id = "é" },
            { $0.version = "" }, { $0.version = "1\n" }, { $0.version = "\u{1B}[2J" }, { $0.version = String(repeating: "1", count: 65) },
            { $0.modelSHA256 = "" }, { $0.modelSHA256 = String(repeating: "A", count: 64) },
            { $0.modelSHA256 = String(repeating: "0", count: 63) },
            { $0.modelSHA256 = String(repeating: "0", count: 65) }, { $0.modelSHA256 = String(repeating: "g", count: 64) },
        ]
        for change in bad {
            var identity = Written.identity
            change(&identity)
            #expect(throws: MessageError.badIdentity, "\(identity)") { try Written.reply(.hello(identity)) }
        }
        for change: @Sendable (inout PluginIdentity) -> Void in [{ $0.capabilities = 4 }, { $0.referenceMinimum = 8193 }] {
            var identity = Written.identity
            change(&identity)
            #expect(throws: MessageError.badNumber) { try Written.reply(.hello(identity)) }
        }
        var octets = try Written.reply(.hello(Written.identity))
        octets[MessageHeader.size + 10] = 0xC3
        #expect(throws: MessageError.badIdentity) { try Written.readReply(octets) }
        for code in ["", "Upper", "a b", "a-b", "\n", "é", String(repeating: "a", count: 49)] {
            #expect(throws: MessageError.badIdentity) { try Written.reply(.note(level: 0, code: code)) }
        }
    }
}

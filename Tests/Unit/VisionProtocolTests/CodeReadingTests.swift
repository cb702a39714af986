import Testing

@testable import VisionProtocol

@Suite("What a worker says about a code")
struct CodeReadingTests {
    private static let library = CodeLibrary(name: "zxing-cpp", version: "1.4.0")

    private static func reading(_ text: [UInt8] = [0x48, 0x43, 0x31, 0x00, 0xFF]) -> CodeReading {
        var made = CodeReading(.read)
        made.text = text
        (made.width, made.height, made.change, made.elapsed) = (640, 480, 7, 900)
        made.isInverted = true
        made.corners.upperLeft = CodePoint(x: -5, y: 10)
        made.corners.lowerRight = CodePoint(x: 700, y: 470)
        return made
    }

    private static func empty(_ status: CodeReading.Status) -> CodeReading {
        var made = CodeReading(status)
        if status != .undecodable, status != .tooLarge { (made.width, made.height, made.change) = (1, 8192, 255) }
        return made
    }

    /// With the length in the header as it is.
    private static func read(_ octets: [UInt8]) throws(MessageError) -> WorkerReply {
        var octets = octets
        let length = octets.count - MessageHeader.size
        (octets[0], octets[1]) = (UInt8(length & 0xFF), UInt8(length >> 8))
        return try Written.readReply(octets)
    }

    private static func changed(_ place: Int, _ value: UInt8, of reading: CodeReading = reading()) throws -> [UInt8] {
        var octets = try Written.reply(.reading(reading))
        octets[MessageHeader.size + place] = value
        return octets
    }

    @Test("is read as it was written, whatever the text's octets, up to the longest")
    func roundTrip() throws {
        for text in [[0], Array(0...255), [UInt8](repeating: 0xC3, count: CodeReading.mostText)] {
            let octets = try Written.reply(.reading(Self.reading(text)))
            #expect(octets.count == MessageHeader.size + 28 + text.count)
            #expect(try Written.readReply(octets) == .reading(Self.reading(text)))
        }
        for status in CodeReading.Status.allCases where status != .read {
            #expect(try Written.readReply(Written.reply(.reading(Self.empty(status)))) == .reading(Self.empty(status)))
        }
        #expect(try Written.readReply(Written.reply(.codeLibrary(Self.library))) == .codeLibrary(Self.library))
        #expect(WorkerReply.most == MessageHeader.size + 28 + CodeReading.mostText)
    }

    @Test("a text without end, an empty one, one without a code, and a code without a text are none")
    func texts() throws {
        for text in [[], [UInt8](repeating: 0x30, count: CodeReading.mostText + 1)] {
            #expect(throws: MessageError.wrongLength) { try Written.reply(.reading(Self.reading(text))) }
        }
        let longest = try Written.reply(.reading(Self.reading([UInt8](repeating: 0x30, count: CodeReading.mostText))))
        #expect(throws: MessageError.wrongLength) { try Self.read(longest + [0x30]) }
        let octets = try Written.reply(.reading(Self.reading([1])))
        #expect(throws: MessageError.wrongLength) { try Self.read(Array(octets.dropLast())) }
        for status in CodeReading.Status.allCases where status != .read {
            var reading = Self.empty(status)
            reading.text = [1]
            #expect(throws: MessageError.wrongLength) { try Written.reply(.reading(reading)) }
            #expect(throws: MessageError.self) { try Self.read(Self.changed(0, status.rawValue)) }
        }
    }

    @Test("cut before its text it is none")
    func cut() throws {
        let octets = try Written.reply(.reading(Self.empty(.nothing)))
        for count in MessageHeader.size..<octets.count {
            #expect(throws: MessageError.self, "\(count) octets") { try Self.read(Array(octets.prefix(count))) }
        }
    }

    @Test("what came of it, its flags and what is reserved have one spelling")
    func spelling() throws {
        for status: UInt8 in [6, 0x7F, 0xFF] {
            #expect(throws: MessageError.badStatus) { try Self.read(Self.changed(0, status)) }
        }
        for flags: UInt8 in [4, 5, 0x80, 0xFF] { #expect(throws: MessageError.badNumber) { try Self.read(Self.changed(1, flags)) } }
        #expect(throws: MessageError.badNumber) { try Self.read(Self.changed(3, 1)) }
        // Where there is no code there are neither flags nor corners.
        for place in [1] + Array(12..<28) {
            #expect(throws: MessageError.badNumber, "octet \(place)") { try Self.read(Self.changed(place, 1, of: Self.empty(.nothing))) }
        }
        // Nor measures and movement of a picture that there is not.
        for place in [2, 4, 6] {
            #expect(throws: MessageError.badNumber, "octet \(place)") { try Self.read(Self.changed(place, 1, of: Self.empty(.tooLarge))) }
        }
    }

    /// Each of them is one number of a reading that was fine.
    private static let impossible: [(String, @Sendable (inout CodeReading) -> Void)] = [
        ("a picture without width", { $0.width = 0 }), ("a picture without height", { $0.height = 0 }),
        ("a picture wider than any", { $0.width = 8193 }), ("a picture of no end", { $0.height = .max }),
        ("a corner far outside", { $0.corners.upperRight.x = -8193 }), ("a corner further outside", { $0.corners.lowerLeft.y = 16385 }),
        ("a corner at the end of all numbers", { $0.corners.lowerLeft.x = .min }),
    ]

    @Test("numbers that cannot be are neither written nor read", arguments: impossible.indices)
    func numbers(_ index: Int) throws {
        var reading = Self.reading()
        Self.impossible[index].1(&reading)
        #expect(throws: MessageError.badNumber, "\(Self.impossible[index].0)") { try Written.reply(.reading(reading)) }
        var octets = try Written.reply(.reading(Self.reading()))
        var span = octets.mutableSpan
        var writer = OctetWriter(at: MessageHeader.size)
        reading.encode(&writer, &span)
        #expect(throws: MessageError.badNumber, "\(Self.impossible[index].0)") { try Self.read(octets) }
    }

    @Test("a library has a name and a version, and nothing that a terminal obeys")
    func libraries() throws {
        for (name, version) in [
            ("", "1"), ("a", ""), ("A", "1"), ("a b", "1"), ("a", "1\n"), ("a", "\u{1B}[2J"), (String(repeating: "a", count: 65), "1"),
            ("a", String(repeating: "1", count: 65)),
        ] {
            #expect(throws: MessageError.badIdentity) { try Written.reply(.codeLibrary(CodeLibrary(name: name, version: version))) }
        }
        let octets = try Written.reply(.codeLibrary(Self.library))
        for count in MessageHeader.size..<octets.count - 5 + 1 {
            #expect(throws: MessageError.self, "\(count) octets") { try Self.read(Array(octets.prefix(count))) }
        }
        var longer = octets
        longer[MessageHeader.size] = 200
        #expect(throws: MessageError.wrongLength) { try Self.read(longer) }
        #expect("\(Self.library)" == "zxing-cpp 1.4.0")
    }
}

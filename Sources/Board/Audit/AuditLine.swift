import Cryptography
import JSON

/// A value in the audit log. There is no case for free text: nothing about a person goes in.
public enum AuditValue: Hashable, Sendable {
    case number(Int64)
    case flag(Bool)
    /// A fixed code or an identifier of the gate's own.
    case code(String)
    case codes([String])
}

/// What is recorded: an event and its members, in order.
public struct AuditRecord: Hashable, Sendable {
    /// `visit`, `started`, `repaired`, ...
    public let event: String
    public private(set) var names: [String] = []
    public private(set) var values: [AuditValue] = []

    public init(event: String) {
        self.event = event
    }

    /// Adds a member. A name that is there already, or that every line has, is replaced by nothing: the first one stands.
    public mutating func add(_ name: String, _ value: AuditValue) {
        guard !names.contains(name), !AuditLine.reserved.contains(name) else { return }
        names.append(name)
        values.append(value)
    }
}

/// One line of the audit log: a JSON object that names the digest of the line before it.
///
/// `{"seq":2,"prev":"<64 hexadecimal digits>","at":<seconds since 1970>,"up":<milliseconds since boot>,"event":"visit",...}`.
/// `prev` is the SHA-256 of the previous line without its newline, in lower case; 64 zeros in the first, whose `seq` is 1.
struct AuditLine {
    /// Octets of the longest line, newline included.
    static var capacity: Int { 4096 }
    static var firstPrevious: String { String(repeating: "0", count: 64) }
    static let reserved: Set<String> = ["seq", "prev", "at", "up", "event"]

    /// The numbers that segments have: eight digits, and one more can be counted.
    static let segments: ClosedRange<UInt32> = 1...99_999_999

    let sequence: UInt64
    let previous: String
    let event: String
    /// The number of the segment that this line begins; nil in any other line.
    let segment: UInt32?
    /// The segment before it that was set aside as damaged, or is lost.
    let damaged: UInt32?
    let lost: UInt32?
    /// Of `dropped`: the last segment that went, and whether somebody has a copy of it.
    let droppedTo: UInt32?
    let isExported: Bool
    /// Of `dropped`: a segment that had been set aside.
    let droppedDamaged: UInt32?
    /// Of a segment that follows a damaged one: SHA-256 of that.
    let damagedDigest: String?

    /// Reads a line without its newline; nil when it is not one.
    init?(_ octets: ArraySlice<UInt8>) {
        // A sector that was never written reads as zeros, which no parser should see as white space.
        guard octets.count < Self.capacity, octets.first == UInt8(ascii: "{"), octets.last == UInt8(ascii: "}"),
            let document = try? JSONDocument(parsing: [UInt8](octets)), var members = document.root.members,
            let first = members.next(), first.name == "seq", let sequence = first.value.int64, sequence > 0,
            let second = members.next(), second.name == "prev", let previous = second.value.string,
            previous.utf8.count == 64, previous.utf8.allSatisfy(Self.isDigit),
            let event = document.root["event"]?.string
        else { return nil }
        self.sequence = UInt64(sequence)
        self.previous = previous
        self.event = event
        let root = document.root
        func number(_ name: String, in wanted: String) -> UInt32? {
            event == wanted ? root[name]?.int64.flatMap { UInt32(exactly: $0) }.flatMap { Self.segments.contains($0) ? $0 : nil } : nil
        }
        segment = number("segment", in: Self.segmentEvent)
        damaged = number("damaged", in: Self.segmentEvent)
        lost = number("lost", in: Self.segmentEvent)
        damagedDigest = event == Self.segmentEvent ? root["sha256"]?.string : nil
        droppedTo = number("to", in: Self.droppedEvent)
        droppedDamaged = number("damaged", in: Self.droppedEvent)
        isExported = event == Self.droppedEvent && root["exported"]?.bool == true
    }

    /// The first record of every segment but the first of a log.
    static var segmentEvent: String { "segment" }
    /// Sealed segments went.
    static var droppedEvent: String { "dropped" }

    static func isDigit(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet) || (0x61...0x66).contains(octet)
    }

    /// The line for `record`, newline included.
    static func compose(_ record: AuditRecord, sequence: UInt64, previous: String, at: UInt64, up: UInt64) throws(AuditError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("seq", sequence)
        writer.member("prev", previous)
        writer.member("at", at / 1_000_000_000)
        writer.member("up", up / 1_000_000)
        writer.member("event", record.event)
        for (name, value) in zip(record.names, record.values) {
            switch value {
            case .number(let number): writer.member(name, number)
            case .flag(let flag): writer.member(name, flag)
            case .code(let code): writer.member(name, code)
            case .codes(let codes):
                writer.name(name)
                writer.beginArray()
                for code in codes { writer.string(code) }
                writer.endArray()
            }
        }
        writer.endObject()
        let line = writer.bytes + [UInt8(ascii: "\n")]
        guard line.count <= capacity else { throw .recordTooLong }
        return line
    }

    /// SHA-256 of a line without its newline, as 64 lower-case digits.
    static func digest(_ octets: ArraySlice<UInt8>) throws(AuditError) -> String {
        let digest: InlineArray<32, UInt8>
        do throws(CryptographyError) {
            digest = try Digest.sha256(octets.span)
        } catch {
            throw .noDigest
        }
        var octets: [UInt8] = []
        octets.reserveCapacity(32)
        for index in 0..<32 { octets.append(digest[index]) }
        return hexadecimal(octets)
    }

    /// Two lower-case digits for each octet.
    static func hexadecimal(_ octets: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * octets.count)
        for octet in octets {
            text.append(digits[Int(octet >> 4)])
            text.append(digits[Int(octet & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

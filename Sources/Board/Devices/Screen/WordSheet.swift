import CZlib
import Linux

/// Why a sheet of words cannot be used.
public enum WordSheetError: Error, Hashable, Sendable {
    case unreadable(errno: Int32)
    case tooLong
    /// It is no sheet, or one that ends early or contradicts itself; where that shows, in octets.
    case malformed(at: Int)
}

/// How much of each pixel something covers, row by row.
public struct Coverage: Hashable, Sendable {
    public let width: Int
    public let height: Int
    /// `width` times `height`; 255 is all of it.
    public var octets: [UInt8]

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
        octets = [UInt8](repeating: 0, count: width * height)
    }
}

/// What the screen says in one language, drawn ahead in a few sizes: `tools/words/sheets.py` makes it and says how it is laid out. Nothing
/// is shaped here, and no font is read.
public struct WordSheet: Sendable {
    /// Octets of the largest sheet.
    public static let capacity = 4 << 20
    /// Pixels of the widest and the highest picture.
    private static let widest = 4096, highest = 1024

    /// A tag of RFC 5646, such as `fil`.
    public let language: String
    public let isRightToLeft: Bool
    /// Pixels of a line in each size, ascending.
    public let lineHeights: [Int]
    private let octets: [UInt8]
    /// Of each message its number and its words.
    private let messages: [String: (number: Int, text: String)]
    private let characters: [UInt8]
    /// Where the index of pictures begins.
    private let index: Int

    public init(contentsOf path: String) throws(WordSheetError) {
        let octets: [UInt8]
        do throws(SystemError) {
            octets = try File.read(path, most: Self.capacity)
        } catch {
            throw .unreadable(errno: error.errno)
        }
        try self.init(parsing: octets)
    }

    public init(parsing octets: [UInt8]) throws(WordSheetError) {
        guard octets.count <= Self.capacity else { throw .tooLong }
        var reader = SheetReader(octets: octets)
        guard try reader.text(8) == "GHWORDS2" else { throw .malformed(at: 0) }
        // What a card forgets in the middle of a picture is found out now, and not before a visitor.
        let sum = octets.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        guard octets.count >= 12, Self.checksum(octets.dropLast(4)) == sum else {
            throw .malformed(at: max(0, octets.count - 4))
        }
        language = String(try reader.text(8).prefix { $0 != "\0" })
        isRightToLeft = try reader.number(1) == 1
        let sizes = try reader.number(1), count = try reader.number(2), characters = try reader.number(2)
        guard (1...32).contains(sizes), (1...256).contains(count), characters <= 128, try reader.number(2) == 0 else {
            throw .malformed(at: 16)
        }
        var heights: [Int] = []
        for _ in 0..<sizes {
            let height = try reader.number(2)
            guard height > heights.last ?? 0, height <= Self.highest / 4, try reader.number(2) <= height else {
                throw .malformed(at: reader.place)
            }
            heights.append(height)
        }
        var names: [String] = []
        for _ in 0..<count { names.append(try reader.text(try reader.number(1))) }
        var messages: [String: (number: Int, text: String)] = [:]
        for (number, name) in names.enumerated() {
            let text = try reader.text(try reader.number(2))
            // They go to a terminal as they are.
            guard text.unicodeScalars.allSatisfy({ $0 == "\n" || !(0..<0x20).contains($0.value) && !(0x7F..<0xA0).contains($0.value) })
            else { throw .malformed(at: reader.place) }
            guard messages.updateValue((number, text), forKey: name) == nil else { throw .malformed(at: reader.place) }
        }
        self.characters = try reader.octets(characters)
        lineHeights = heights
        self.messages = messages
        index = reader.place
        for _ in 0..<sizes * (count + characters) {
            let width = try reader.number(2), height = try reader.number(2), start = try reader.number(4), length = try reader.number(4)
            guard (1...Self.widest).contains(width), (1...Self.highest).contains(height), start <= octets.count - 4,
                length <= octets.count - 4 - start
            else { throw .malformed(at: reader.place) }
        }
        self.octets = octets
    }

    /// The words of a message, lines divided by LF.
    public func text(of kind: Sign.Kind) -> String? { messages[kind.rawValue]?.text }

    /// Width and height of a message in pixels; nil where the sheet does not have it.
    func measure(_ kind: Sign.Kind, size: Int) -> (width: Int, height: Int)? {
        messages[kind.rawValue].flatMap { entry($0.number, size) }.map { ($0.width, $0.height) }
    }

    func picture(of kind: Sign.Kind, size: Int) -> Coverage? {
        messages[kind.rawValue].flatMap { entry($0.number, size) }.flatMap(inflate)
    }

    /// Whether the sheet has all characters of a code.
    func canWrite(_ code: String) -> Bool { code.utf8.allSatisfy(characters.contains) }

    /// CRC-32, as at the end of a sheet.
    static func checksum(_ octets: ArraySlice<UInt8>) -> UInt32 {
        octets.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, uInt(clamping: $0.count))) }
    }

    /// Pixels that a code takes in a line; what the sheet has no character for is left out.
    func measure(code: String, size: Int) -> (width: Int, height: Int) {
        code.utf8.compactMap { character($0, size) }.reduce((0, 0)) { ($0.0 + $1.width, max($0.1, $1.height)) }
    }

    func pictures(of code: String, size: Int) -> [Coverage] {
        code.utf8.compactMap { character($0, size).flatMap(inflate) }
    }

    // MARK: the index

    private struct Entry {
        var width: Int
        var height: Int
        var start: Int
        var length: Int
    }

    private func entry(_ number: Int, _ size: Int) -> Entry? {
        guard lineHeights.indices.contains(size) else { return nil }
        return entry(at: size * messages.count + number)
    }

    private func character(_ octet: UInt8, _ size: Int) -> Entry? {
        guard lineHeights.indices.contains(size), let number = characters.firstIndex(of: octet) else { return nil }
        return entry(at: lineHeights.count * messages.count + size * characters.count + number)
    }

    /// All entries were looked at when the sheet was read.
    private func entry(at position: Int) -> Entry? {
        var reader = SheetReader(octets: octets, place: index + 12 * position)
        guard let width = try? reader.number(2), let height = try? reader.number(2), let start = try? reader.number(4),
            let length = try? reader.number(4)
        else { return nil }
        return Entry(width: width, height: height, start: start, length: length)
    }

    /// Nil where the stream is none, or of another length.
    private func inflate(_ entry: Entry) -> Coverage? {
        var picture = Coverage(width: entry.width, height: entry.height)
        var length = uLongf(picture.octets.count)
        let code = octets.withUnsafeBufferPointer { source in
            picture.octets.withUnsafeMutableBufferPointer { target in
                uncompress(target.baseAddress, &length, source.baseAddress.map { $0 + entry.start }, uLong(entry.length))
            }
        }
        return code == Z_OK && Int(length) == picture.octets.count ? picture : nil
    }
}

/// Little-endian numbers and texts, one after the other.
private struct SheetReader {
    let octets: [UInt8]
    var place = 0

    mutating func octets(_ count: Int) throws(WordSheetError) -> [UInt8] {
        guard count >= 0, place >= 0, place <= octets.count, count <= octets.count - place else { throw .malformed(at: place) }
        defer { place += count }
        return Array(octets[place..<place + count])
    }

    mutating func number(_ count: Int) throws(WordSheetError) -> Int {
        try octets(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func text(_ count: Int) throws(WordSheetError) -> String {
        let start = place
        guard let text = String(validating: try octets(count), as: UTF8.self) else { throw .malformed(at: start) }
        return text
    }
}

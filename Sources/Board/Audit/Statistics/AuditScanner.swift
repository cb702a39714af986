import JSON

/// Reads lines as `AuditLine.compose` writes them, octet by octet and without a tree: nearly all of a log. Another form of JSON is refused
/// here and read by `readAny`; whatever is taken here is a record to `AuditLine` as well.
struct AuditScanner {
    /// Members that are looked at, by their names as `packed` has them.
    private static let members = Dictionary(
        uniqueKeysWithValues: AuditEntry.Member.allCases.compactMap { member in packed(member.text).map { ($0, member) } })
    private static let heads = ["seq", "prev"].compactMap(packed)
    /// Octets of the longest name that is read here.
    private static let longestName = 16
    /// Of names that are not looked at, how many may be in one line: each is compared with those before it.
    private static let mostOthers = 24

    private var position = 0
    private var others: [UInt128] = []
    /// Names of the line before, and how many of this one were read. Mostly they are the same; looking them up took a third of the time.
    private var before: [(name: UInt128, member: AuditEntry.Member?)] = []
    private var count = 0

    /// False where the line is to be read by `readAny`; what is in the entry then means nothing.
    mutating func read(_ line: Span<UInt8>, into entry: inout AuditEntry) -> Bool {
        (position, count) = (0, 0)
        others.removeAll(keepingCapacity: true)
        guard line.count < AuditLine.capacity, take("{", line), head(line), let sequence = number(line), sequence > 0, take(",", line),
            head(line), digest(line)
        else { return false }
        entry.begin(UInt64(sequence))
        while take(",", line) {
            guard let name = name(line), member(name, line, into: &entry) else { return false }
        }
        return take("}", line) && position == line.count && entry.code(.event) != nil
    }

    /// `seq`, then `prev`.
    private mutating func head(_ line: Span<UInt8>) -> Bool {
        guard let name = name(line), others.count < Self.heads.count, name == Self.heads[others.count] else { return false }
        others.append(name)
        return true
    }

    private mutating func member(_ name: UInt128, _ line: Span<UInt8>, into entry: inout AuditEntry) -> Bool {
        guard position < line.count else { return false }
        let member = known(name)
        if let member {
            guard entry.claim(member) else { return false }
        } else {
            guard others.count < Self.mostOthers, !others.contains(name) else { return false }
            others.append(name)
        }
        switch line[position] {
        case UInt8(ascii: "\""):
            guard let code = text(line) else { return false }
            if let member { entry.set(member, to: code) }
        case UInt8(ascii: "["):
            return list(line, of: member, into: &entry)
        case UInt8(ascii: "t"):
            return word("true", line)
        case UInt8(ascii: "f"):
            return word("false", line)
        default:
            guard let number = number(line) else { return false }
            if let member { entry.set(member, to: number) }
        }
        return true
    }

    private mutating func known(_ name: UInt128) -> AuditEntry.Member? {
        defer { count += 1 }
        if count < before.count, before[count].name == name { return before[count].member }
        let member = Self.members[name]
        if count < before.count { before[count] = (name, member) } else { before.append((name, member)) }
        return member
    }

    // MARK: values

    private mutating func take(_ character: Unicode.Scalar, _ line: Span<UInt8>) -> Bool {
        guard position < line.count, line[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ word: StaticString, _ line: Span<UInt8>) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < line.count, line[position] == word.utf8Start[offset] else { return false }
            position += 1
        }
        return true
    }

    /// A member's name and its colon.
    private mutating func name(_ line: Span<UInt8>) -> UInt128? {
        guard take("\"", line) else { return nil }
        var name: UInt128 = 0
        for _ in 0...Self.longestName {
            guard position < line.count else { return nil }
            let octet = line[position]
            position += 1
            if octet == UInt8(ascii: "\"") { return take(":", line) ? name : nil }
            guard 0x20..<0x7F ~= octet, octet != UInt8(ascii: "\\") else { return nil }
            name = name << 8 | UInt128(octet)
        }
        return nil
    }

    /// A string without escapes.
    private mutating func text(_ line: Span<UInt8>) -> Range<Int>? {
        guard take("\"", line) else { return nil }
        let start = position
        var isASCII = true
        while position < line.count {
            let octet = line[position]
            if octet == UInt8(ascii: "\"") {
                let range = start..<position
                position += 1
                return isASCII || Self.isUTF8(line.extracting(range)) ? range : nil
            }
            guard octet >= 0x20, octet != UInt8(ascii: "\\") else { return nil }
            isASCII = isASCII && octet < 0x80
            position += 1
        }
        return nil
    }

    private static func isUTF8(_ octets: Span<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: octets)
            return true
        } catch {
            return false
        }
    }

    /// An integer of at most 18 digits.
    private mutating func number(_ line: Span<UInt8>) -> Int64? {
        let isNegative = take("-", line)
        let start = position
        var number: Int64 = 0
        while position < line.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= line[position] {
            guard position - start < 18 else { return nil }
            number = number * 10 + Int64(line[position] - UInt8(ascii: "0"))
            position += 1
        }
        guard position > start, line[start] != UInt8(ascii: "0") || position == start + 1 else { return nil }
        return isNegative ? -number : number
    }

    /// 64 lower-case hexadecimal digits in quotes.
    private mutating func digest(_ line: Span<UInt8>) -> Bool {
        guard let digits = text(line), digits.count == 64 else { return false }
        for index in digits where !AuditLine.isDigit(line[index]) { return false }
        return true
    }

    /// An array of strings.
    private mutating func list(_ line: Span<UInt8>, of member: AuditEntry.Member?, into entry: inout AuditEntry) -> Bool {
        guard take("[", line) else { return false }
        if take("]", line) { return true }
        repeat {
            guard let code = text(line) else { return false }
            if let member { entry.add(code, to: member) }
        } while take(",", line)
        return take("]", line)
    }

    private static func packed(_ name: String) -> UInt128? {
        name.utf8.count > longestName ? nil : name.utf8.reduce(0) { $0 << 8 | UInt128($1) }
    }
}

extension AuditScanner {
    /// Reads any line that is a record.
    ///
    /// - Returns: the text in which the entry's codes stand; nil where it is no record.
    static func readAny(_ line: [UInt8], into entry: inout AuditEntry) -> [UInt8]? {
        guard let known = AuditLine(line[...]), let document = try? JSONDocument(parsing: line), let found = document.root.members
        else { return nil }
        var text: [UInt8] = []
        entry.begin(known.sequence)
        func keep(_ value: JSONValue) -> Range<Int>? {
            guard let octets = value.stringBytes else { return nil }
            text += octets
            return text.count - octets.count..<text.count
        }
        for pair in found {
            guard let name = packed(pair.name), let member = members[name] else { continue }
            if let number = pair.value.int64 { entry.set(member, to: number) }
            if let code = keep(pair.value) { entry.set(member, to: code) }
            if let elements = pair.value.elements {
                for element in elements { if let code = keep(element) { entry.add(code, to: member) } }
            }
        }
        return text
    }
}

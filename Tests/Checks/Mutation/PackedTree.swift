import Envelopes

/// The proof values of W3C presentations as trees (anoncreds.md section 7): MessagePack is JSON here, so that whatever changes a member of
/// the one changes a member of the other. Arrays of octets are arrays of numbers.
extension Tree {
    /// With every `proofValue` that is one opened.
    var opened: Tree {
        switch self {
        case .object(let members):
            .object(
                members.map { member in
                    let value = member.isNamed("proofValue") ? Self.content(of: member.value) : nil
                    return Member(name: member.name, value: value ?? member.value.opened)
                })
        case .array(let elements): .array(elements.map(\.opened))
        case .scalar: self
        }
    }

    /// With every `proofValue` that was opened written again.
    var closed: Tree {
        switch self {
        case .object(let members):
            .object(
                members.map { member in
                    let isOpen = member.isNamed("proofValue") && !member.value.isScalar
                    return Member(name: member.name, value: isOpen ? member.value.proofValue : member.value.closed)
                })
        // Arrays of octets have nothing to close.
        case .array(let elements): elements.allSatisfy(\.isScalar) ? self : .array(elements.map(\.closed))
        case .scalar: self
        }
    }

    private static func content(of value: Tree) -> Tree? {
        guard let text = value.string, text.first == "u" else { return nil }
        return Base64URL.decode(Array(text.dropFirst().utf8)).flatMap { Tree(packed: $0) }
    }

    private var proofValue: Tree { .string("u" + String(decoding: Base64URL.encode(packed), as: UTF8.self)) }

    /// Nil for what is no MessagePack of the kinds that presentations have.
    init?(packed octets: [UInt8]) {
        var rest = octets[...]
        guard let tree = Self.unpack(&rest), rest.isEmpty else { return nil }
        self = tree
    }

    private static func unpack(_ rest: inout ArraySlice<UInt8>) -> Tree? {
        guard let head = rest.popFirst() else { return nil }
        switch head {
        case 0x00...0x7F: return .json("\(head)")
        case 0x80...0x8F: return map(Int(head & 15), &rest)
        case 0x90...0x9F: return array(Int(head & 15), &rest)
        case 0xA0...0xBF: return text(Int(head & 31), &rest)
        case 0xC0: return .json("null")
        case 0xC2: return .json("false")
        case 0xC3: return .json("true")
        case 0xCC, 0xCD, 0xCE, 0xCF: return number(1 << Int(head - 0xCC), &rest).map { .json("\($0)") }
        case 0xD0: return number(1, &rest).map { .json("\(Int8(truncatingIfNeeded: $0))") }
        case 0xD1: return number(2, &rest).map { .json("\(Int16(truncatingIfNeeded: $0))") }
        case 0xD2: return number(4, &rest).map { .json("\(Int32(truncatingIfNeeded: $0))") }
        case 0xD9: return number(1, &rest).flatMap { text($0, &rest) }
        case 0xDC: return number(2, &rest).flatMap { array($0, &rest) }
        case 0xE0...0xFF: return .json("\(Int8(bitPattern: head))")
        default: return nil
        }
    }

    private static func number(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Int(truncatingIfNeeded: rest.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private static func text(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Tree? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return .string(String(decoding: rest.prefix(count), as: UTF8.self))
    }

    private static func array(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Tree? {
        var elements: [Tree] = []
        for _ in 0..<count {
            guard let element = unpack(&rest) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private static func map(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Tree? {
        var members: [Member] = []
        for _ in 0..<count {
            guard let name = unpack(&rest), case .scalar(let text) = name, let value = unpack(&rest) else { return nil }
            members.append(Member(name: text, value: value))
        }
        return .object(members)
    }

    // MARK: Writing

    /// As MessagePack. What is no number, text, boolean or nothing is written as nothing.
    var packed: [UInt8] {
        switch self {
        case .object(let members):
            let head: [UInt8] = members.count < 16 ? [0x80 | UInt8(members.count)] : [0xDE] + Self.big(members.count, 2)
            return head + members.flatMap { Tree.scalar($0.name).packed + $0.value.packed }
        case .array(let elements):
            let head: [UInt8] = elements.count < 16 ? [0x90 | UInt8(elements.count)] : [0xDC] + Self.big(elements.count, 2)
            return head + elements.flatMap(\.packed)
        case .scalar(let octets):
            if let text = string { return Self.packed(Array(text.utf8)) }
            switch String(decoding: octets, as: UTF8.self) {
            case "true": return [0xC3]
            case "false": return [0xC2]
            case let text: return Int64(text).map(Self.packed) ?? [0xC0]
            }
        }
    }

    private static func packed(_ text: [UInt8]) -> [UInt8] {
        switch text.count {
        case 0..<32: [0xA0 | UInt8(text.count)] + text
        case 32..<256: [0xD9, UInt8(text.count)] + text
        default: [0xDA] + big(text.count, 2) + text
        }
    }

    private static func packed(_ number: Int64) -> [UInt8] {
        switch number {
        case 0..<128: [UInt8(number)]
        case 128..<256: [0xCC, UInt8(number)]
        case 256..<65_536: [0xCD] + big(Int(number), 2)
        case 65_536..<1 << 32: [0xCE] + big(Int(number), 4)
        case -32..<0: [UInt8(bitPattern: Int8(number))]
        case Int64(Int32.min)..<(-32): [0xD2] + big(Int(number), 4)
        default: [0xD3] + big(Int(number), 8)
        }
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

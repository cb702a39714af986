/// A value of MessagePack, as far as W3C presentations have any: nothing, booleans, integers, texts, arrays, maps with texts for keys. An
/// array of which every element is written as one octet is `octets` (anoncreds.md section 7).
indirect enum MessagePackValue: ProofValue, Sendable {
    case nothing
    case boolean(Bool)
    case number(Int64)
    case string(String)
    case octetArray([UInt8])
    case array([MessagePackValue])
    case map([(name: String, value: MessagePackValue)])

    /// One value and nothing behind it. Throws `presentationMalformed`.
    init(parsing message: [UInt8]) throws(PresentationReason) {
        guard message.count <= Limits.messagePack else { throw .presentationMalformed }
        var reader = MessagePackReader(message)
        self = try reader.value(depth: 0)
        guard reader.isAtEnd else { throw .presentationMalformed }
    }

    var entries: [(name: String, value: MessagePackValue)]? { if case .map(let entries) = self { entries } else { nil } }

    var items: [MessagePackValue]? {
        switch self {
        case .array(let items): items
        case .octetArray(let octets): octets.map { .number(Int64($0)) }
        default: nil
        }
    }

    var isNothing: Bool { if case .nothing = self { true } else { false } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int64? { if case .number(let value) = self { value } else { nil } }
    var octets: [UInt8]? { if case .octetArray(let octets) = self { octets } else { nil } }

    /// A magnitude: this form has no sign.
    func number(signed: Bool) throws(PresentationReason) -> ProofNumber {
        guard let octets, octets.count <= Limits.integerOctets else { throw .presentationMalformed }
        return ProofNumber(magnitude: octets)
    }

    var g1: G1Point? { octets.flatMap { PointOctets.g1($0) } }
    var g2: G2Point? { octets.flatMap { PointOctets.g2($0) } }
    var scalar: Scalar? { octets.flatMap { PointOctets.scalar($0) } }
}

/// Reads one message from its first octet on. Every length is compared with what is left before anything is kept.
private struct MessagePackReader {
    private let message: [UInt8]
    private var position = 0
    private var values = 0

    init(_ message: [UInt8]) { self.message = message }

    var isAtEnd: Bool { position == message.count }

    private mutating func octet() throws(PresentationReason) -> UInt8 {
        guard position < message.count else { throw .presentationMalformed }
        defer { position += 1 }
        return message[position]
    }

    /// A big-endian number of up to eight octets.
    private mutating func unsigned(_ count: Int) throws(PresentationReason) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<count { value = value << 8 | UInt64(try octet()) }
        return value
    }

    mutating func value(depth: Int) throws(PresentationReason) -> MessagePackValue {
        values += 1
        guard values <= Limits.messagePackValues else { throw .presentationMalformed }
        let head = try octet()
        switch head {
        case 0x00...0x7F: return .number(Int64(head))
        case 0x80...0x8F: return try map(Int(head & 0x0F), depth)
        case 0x90...0x9F: return try array(Int(head & 0x0F), depth)
        case 0xA0...0xBF: return .string(try text(Int(head & 0x1F)))
        case 0xC0: return .nothing
        case 0xC2: return .boolean(false)
        case 0xC3: return .boolean(true)
        case 0xCC, 0xCD, 0xCE, 0xCF:
            guard let number = Int64(exactly: try unsigned(1 << Int(head - 0xCC))) else { throw .presentationMalformed }
            return .number(number)
        case 0xD0: return .number(Int64(Int8(truncatingIfNeeded: try unsigned(1))))
        case 0xD1: return .number(Int64(Int16(truncatingIfNeeded: try unsigned(2))))
        case 0xD2: return .number(Int64(Int32(truncatingIfNeeded: try unsigned(4))))
        case 0xD3: return .number(Int64(truncatingIfNeeded: try unsigned(8)))
        case 0xD9: return .string(try text(Int(try unsigned(1))))
        case 0xDA: return .string(try text(Int(try unsigned(2))))
        case 0xDC: return try array(Int(try unsigned(2)), depth)
        case 0xDE: return try map(Int(try unsigned(2)), depth)
        case 0xE0...0xFF: return .number(Int64(Int8(bitPattern: head)))
        default: throw .presentationMalformed
        }
    }

    private mutating func text(_ count: Int) throws(PresentationReason) -> String {
        guard count <= message.count - position, let text = String(validating: message[position..<position + count], as: UTF8.self) else {
            throw .presentationMalformed
        }
        position += count
        return text
    }

    private mutating func array(_ count: Int, _ depth: Int) throws(PresentationReason) -> MessagePackValue {
        // Every element takes at least one octet.
        guard depth < Limits.messagePackDepth, count <= message.count - position else { throw .presentationMalformed }
        if let octets = octets(count) { return .octetArray(octets) }
        var items: [MessagePackValue] = []
        for _ in 0..<count { items.append(try value(depth: depth + 1)) }
        return .array(items)
    }

    /// The elements where all are `00…7f` or `cc xx`; nothing is consumed where one is not.
    private mutating func octets(_ count: Int) -> [UInt8]? {
        var octets: [UInt8] = [], next = position
        octets.reserveCapacity(count)
        for _ in 0..<count {
            guard next < message.count else { return nil }
            if message[next] < 0x80 {
                octets.append(message[next])
                next += 1
            } else {
                guard message[next] == 0xCC, next + 1 < message.count else { return nil }
                octets.append(message[next + 1])
                next += 2
            }
        }
        position = next
        return octets
    }

    private mutating func map(_ count: Int, _ depth: Int) throws(PresentationReason) -> MessagePackValue {
        guard depth < Limits.messagePackDepth, count <= (message.count - position) / 2 else { throw .presentationMalformed }
        var entries: [(name: String, value: MessagePackValue)] = [], names: Set<ExactText> = []
        for _ in 0..<count {
            guard case .string(let name) = try value(depth: depth + 1), names.insert(ExactText(name)).inserted else {
                throw .presentationMalformed
            }
            entries.append((name, try value(depth: depth + 1)))
        }
        return .map(entries)
    }
}

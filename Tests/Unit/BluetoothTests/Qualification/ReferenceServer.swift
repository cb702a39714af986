@testable import Bluetooth

/// An attribute server written a second time, on plain arrays, from Core Vol 3 Part F 3.4 and Part G 2.5.3 and 3:
/// slow, and sharing nothing with the one under test but the octets on the wire.
struct ReferenceServer {
    enum Place: Equatable {
        case constant
        /// The most octets a write may bring.
        case application(maximum: Int)
        /// The bits a client may set.
        case configuration(allowed: Int)
    }

    struct Attribute {
        var handle: Int
        /// Two or sixteen octets, as they travel.
        var type: [UInt8]
        var value: [UInt8]
        var readError: UInt8?
        var writeError: UInt8?
        var takesCommands = false
        var place = Place.constant
        /// What the application says to a write the table lets through.
        var applicationError: UInt8?
    }

    /// Room for prepared writes, each with six octets of its own; the specification leaves it to the server (3.4.6.1).
    static let queueRoom = 768
    static let primary: [UInt8] = [0x00, 0x28]
    static let secondary: [UInt8] = [0x01, 0x28]
    static let characteristic: [UInt8] = [0x03, 0x28]

    var attributes: [Attribute] = []
    /// What the last service reports as its end, if that lies behind its last attribute.
    var lastGroupEnd = 0
    var mtu = 23
    var queue: [(handle: Int, offset: Int, part: [UInt8])] = []

    mutating func newLink() {
        mtu = 23
        queue = []
        for index in attributes.indices {
            if case .configuration = attributes[index].place { attributes[index].value = [0, 0] }
        }
    }

    // MARK: UUIDs

    /// All types are compared as 128-bit UUIDs.
    static func whole(_ uuid: [UInt8]) -> [UInt8] {
        uuid.count == 2 ? octets("FB 34 9B 5F 80 00 00 80 00 10 00 00") + uuid + [0, 0] : uuid
    }

    static func isService(_ type: [UInt8]) -> Bool { whole(type) == whole(primary) || whole(type) == whole(secondary) }
    static func isCharacteristic(_ type: [UInt8]) -> Bool { whole(type) == whole(characteristic) }

    // MARK: the answer

    /// What the server says to `pdu`; empty for silence.
    mutating func answer(_ pdu: [UInt8]) -> [UInt8] {
        guard let opcode = pdu.first else { return [] }
        if pdu.count > mtu { return opcode & 0x40 == 0 && opcode % 2 == 0 && opcode != 0x1E ? error(opcode, 0, 4) : [] }
        switch opcode {
        case 0x02: return exchange(pdu)
        case 0x04: return findInformation(pdu)
        case 0x06: return findByTypeValue(pdu)
        case 0x08, 0x10: return readByType(pdu)
        case 0x0A: return read(pdu)
        case 0x0C: return readBlob(pdu)
        case 0x0E, 0x20: return readMultiple(pdu)
        case 0x12: return write(pdu)
        case 0x16: return prepare(pdu)
        case 0x18: return execute(pdu)
        case 0x52:
            if pdu.count >= 3 { _ = store(word(pdu, 1), Array(pdu[3...]), isCommand: true) }
            return []
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x1E, 0x21, 0x23: return []
        default: return opcode & 0x40 == 0 ? error(opcode, 0, 6) : []
        }
    }

    private func word(_ pdu: [UInt8], _ at: Int) -> Int { Int(pdu[at]) + 256 * Int(pdu[at + 1]) }

    private func error(_ opcode: UInt8, _ handle: Int, _ code: UInt8) -> [UInt8] { [0x01, opcode] + pair(handle) + [code] }

    private func find(_ handle: Int) -> Int? { attributes.firstIndex { $0.handle == handle } }

    private mutating func exchange(_ pdu: [UInt8]) -> [UInt8] {
        guard pdu.count == 3 else { return error(0x02, 0, 4) }
        mtu = max(23, min(517, word(pdu, 1)))
        return [0x03, 0x05, 0x02]
    }

    // MARK: finding

    private func findInformation(_ pdu: [UInt8]) -> [UInt8] {
        guard pdu.count == 5 else { return error(0x04, 0, 4) }
        let (start, end) = (word(pdu, 1), word(pdu, 3))
        guard start > 0, start <= end else { return error(0x04, start, 1) }
        let inside = attributes.filter { $0.handle >= start && $0.handle <= end }
        guard let first = inside.first else { return error(0x04, start, 10) }
        var response: [UInt8] = [0x05, first.type.count == 2 ? 1 : 2]
        for attribute in inside {
            if attribute.type.count != first.type.count || response.count + 2 + attribute.type.count > mtu { break }
            response += pair(attribute.handle) + attribute.type
        }
        return response
    }

    /// The last handle of the group that begins at `index`; the attribute's own where it begins none.
    private func groupEnd(_ index: Int) -> Int {
        let begins = attributes[index].type
        var end = attributes[index].handle
        guard Self.isService(begins) || Self.isCharacteristic(begins) else { return end }
        for attribute in attributes[(index + 1)...] {
            if Self.isService(attribute.type) { return end }
            if Self.isCharacteristic(begins), Self.isCharacteristic(attribute.type) { return end }
            end = attribute.handle
        }
        return Self.isService(begins) ? max(end, lastGroupEnd) : end
    }

    private func findByTypeValue(_ pdu: [UInt8]) -> [UInt8] {
        guard pdu.count >= 7 else { return error(0x06, 0, 4) }
        let (start, end) = (word(pdu, 1), word(pdu, 3))
        guard start > 0, start <= end else { return error(0x06, start, 1) }
        let (type, wanted) = (Array(pdu[5..<7]), Array(pdu[7...]))
        var response: [UInt8] = [0x07]
        for (index, attribute) in attributes.enumerated() where attribute.handle >= start && attribute.handle <= end {
            guard Self.whole(attribute.type) == Self.whole(type), attribute.readError == nil else { continue }
            let areUUIDs = Self.isService(type) && [2, 16].contains(wanted.count)
            guard areUUIDs ? Self.whole(attribute.value) == Self.whole(wanted) : attribute.value == wanted else { continue }
            if response.count + 4 > mtu { break }
            response += pair(attribute.handle) + pair(groupEnd(index))
        }
        return response.count > 1 ? response : error(0x06, start, 10)
    }

    /// Read By Type and Read By Group Type, which differ in the group's end and in the types they take.
    private func readByType(_ pdu: [UInt8]) -> [UInt8] {
        let opcode = pdu[0]
        guard pdu.count == 7 || pdu.count == 21 else { return error(opcode, 0, 4) }
        let (start, end, type) = (word(pdu, 1), word(pdu, 3), Array(pdu[5...]))
        guard start > 0, start <= end else { return error(opcode, start, 1) }
        if opcode == 0x10, !Self.isService(type) { return error(opcode, start, 16) }
        let requested = attributes.indices.filter {
            attributes[$0].handle >= start && attributes[$0].handle <= end && Self.whole(attributes[$0].type) == Self.whole(type)
        }
        guard let first = requested.first else { return error(opcode, start, 10) }
        if let code = attributes[first].readError { return error(opcode, attributes[first].handle, code) }
        let most = opcode == 0x10 ? min(mtu - 6, 251) : min(mtu - 4, 253)
        var entries: [[UInt8]] = []
        for index in requested {
            let attribute = attributes[index]
            let entry = pair(attribute.handle) + (opcode == 0x10 ? pair(groupEnd(index)) : []) + attribute.value.prefix(most)
            if attribute.readError != nil || entry.count != (entries.first ?? entry).count { break }
            if 2 + (entries.count + 1) * entry.count > mtu { break }
            entries.append(entry)
        }
        return [opcode + 1, UInt8(entries[0].count)] + entries.joined()
    }

    // MARK: reading

    private func read(_ pdu: [UInt8]) -> [UInt8] {
        guard pdu.count == 3 else { return error(0x0A, 0, 4) }
        let handle = word(pdu, 1)
        guard let index = find(handle) else { return error(0x0A, handle, 1) }
        if let code = attributes[index].readError { return error(0x0A, handle, code) }
        return [0x0B] + attributes[index].value.prefix(mtu - 1)
    }

    private func readBlob(_ pdu: [UInt8]) -> [UInt8] {
        guard pdu.count == 5 else { return error(0x0C, 0, 4) }
        let (handle, offset) = (word(pdu, 1), word(pdu, 3))
        guard let index = find(handle) else { return error(0x0C, handle, 1) }
        if let code = attributes[index].readError { return error(0x0C, handle, code) }
        guard offset <= attributes[index].value.count else { return error(0x0C, handle, 7) }
        return [0x0D] + attributes[index].value[offset...].prefix(mtu - 1)
    }

    private func readMultiple(_ pdu: [UInt8]) -> [UInt8] {
        let opcode = pdu[0]
        guard pdu.count >= 5, pdu.count % 2 == 1 else { return error(opcode, 0, 4) }
        var response = [opcode + 1]
        for at in stride(from: 1, to: pdu.count, by: 2) {
            let handle = word(pdu, at)
            guard let index = find(handle) else { return error(opcode, handle, 1) }
            if let code = attributes[index].readError { return error(opcode, handle, code) }
            if opcode == 0x20 {
                // Cut anywhere but within a length.
                if response.count + 2 > mtu { continue }
                response += pair(attributes[index].value.count)
            }
            response += attributes[index].value.prefix(mtu - response.count)
        }
        return response
    }

    // MARK: writing

    private mutating func write(_ pdu: [UInt8]) -> [UInt8] {
        guard pdu.count >= 3 else { return error(0x12, 0, 4) }
        let handle = word(pdu, 1)
        if let code = store(handle, Array(pdu[3...]), isCommand: false) { return error(0x12, handle, code) }
        return [0x13]
    }

    private mutating func store(_ handle: Int, _ value: [UInt8], isCommand: Bool) -> UInt8? {
        guard let index = find(handle) else { return 1 }
        if let code = attributes[index].writeError { return code }
        if isCommand, !attributes[index].takesCommands { return 3 }
        switch attributes[index].place {
        case .constant: return 3
        case .application(let maximum):
            if value.count > maximum { return 13 }
            if let code = attributes[index].applicationError { return code }
        case .configuration(let allowed):
            if value.count > 2 { return 13 }
            let whole = value + attributes[index].value.dropFirst(value.count)
            if word(whole, 0) & ~allowed != 0 { return 0xFD }
            attributes[index].value = whole
            return nil
        }
        attributes[index].value = value
        return nil
    }

    private mutating func prepare(_ pdu: [UInt8]) -> [UInt8] {
        guard pdu.count >= 5 else { return error(0x16, 0, 4) }
        let (handle, offset) = (word(pdu, 1), word(pdu, 3))
        guard let index = find(handle) else { return error(0x16, handle, 1) }
        if let code = attributes[index].writeError { return error(0x16, handle, code) }
        let taken = queue.reduce(0) { $0 + 6 + $1.part.count }
        guard taken + 6 + pdu.count - 5 <= Self.queueRoom else { return error(0x16, handle, 9) }
        queue.append((handle, offset, Array(pdu[5...])))
        return [0x17] + pdu[1...]
    }

    /// Writes the parts in the order received, or none of them; parts of one value that follow each other reach it as one write. A first
    /// part at offset 0 replaces the value, one further on changes what is there. A configuration is never shorter than it is.
    private mutating func execute(_ pdu: [UInt8]) -> [UInt8] {
        let parts = queue
        queue = []
        guard pdu.count == 2, pdu[1] <= 1 else { return error(0x18, 0, 4) }
        guard pdu[1] == 1 else { return [0x19] }
        // As if no application refused anything; on what is kept all of it, up to the application's refusal.
        var trial = self
        for index in trial.attributes.indices { trial.attributes[index].applicationError = nil }
        let answer = trial.execute(parts)
        return answer == [0x19] ? execute(parts) : answer
    }

    private mutating func execute(_ parts: [(handle: Int, offset: Int, part: [UInt8])]) -> [UInt8] {
        // What this queue has put where nobody may read.
        var written: [Int: [UInt8]] = [:]
        var next = 0
        while next < parts.count {
            let handle = parts[next].handle
            guard let index = find(handle) else { return error(0x18, handle, 1) }
            var value = attributes[index].readError == nil ? attributes[index].value : written[handle] ?? []
            var isConfiguration = false
            if case .configuration = attributes[index].place { isConfiguration = true }
            if parts[next].offset == 0, !isConfiguration { value = [] }
            while next < parts.count, parts[next].handle == handle {
                let (offset, part) = (parts[next].offset, parts[next].part)
                if offset > value.count { return error(0x18, handle, 7) }
                if offset + part.count > 512 { return error(0x18, handle, 13) }
                value = value.prefix(offset) + part + value.dropFirst(offset + part.count)
                next += 1
            }
            if let code = store(handle, value, isCommand: false) { return error(0x18, handle, code) }
            written[handle] = value
        }
        return [0x19]
    }
}

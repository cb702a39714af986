import TestSupport
import Testing

@testable import Bluetooth

extension SeededRandom {
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
    mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[pick(0...values.count - 1)] }
}

/// A table of any shape, built with the public calls an application has, and what the reference knows of it.
struct RandomTable: ~Copyable {
    var table = AttributeTable()
    var reference = ReferenceServer()
    var application = TestApplication()
    private var dice: SeededRandom
    private var services: [(uuid: [UInt8], start: Int, end: Int)] = []
    private var constantOctets = 0

    init(seed: UInt64) {
        dice = SeededRandom(seed: seed &* 0x9E37_79B9 &+ 17)
        do {
            for _ in 0..<dice.pick(1...7) where reference.attributes.count < 90 { try addService() }
            if dice.chance(20), last < 0xFFFF { try add(service: Self.uuid(&dice), at: 0xFFFF, isPrimary: true) }
            if dice.chance(20) {
                reference.lastGroupEnd = dice.pick(1...0xFFFF)
                table.lastGroupEnd = UInt16(reference.lastGroupEnd)
            }
        } catch { Issue.record("seed \(seed): \(error)") }
    }

    private var last: Int { reference.attributes.last?.handle ?? 0 }

    /// A free handle: mostly the next, sometimes behind a hole.
    private mutating func handle() -> Int {
        let hole = dice.chance(65) ? 0 : dice.chance(80) ? dice.pick(1...6) : dice.pick(7...1500)
        return min(last + 1 + hole, 0xFF00 + reference.attributes.count)
    }

    /// A few UUIDs, so that some are there twice: short, long, and long forms of the short.
    static func uuid(_ dice: inout SeededRandom) -> [UInt8] {
        let short: [UInt8] = [UInt8(dice.pick(0...5)), 0xAA]
        switch dice.pick(0...9) {
        case 0...5: return short
        case 6: return ReferenceServer.whole(short)
        default: return [UInt8(dice.pick(0xB0...0xB3))] + octets(Database.tail)
        }
    }

    static func uuid(_ octets: [UInt8]) -> UUID {
        var words: [UInt64] = [0, 0]
        for (place, octet) in octets.enumerated() { words[place / 8] |= UInt64(octet) << UInt64(place % 8 * 8) }
        return octets.count == 2 ? UUID(UInt16(words[0])) : UUID(high: words[1], low: words[0])
    }

    private mutating func addService() throws {
        try add(service: Self.uuid(&dice), at: handle(), isPrimary: dice.chance(75))
        for _ in 0..<dice.pick(0...2) where !services.isEmpty && dice.chance(50) { try addInclude() }
        for _ in 0..<dice.pick(0...5) where reference.attributes.count < 90 { try addCharacteristic() }
    }

    private mutating func add(service uuid: [UInt8], at handle: Int, isPrimary: Bool) throws {
        if let first = services.last { services[services.count - 1].end = max(first.start, last) }
        try table.addService(Self.uuid(uuid), at: UInt16(handle), isPrimary: isPrimary)
        know(handle, isPrimary ? ReferenceServer.primary : ReferenceServer.secondary, uuid)
        services.append((uuid, handle, handle))
    }

    private mutating func addInclude() throws {
        let (service, place) = (dice.pick(services), handle())
        try table.addInclude(
            of: Self.uuid(service.uuid), service: UInt16(service.start), end: UInt16(service.end), at: UInt16(place))
        know(place, [0x02, 0x28], pair(service.start) + pair(service.end) + (service.uuid.count == 2 ? service.uuid : []))
    }

    /// An attribute whose value never changes.
    private mutating func know(_ handle: Int, _ type: [UInt8], _ value: [UInt8], readError: UInt8? = nil) {
        reference.attributes.append(.init(handle: handle, type: type, value: value, readError: readError, writeError: 3))
        constantOctets += value.count
    }

    private static let accesses: [(AttributeTable.Access, UInt8?, UInt8?)] = [
        (.allowed, nil, nil), (.allowed, nil, nil), (.allowed, nil, nil), (.denied, 2, 3), (.needsAuthentication, 5, 5),
        (.needsAuthorization, 8, 8), (.needsEncryption, 15, 15), (.needsLongerKey, 12, 12),
    ]

    /// A value: often of a few octets, at times of the longest.
    private mutating func value(upTo most: Int = 512) -> [UInt8] {
        dice.bytes(min(most, dice.chance(50) ? 3 : dice.chance(70) ? dice.pick(0...30) : dice.pick(0...512)))
    }

    private mutating func addCharacteristic() throws {
        let (uuid, declaration) = (Self.uuid(&dice), handle())
        let properties = AttributeTable.Properties(rawValue: UInt8(dice.pick(0...255)))
        let place = declaration + 1 + (dice.chance(80) ? 0 : dice.pick(1...9))
        let (read, readError, _) = dice.pick(Self.accesses)
        let (write, _, writeError) = dice.pick(Self.accesses)
        know(declaration, ReferenceServer.characteristic, [properties.rawValue] + pair(place) + uuid)
        if constantOctets < 2500, dice.chance(40) {
            let value = value()
            try table.addCharacteristic(
                Self.uuid(uuid), properties, constant: value.span, read: read, at: UInt16(declaration),
                valueHandle: UInt16(place))
            know(place, uuid, value, readError: readError)
        } else {
            let most = dice.pick([0, 1, 5, 20, 100, 512])
            try table.addCharacteristic(
                Self.uuid(uuid), properties, read: read, write: write, maximum: most,
                pushesUnsubscribed: dice.chance(10), at: UInt16(declaration), valueHandle: UInt16(place))
            hold(place, uuid, readError, writeError, most, takesCommands: properties.rawValue & 0x04 != 0)
        }
        try addDescriptors(properties.rawValue)
    }

    /// An attribute whose value the application holds; sometimes it refuses.
    private mutating func hold(
        _ handle: Int, _ type: [UInt8], _ readError: UInt8?, _ writeError: UInt8?, _ most: Int, takesCommands: Bool = false
    ) {
        let refusals: [UInt8] = [0x80, 0x9F, 0xFC, 0xFD, 0xFE, 0xFF]
        let refused = dice.chance(10) ? dice.pick(refusals) : nil
        let unwritten = dice.chance(10) ? dice.pick(refusals) : nil
        let value = value(upTo: most)
        application.values[UInt16(handle)] = value
        application.readErrors[UInt16(handle)] = refused.map { ATTError(rawValue: $0) }
        application.writeErrors[UInt16(handle)] = unwritten.map { ATTError(rawValue: $0) }
        reference.attributes.append(
            .init(
                handle: handle, type: type, value: value, readError: readError ?? refused, writeError: writeError,
                takesCommands: takesCommands, place: .application(maximum: most), applicationError: unwritten))
    }

    /// Descriptors in any order, the client's configuration among them.
    private mutating func addDescriptors(_ properties: UInt8) throws {
        var isConfigured = false
        for _ in 0..<dice.pick(0...3) {
            let place = handle()
            switch dice.pick(0...3) {
            case 0 where properties & 0x30 != 0 && !isConfigured:
                isConfigured = true
                try table.addClientConfiguration(at: UInt16(place))
                let pushes = table.attributes[table.count - 1].pushesUnsubscribed
                let allowed = (properties & 0x10 != 0 || pushes ? 1 : 0) | (properties & 0x20 != 0 ? 2 : 0)
                reference.attributes.append(
                    .init(
                        handle: place, type: [0x02, 0x29], value: [0, 0], place: .configuration(allowed: allowed)))
            case 1:
                let value = value(upTo: 40)
                try table.addConstant(Self.uuid([0x01, 0x29]), value.span, at: UInt16(place))
                know(place, [0x01, 0x29], value)
            default:
                let (read, readError, _) = dice.pick(Self.accesses)
                let (write, _, writeError) = dice.pick(Self.accesses)
                let (most, uuid) = (dice.pick([2, 16, 512]), Self.uuid(&dice))
                try table.addDescriptor(Self.uuid(uuid), read: read, write: write, maximum: most, at: UInt16(place))
                hold(place, uuid, readError, writeError, most)
            }
        }
    }
}

import TestSupport
import Testing

@testable import Bluetooth

/// Requests with every parameter that could matter, most of them sensible.
struct RandomRequests {
    var dice: SeededRandom
    let attributes: [ReferenceServer.Attribute]
    let mtu: Int

    private mutating func handle() -> Int {
        switch dice.pick(0...9) {
        case 0...6: dice.pick(attributes).handle
        case 7: max(0, min(0xFFFF, dice.pick(attributes).handle + dice.pick([-1, 1, 2])))
        case 8: dice.pick([0, 1, 0xFFFE, 0xFFFF])
        default: dice.pick(0...0xFFFF)
        }
    }

    private mutating func range() -> [UInt8] {
        if dice.chance(25) { return octets("01 00 FF FF") }
        let (a, b) = (handle(), dice.chance(40) ? 0xFFFF : handle())
        return dice.chance(90) ? pair(min(a, b)) + pair(max(a, b)) : pair(a) + pair(b)
    }

    private mutating func type() -> [UInt8] {
        let type = dice.chance(50) ? dice.pick(attributes).type : [UInt8(dice.pick(0...4)), dice.pick([0x28, 0x29, 0xAA])]
        return dice.chance(20) ? ReferenceServer.whole(type) : type
    }

    private mutating func findByTypeValue() -> [UInt8] {
        let known = dice.pick(attributes)
        var value = known.value
        if ReferenceServer.isService(known.type), dice.chance(30) { value = ReferenceServer.whole(value) }
        if dice.chance(15) { value = dice.bytes(dice.pick(0...16)) }
        // A 128-bit type has no place in this request; the short one that shares its end finds nothing or another.
        return [0x06] + range() + known.type.suffix(known.type.count == 2 ? 2 : 4).prefix(2) + value.prefix(mtu - 7)
    }

    private mutating func part(_ room: Int) -> [UInt8] {
        dice.bytes(min(room, dice.chance(60) ? dice.pick(0...6) : dice.pick(0...512)))
    }

    mutating func next() -> [UInt8] {
        var pdu: [UInt8]
        switch dice.pick(0...23) {
        case 0...1: pdu = [0x04] + range()
        case 2...3: pdu = findByTypeValue()
        case 4...6: pdu = [0x08] + range() + type()
        case 7...8: pdu = [0x10] + range() + (dice.chance(85) ? [UInt8(dice.pick(0...1)), 0x28] : type())
        case 9...10: pdu = [0x0A] + pair(handle())
        case 11...12: pdu = [0x0C] + pair(handle()) + pair(dice.chance(80) ? dice.pick(0...40) : dice.pick(0...600))
        case 13: pdu = [0x0E] + (0..<dice.pick(1...6)).flatMap { _ in pair(handle()) }
        case 14: pdu = [0x20] + (0..<dice.pick(1...6)).flatMap { _ in pair(handle()) }
        case 15...16: pdu = [0x12] + pair(handle()) + part(mtu - 3)
        case 17: pdu = [0x52] + pair(handle()) + part(mtu - 3)
        case 18: pdu = [dice.pick([0x12, 0x12, 0x52])] + pair(configuration()) + pair(dice.pick(0...4))
        case 19...20: pdu = [0x16] + pair(handle()) + pair(dice.chance(50) ? 0 : dice.pick(0...30)) + part(mtu - 5)
        case 21: pdu = [0x16] + pair(configuration()) + pair(dice.pick([0, 0, 1])) + pair(dice.pick(0...3))
        case 22: pdu = [0x18, UInt8(dice.pick([0, 1, 1, 1, 1, 2]))]
        default: pdu = dice.bytes(dice.pick(1...23)).enumerated().map { $0 == 0 && $1 == 0x02 ? 0x3F : $1 }
        }
        if dice.chance(4), pdu.count > 1 { pdu.removeLast() } else if dice.chance(4) { pdu += dice.bytes(1) }
        return pdu
    }

    private mutating func configuration() -> Int {
        let configurations = attributes.filter { $0.type == [0x02, 0x29] }
        return configurations.isEmpty ? handle() : dice.pick(configurations).handle
    }
}

/// The server in front of a table of any shape, against the reference.
@Suite struct AnyDatabaseTests {
    static let mtus: [UInt16] = [23, 24, 48, 185, 517]

    /// What the server answers to `pdu`.
    static func ask(_ server: inout AttributeServer, _ application: inout TestApplication, _ pdu: [UInt8]) -> [UInt8] {
        var response = AttributePDU()
        _ = server.receive(pdu.span, &application, into: &response)
        return (0..<response.count).map { response.storage[$0] }
    }

    @Test("any table answers any request as the plain reference does", arguments: 0..<12)
    func everyAnswer(batch: Int) {
        for seed in UInt64(batch * 25)..<UInt64(batch * 25 + 25) {
            var built = RandomTable(seed: seed)
            var (reference, application) = (built.reference, built.application)
            var server = AttributeServer(table: built.take())
            for mtu in Self.mtus {
                server.resetClient()
                reference.newLink()
                #expect(Self.ask(&server, &application, [0x02] + pair(mtu)) == reference.answer([0x02] + pair(mtu)))
                var requests = RandomRequests(
                    dice: SeededRandom(seed: seed << 16 | UInt64(mtu)), attributes: reference.attributes, mtu: Int(mtu))
                for _ in 0..<60 {
                    let request = requests.next()
                    let (answer, expected) = (Self.ask(&server, &application, request), reference.answer(request))
                    if answer != expected {
                        Issue.record("seed \(seed), MTU \(mtu): \(text(request))\n  is  \(text(answer))\n  not \(text(expected))")
                        return
                    }
                }
                for attribute in reference.attributes {
                    guard case .application = attribute.place else { continue }
                    #expect(application.values[UInt16(attribute.handle)] == attribute.value, "seed \(seed), \(attribute.handle)")
                }
            }
        }
    }

    @Test("a client's procedures find all there is and no more", arguments: 0..<6)
    func everyProcedure(batch: Int) {
        for seed in UInt64(1000 + batch * 25)..<UInt64(1000 + batch * 25 + 25) {
            var built = RandomTable(seed: seed)
            let attributes = built.reference.attributes
            var client = Client(server: AttributeServer(table: built.take()), application: built.application)
            for mtu in Self.mtus {
                client.begin(mtu)
                let handles = attributes.map(\.handle)
                #expect(client.handles() == handles, "seed \(seed), MTU \(mtu)")
                for type in [ReferenceServer.primary, ReferenceServer.secondary] {
                    let services = attributes.filter { $0.type == type }
                    #expect(client.list(0x10, type).map(\.handle) == services.map(\.handle), "seed \(seed), MTU \(mtu)")
                    #expect(client.list(0x10, type).map(\.value) == services.map(\.value), "seed \(seed), MTU \(mtu)")
                }
                for type in [[0x02, 0x28], ReferenceServer.characteristic] as [[UInt8]] {
                    let declarations = attributes.filter { $0.type == type }
                    #expect(client.list(0x08, type).map(\.value) == declarations.map(\.value), "seed \(seed), MTU \(mtu)")
                }
                for attribute in attributes where attribute.readError == nil {
                    #expect(client.readLong(attribute.handle) == attribute.value, "seed \(seed), MTU \(mtu), \(attribute.handle)")
                }
            }
        }
    }
}

extension RandomTable {
    /// The table, for a server; an empty one stays.
    mutating func take() -> AttributeTable {
        var taken = AttributeTable()
        swap(&taken, &table)
        return taken
    }
}

/// The procedures of a client (Core Vol 3 Part G 4.4 to 4.8), which end at the first error.
struct Client: ~Copyable {
    var server: AttributeServer
    var application: TestApplication

    mutating func begin(_ mtu: UInt16) {
        server.resetClient()
        _ = ask([0x02] + pair(mtu))
    }

    mutating func ask(_ pdu: [UInt8]) -> [UInt8] { AnyDatabaseTests.ask(&server, &application, pdu) }

    /// All handles, by Find Information.
    mutating func handles() -> [Int] {
        var found: [Int] = []
        while let start = next(found.last) {
            let answer = ask([0x04] + pair(start) + [0xFF, 0xFF])
            guard answer.first == 0x05 else { break }
            let size = answer[1] == 1 ? 4 : 18
            for at in stride(from: 2, to: answer.count, by: size) { found.append(Int(answer[at]) + 256 * Int(answer[at + 1])) }
        }
        return found
    }

    /// Handle and value of all of `type`; of groups, what follows the group's end.
    mutating func list(_ opcode: UInt8, _ type: [UInt8]) -> [(handle: Int, value: [UInt8])] {
        var found: [(handle: Int, value: [UInt8])] = []
        while let start = next(found.last?.handle) {
            let answer = ask([opcode] + pair(start) + [0xFF, 0xFF] + type)
            guard answer.first == opcode + 1 else { break }
            for at in stride(from: 2, to: answer.count, by: Int(answer[1])) {
                let entry = answer[at..<at + Int(answer[1])]
                found.append((Int(answer[at]) + 256 * Int(answer[at + 1]), Array(entry.dropFirst(opcode == 0x10 ? 4 : 2))))
            }
        }
        return found
    }

    /// A value to its end, by Read and Read Blob.
    mutating func readLong(_ handle: Int) -> [UInt8] {
        var value = Array(ask([0x0A] + pair(handle)).dropFirst())
        while value.count % (Int(server.mtu) - 1) == 0, !value.isEmpty {
            let part = ask([0x0C] + pair(handle) + pair(value.count))
            guard part.first == 0x0D, part.count > 1 else { break }
            value += part.dropFirst()
        }
        return value
    }

    private func next(_ last: Int?) -> Int? { last == 0xFFFF ? nil : (last ?? 0) + 1 }
}

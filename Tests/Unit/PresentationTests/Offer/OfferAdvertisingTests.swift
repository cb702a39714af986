import AriesTransport
import Bluetooth
import Presentation
import RadioTestSupport
import Testing
import Tuvali

/// An offer on a host and a controller that takes everything: what was asked of it is what counts.
private final class OfferOnAir {
    static let service = UUID(high: 0x1011_1213_1415_4617, low: 0x9819_1A1B_1C1D_1E1F)
    /// LE Set Random Address, Advertising Parameters, Advertising Data, Scan Response Data, Advertise Enable (Core Vol 4 Part E 7.8).
    static let sequence: [UInt16] = [0x2005, 0x2006, 0x2008, 0x2009, 0x200A]

    private let storage = UnsafeMutablePointer<HostStorage>.allocate(capacity: 1)
    private let texts = UnsafeMutableRawBufferPointer.allocate(byteCount: Offer.textSize, alignment: 16)
    private let controller = AirController()
    private var host: Host
    private var offer: Offer
    private var link: Bystander = Bystander()
    private var frame = PacketFrame()
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    /// Advertising commands, in their order.
    var sent: [(opcode: UInt16, parameters: [UInt8])] = []

    /// Nobody's values.
    private struct Bystander: HostApplication {
        mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? { .readNotPermitted }
        mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? { .writeNotPermitted }
    }

    init(_ kinds: Set<OfferedKind>, service: UUID? = OfferOnAir.service, savesPower: Bool = false) throws {
        storage.initialize(to: HostStorage())
        host = Host(storage: storage, table: AttributeTable())
        offer = try Offer(
            name: VerifierName(Array("OVPGATE".utf8).span), version: .v05, lifetime: 600_000, settings: OfferSettings(kinds), texts: texts)
        host.savesPower = savesPower
        host.open(now: now)
        move()
        sent = []
        #expect(offer.renew() == true)
        offer.service = service
        advertise()
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
        texts.deallocate()
    }

    var opcodes: [UInt16] { sent.map(\.opcode) }
    /// Lengths and octets of the advertising data that was set, one after the other.
    var data: [[UInt8]] {
        sent.filter { $0.opcode == 0x2008 }.map { Array($0.parameters.dropFirst().prefix(Int($0.parameters.first ?? 0))) }
    }
    var deadline: Instant? { offer.turnDeadline }
    var isAdvertising: Bool { host.isAdvertising }
    func forget() { offer.forgetKey() }

    func advertise() {
        #expect(offer.advertise(on: &host, at: now) == true)
        move()
    }

    func move() {
        for _ in 0..<1_000 {
            var hasMoved = false
            while let packet = controller.next() {
                _ = host.receive(packet.span, now: now, to: &link)
                hasMoved = true
            }
            while host.next(into: &frame, now: now) {
                let packet = (0..<frame.count).map { frame.storage[$0] }, opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
                if packet[0] == 1, Self.sequence.contains(opcode) { sent.append((opcode, Array(packet[4...]))) }
                controller.receive(packet)
                hasMoved = true
            }
            if !hasMoved { return }
        }
    }

    /// Lets time pass as a gate does while nobody is connected.
    func pass(milliseconds: UInt64) {
        let end = now.adding(milliseconds: milliseconds)
        for _ in 0..<1_000 {
            guard let due = Instant.earliest(host.deadline, host.isAdvertising ? offer.turnDeadline : nil), due <= end else { break }
            now = max(now, due)
            _ = host.expire(now: now)
            if host.isAdvertising { offer.turn(on: &host, at: now) }
            move()
        }
        now = end
    }

    func connect() {
        controller.toHost.append([0x04, 0x3E, 19, 0x01, 0, 0x41, 0, 1, 1, 6, 5, 4, 3, 2, 0x41, 24, 0, 0, 0, 0x48, 0, 0])
        move()
    }

    func disconnect() {
        controller.toHost.append([0x04, 0x05, 4, 0, 0x41, 0, 0x13])
        move()
    }
}

/// What of an offer is advertised, and when (aries.md section 1, tuvali.md section 1).
@Suite struct OfferAdvertisingTests {
    private static let announcement: [UInt8] =
        [0x02, 0x01, 0x06, 0x11, 0x07, 0x1F, 0x1E, 0x1D, 0x1C, 0x1B, 0x1A, 0x19, 0x98, 0x17, 0x46, 0x15, 0x14, 0x13, 0x12, 0x11, 0x10]

    @Test("two services take turns in the data; address and scan response stay, and nothing goes off the air")
    func turns() throws {
        let air = try OfferOnAir([.tuvali, .aries])
        #expect(air.opcodes == OfferOnAir.sequence)
        air.pass(milliseconds: 299)
        #expect(air.opcodes == OfferOnAir.sequence)
        air.pass(milliseconds: 1)
        #expect(air.data.last == Self.announcement)
        air.pass(milliseconds: 300)
        #expect(air.data.last == air.data.first && air.data.count == 3)
        air.pass(milliseconds: 6_000)
        #expect(air.opcodes == OfferOnAir.sequence + [UInt16](repeating: 0x2008, count: 22))
        #expect(Set(air.data).count == 2 && air.isAdvertising)
        #expect(zip(air.data, air.data.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test("one service is advertised as ever, or alone without a scan response")
    func alone() throws {
        let offers: [(kinds: Set<OfferedKind>, service: UUID?)] = [
            ([.tuvali], OfferOnAir.service), ([.tuvali, .aries], nil), ([.aries], OfferOnAir.service),
        ]
        for (kinds, service) in offers {
            let air = try OfferOnAir(kinds, service: kinds.contains(.aries) ? service : nil)
            #expect(air.deadline == nil)
            air.pass(milliseconds: 5_000)
            #expect(air.opcodes == OfferOnAir.sequence)
            #expect((air.data.first == Self.announcement) == !kinds.contains(.tuvali))
            #expect((air.sent[3].parameters.first == 0) == !kinds.contains(.tuvali))
        }
    }

    @Test("where there is nothing to look for, nothing is advertised")
    func nothing() throws {
        let air = try OfferOnAir([.aries, .trustedKey], service: nil)
        #expect(air.opcodes == [] && air.deadline == nil)
    }

    @Test("nothing turns while somebody is connected; afterwards it begins with Tuvali's")
    func connected() throws {
        let air = try OfferOnAir([.tuvali, .aries])
        air.pass(milliseconds: 300)
        air.connect()
        air.sent = []
        air.pass(milliseconds: 5_000)
        #expect(air.opcodes == [])
        air.disconnect()
        air.advertise()
        #expect(air.opcodes == OfferOnAir.sequence && air.data.first != Self.announcement)
        air.pass(milliseconds: 300)
        #expect(air.data.last == Self.announcement)
    }

    @Test("on a battery turns are longer once the interval is slow")
    func slow() throws {
        let air = try OfferOnAir([.tuvali, .aries], savesPower: true)
        air.pass(milliseconds: 32_000)
        air.sent = []
        air.pass(milliseconds: 12_000)
        #expect(air.opcodes == [UInt16](repeating: 0x2008, count: 10))
    }

    @Test("a key that serves nobody any more has no turns")
    func forgotten() throws {
        let air = try OfferOnAir([.tuvali, .aries])
        air.forget()
        #expect(air.deadline == nil)
    }
}

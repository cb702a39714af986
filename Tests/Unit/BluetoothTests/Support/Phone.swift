import Testing

@testable import Bluetooth

/// A phone, the scripted controller in front of it, and the host under test.
final class Phone {
    var host: Host
    /// The host's parts are looked at through it.
    let storage: UnsafeMutablePointer<HostStorage>
    let controller: ScriptedController
    var application = TestApplication()
    var now = Instant(nanoseconds: 1_000_000_000)
    var events: [HostEvent] = []
    var handle: UInt16 = 0x0040
    /// Frames go out in ACL fragments of so many octets.
    var pieces = Int.max
    /// Every packet the host was given.
    var delivered: [[UInt8]] = []
    /// Swaps a packet on its way to the host; told how many went before.
    var swap: ((Int, [UInt8]) -> [UInt8])?
    private var frame = PacketFrame()

    init(_ table: consuming AttributeTable = Database.sparse(), _ script: Script = Script()) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: HostStorage())
        host = Host(storage: storage, table: table)
        controller = ScriptedController(script)
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    /// A phone on a link that is up.
    static func connected(_ table: consuming AttributeTable = Database.sparse(), _ script: Script = Script()) -> Phone {
        let phone = Phone(table, script)
        phone.open()
        phone.advertise()
        phone.connect()
        return phone
    }

    // MARK: what the host says of itself

    var isReady: Bool { host.isReady }
    var isConnected: Bool { host.isConnected }
    var isAdvertising: Bool { host.isAdvertising }
    var isQuiet: Bool { host.isQuiet }
    var deadline: Instant? { host.deadline }
    var counters: DropCounters { host.counters }
    var bringUp: BringUp { host.bringUp }
    /// What the host has read of its controller.
    var facts: Controller { host.controller }
    var mtu: UInt16 { host.mtu }

    // MARK: the shell

    func open() {
        controller.reopen()
        host.open(now: now)
        run()
    }

    /// Moves packets until nothing moves.
    func run() {
        for _ in 0..<50_000 {
            while host.next(into: &frame, now: now) { controller.take((0..<frame.count).map { frame.storage[$0] }) }
            guard let packet = controller.next() else { return }
            deliver(packet)
        }
        Issue.record("host and controller never fall silent")
    }

    func deliver(_ packet: [UInt8]) {
        controller.handed(packet)
        let packet = swap?(delivered.count, packet) ?? packet
        delivered.append(packet)
        guard let event = host.receive(packet.span, now: now, to: &application) else { return }
        events.append(event)
        guard event == .connected else { return }
        while let event = host.receiveEarlyData(now: now, to: &application) { events.append(event) }
    }

    /// Delivers and lets host and controller talk.
    func deliver(_ hexadecimal: String) {
        deliver(octets(hexadecimal))
        run()
    }

    /// Lets time pass, deadline by deadline.
    func pass(milliseconds: UInt64) {
        let end = now.adding(milliseconds: milliseconds)
        for _ in 0..<1000 {
            guard let due = host.deadline, due <= end else {
                now = end
                return
            }
            now = max(now, due)
            while let event = host.expire(now: now) { events.append(event) }
            run()
        }
        Issue.record("a deadline stays")
    }

    func advertise(data: [UInt8] = octets("02 01 06"), scanResponse: [UInt8] = [], address: UInt64 = 0xC000_0000_0001) {
        do {
            try host.advertise(
                address: DeviceAddress(value: address), data: data.span, scanResponse: scanResponse.span, now: now)
        } catch { Issue.record("\(error)") }
        run()
    }

    // MARK: the link

    /// LE Connection Complete as a peripheral.
    func connect(status: UInt8 = 0, role: UInt8 = 1, interval: UInt16 = 24, latency: UInt16 = 0, supervision: UInt16 = 600) {
        controller.isAdvertising = false
        deliver(connectionComplete(status: status, role: role, interval: interval, latency: latency, supervision: supervision))
        run()
    }

    func connectionComplete(
        status: UInt8 = 0, role: UInt8 = 1, interval: UInt16 = 24, latency: UInt16 = 0, supervision: UInt16 = 600
    ) -> [UInt8] {
        var packet: [UInt8] = octets("04 3E 13 01")
        packet.append(status)
        packet += pair(handle)
        packet += [role, 1]
        packet += octets("11 22 33 44 55 66")
        packet += pair(interval)
        packet += pair(latency)
        packet += pair(Int(supervision))
        packet.append(0)
        return packet
    }

    func disconnect(reason: UInt8 = 0x13) {
        controller.linkEnded()
        deliver(octets("04 05 04 00") + pair(handle) + [reason])
        run()
    }

    // MARK: frames

    /// Sends one L2CAP frame, in ACL fragments of the lengths given and one for the rest.
    func send(_ channel: UInt16, _ payload: [UInt8], cuts: [Int] = []) {
        var rest = (pair(payload.count) + pair(channel) + payload)[...]
        var flags: UInt16 = 0x2000
        let cuts = cuts.isEmpty ? [Int](repeating: pieces, count: (rest.count - 1) / pieces) : cuts
        for cut in cuts + [rest.count] where cut < rest.count || cut == rest.count && !rest.isEmpty {
            fragment(flags, Array(rest.prefix(cut)))
            rest = rest.dropFirst(cut)
            flags = 0x1000
        }
        if !rest.isEmpty { fragment(flags, Array(rest)) }
        run()
    }

    /// One ACL packet with the flags given; nothing else moves.
    func fragment(_ flags: UInt16, _ data: [UInt8]) {
        deliver([0x02] + pair(handle | flags) + pair(data.count) + data)
    }

    /// Frames the host has sent on `channel` since the last call.
    func frames(_ channel: UInt16) -> [[UInt8]] {
        defer { controller.frames.removeAll { $0.channel == channel } }
        return controller.frames.filter { $0.channel == channel }.map(\.payload)
    }

    /// Sends an ATT PDU and returns what comes back; several PDUs are divided by a bar, none is empty text.
    func att(_ request: [UInt8], cuts: [Int] = []) -> String {
        _ = frames(4)
        send(4, request, cuts: cuts)
        return frames(4).map { text($0) }.joined(separator: " | ")
    }

    func att(_ request: String) -> String { att(octets(request)) }

    func signal(_ request: String) -> String {
        _ = frames(5)
        send(5, octets(request))
        return frames(5).map { text($0) }.joined(separator: " | ")
    }

    func secure(_ request: [UInt8]) -> String {
        _ = frames(6)
        send(6, request)
        return frames(6).map { text($0) }.joined(separator: " | ")
    }

    func push(_ handle: UInt16, _ value: [UInt8]) -> PushResult {
        let result = host.push(handle, value.span, now: now)
        run()
        return result
    }

    func exchange(mtu: UInt16) { _ = att([0x02] + pair(mtu)) }

    // MARK: a whole visit

    /// Connects, discovers, writes, reads, is notified and leaves; whether all of it went as it should.
    @discardableResult
    func visit() -> Bool {
        advertise()
        connect()
        application.values[0x12] = [1, 2, 3]
        var isFine = host.isConnected
        for (request, response) in Database.visit {
            let answer = att(request)
            if answer != response { isFine = false }
        }
        isFine = push(0x22, [9, 8, 7]) == .notified && frames(4) == [octets("1B 22 00 09 08 07")] && isFine
        isFine = signal("12 07 08 00 18 00 28 00 00 00 2A 00") == "01 07 02 00 00 00" && isFine
        isFine = secure(octets("01 03 00 0D 10 03 03")) == "05 05" && isFine
        isFine = application.writes.last?.value == octets("DE AD BE EF") && isFine
        disconnect()
        return !host.isConnected && isFine
    }
}

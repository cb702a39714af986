import Testing

@testable import Bluetooth

/// A phone that is connected to: what its advertisement, its server and its channel say to the host.
extension Phone {
    static let service = UUID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)
    static let serviceOctets = "1F 1E 1D 1C 1B 1A 19 18 17 16 15 14 13 12 11 10"
    /// Three of the characteristics that the tests look for.
    static let list = CharacteristicList(UUID(0xAA01), UUID(0xAA02), UUID(0xAA03))
    static let peer = Peer(address: DeviceAddress(value: 0x6655_4433_2211), isRandom: true)
    static let own = DeviceAddress(value: 0x4A00_0000_0001)

    static func central(_ script: Script = .centralRole) -> Phone {
        let phone = Phone(Database.sparse(), script)
        phone.open()
        return phone
    }

    /// A link on which the host is the central.
    static func asCentral(_ script: Script = .centralRole) -> Phone {
        let phone = central(script)
        phone.initiate()
        phone.linked()
        return phone
    }

    @discardableResult
    func scan(milliseconds: UInt64 = 30_000) -> Bool {
        let isTaken = host.scan(for: Phone.service, from: Phone.own, until: now.adding(milliseconds: milliseconds), now: now)
        run()
        return isTaken
    }

    @discardableResult
    func initiate(milliseconds: UInt64 = 2000) -> Bool {
        let isTaken = host.connect(to: Phone.peer, from: Phone.own, until: now.adding(milliseconds: milliseconds), now: now)
        run()
        return isTaken
    }

    /// The attempt that is on the air succeeds.
    func linked() {
        controller.isInitiating = false
        deliver(connectionComplete(role: 0, interval: 12, supervision: 400))
        run()
    }

    func rest() {
        host.rest()
        run()
    }

    // MARK: reports

    /// A legacy report of one advertisement.
    static func report(_ data: String, type: UInt8 = 0, addressType: UInt8 = 1, peer: String = "11 22 33 44 55 66") -> [UInt8] {
        event([2, 1] + entry(data, type: type, addressType: addressType, peer: peer))
    }

    static func entry(_ data: String, type: UInt8 = 0, addressType: UInt8 = 1, peer: String = "11 22 33 44 55 66") -> [UInt8] {
        let data = octets(data)
        return [type, addressType] + octets(peer) + [UInt8(data.count)] + data + [0xC0]
    }

    static func extendedEntry(_ data: String, type: UInt16 = 0x0013, addressType: UInt8 = 1) -> [UInt8] {
        let data = octets(data)
        return pair(type) + [addressType] + octets("11 22 33 44 55 66 01 00 FF 7F C0 00 00 00 00 00 00 00 00 00") + [UInt8(data.count)]
            + data
    }

    static func event(_ parameters: [UInt8]) -> [UInt8] { [0x04, 0x3E, UInt8(parameters.count)] + parameters }

    /// Flags and a complete list of one 128-bit UUID, as phones have it.
    static let advertisement = "02 01 06 11 07 \(serviceOctets)"

    // MARK: the phone's server

    /// Asks, and returns what leaves for the phone.
    func ask(_ request: ClientRequest) -> String {
        _ = frames(4)
        let result = host.ask(request, now: now)
        run()
        return result == .asked ? frames(4).map { text($0) }.joined(separator: " | ") : "\(result)"
    }

    /// Asks, and plays the server: each response is the answer to the request before it. The last outcome.
    func ask(_ request: ClientRequest, _ steps: (String, String)...) -> ClientOutcome? {
        events.removeAll()
        guard ask(request) == steps.first?.0 else { return nil }
        for (index, step) in steps.enumerated() {
            let next = att(step.1)
            let expected = index + 1 < steps.count ? steps[index + 1].0 : ""
            #expect(next == expected)
            guard next == expected else { return nil }
        }
        return outcome
    }

    /// What the last request came to.
    var outcome: ClientOutcome? {
        for case .answered(let outcome) in events { return outcome }
        return nil
    }

    /// A service at 0010 to 0030 with the three characteristics; the first and the third can be subscribed to.
    func discover() {
        let found = ask(.findService(Phone.service), ("06 01 00 FF FF 00 28 \(Phone.serviceOctets)", "07 10 00 30 00"))
        let listed = ask(
            .findCharacteristics(Phone.list),
            ("08 10 00 30 00 03 28", "09 07 11 00 14 12 00 01 AA"), ("08 12 00 30 00 03 28", "09 07 14 00 04 15 00 02 AA"),
            ("08 15 00 30 00 03 28", "09 07 16 00 10 17 00 03 AA"), ("08 17 00 30 00 03 28", "01 08 17 00 0A"))
        let configured = ask(
            .findConfigurations, ("04 13 00 13 00", "05 01 13 00 02 29"), ("04 18 00 30 00", "05 01 18 00 02 29"))
        #expect([found, listed, configured] == [.done, .done, .done])
    }

    func write(_ index: Int, _ value: [UInt8]) -> WriteResult {
        let result = hand(index, value)
        run()
        return result
    }

    /// Hands a value to be written over, and moves nothing.
    func hand(_ index: Int, _ value: [UInt8]) -> WriteResult { host.write(index, value.span) }

    // MARK: the channel

    @discardableResult
    func openChannel(_ spsm: UInt16) -> Bool {
        let isTaken = host.openChannel(spsm, now: now)
        run()
        return isTaken
    }

    func closeChannel() {
        host.closeChannel(now: now)
        run()
    }

    /// Hands octets for the channel over, and moves nothing.
    func pour(_ octets: [UInt8]) -> Int { host.send(octets.span) }
}

extension Phone {
    /// The last parameters sent with `opcode`.
    func last(_ opcode: Opcode) -> String? { controller.commands.last { $0.opcode == opcode }.map { text($0.parameters) } }

    /// Every command since the list was emptied: its opcode, and its parameters.
    var sent: [String] {
        controller.commands.map { command in
            let opcode = String(command.opcode.rawValue, radix: 16, uppercase: true)
            return command.parameters.isEmpty ? opcode : "\(opcode) \(text(command.parameters))"
        }
    }
}

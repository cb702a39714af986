@testable import Bluetooth

/// What strangers reach of a gate that looks for phones: their advertisements, the answers of their servers, and their channels.

// MARK: advertising reports

/// The service that is looked for.
private let wanted = UUID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)
private let wantedOctets: [UInt8] = (0x10...0x1F).reversed()

/// The first octet chooses the kind of event; the rest is the event, its subevent code included.
func fuzzAdvertisingReport(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let first = octets.first else { return }
    let event = Array(octets.dropFirst().prefix(255))
    let finding = AdvertisingReport.search(event.span, for: wanted, in: first & 1 == 0 ? .legacy : .extended)
    require(finding.malformedData <= 255, "an event has at most 255 reports")
    guard finding.peer != nil else { return }
    let isThere = event.indices.contains { event[$0...].starts(with: wantedOctets) }
    require(isThere, "who is found advertises the service")
}

let advertisingReportSeeds: [[UInt8]] = [
    [0, 2, 1, 0, 1, 1, 2, 3, 4, 5, 0xC6, 21, 2, 1, 6, 0x11, 7] + wantedOctets + [0xC0],
    [0, 2, 2, 3, 1, 1, 2, 3, 4, 5, 0xC6, 3, 2, 1, 6, 0xC0, 4, 0, 1, 2, 3, 4, 5, 0xC6, 18, 0x11, 6] + wantedOctets + [0xC0],
    [1, 13, 1, 0x13, 0, 1, 1, 2, 3, 4, 5, 0xC6, 1, 0, 0xFF, 0x7F, 0xC0] + [UInt8](repeating: 0, count: 9) + [18, 0x11, 7] + wantedOctets,
    [1, 13, 1, 0x33, 0, 0, 1, 2, 3, 4, 5, 0xC6, 1, 0, 0xFF, 0x7F, 0xC0] + [UInt8](repeating: 0, count: 9) + [4, 0x1F, 7, 1, 2], [0, 2, 0],
    [1, 13],
]

// MARK: the attribute client

/// Requests, and whatever a phone's server answers to them.
func fuzzAttributeClient(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    var client = AttributeClient()
    var pdu = RequestPDU()
    let now = Instant(nanoseconds: 1)
    var asked = 0
    var isOver = false
    while !script.isAtEnd {
        let step = script.octet()
        if step & 0x80 == 0 {
            let result = client.ask(request(step, &script), 23, into: &pdu, now)
            require(result == .asked || pdu.isEmpty || client.request != nil, "what is not asked writes nothing")
            if isOver { require(result == .notConnected, "a server that broke the protocol is asked nothing more") }
            if result == .asked { asked = 1 }
        } else if step & 0x40 == 0 {
            // The request leaves.
            pdu.removeAll()
        } else {
            pdu.removeAll()
            let response = script.block()
            let before = client.request
            switch client.receive(response.span, into: &pdu, now) {
            case .asked:
                asked += 1
                require(client.request == before && !pdu.isEmpty, "a request goes on by itself")
                require(asked <= AttributeClient.mostRounds, "no server is asked for ever")
            case .ended(let outcome):
                require(before != nil && client.request == nil && client.deadline == nil, "an outcome ends its request")
                if outcome == .malformed { isOver = true }
            case .dropped: require(client.request == before, "what is dropped changes nothing")
            }
        }
        require(pdu.count <= 23, "a request fits every MTU")
        check(client.service)
    }
}

private func request(_ step: UInt8, _ script: inout Script) -> ClientRequest {
    switch step % 6 {
    case 0: .exchangeMTU
    case 1: .findService(step & 0x40 == 0 ? wanted : UUID(script.word()))
    case 2: .findCharacteristics(CharacteristicList(UUID(0xAA01), UUID(0xAA02), wanted))
    case 3: .findConfigurations
    case 4: .subscribe(Int(script.octet()) - 1)
    default: .read(Int(script.octet()) - 1)
    }
}

private func check(_ service: RemoteService) {
    for index in 0..<CharacteristicList.capacity {
        guard let characteristic = service.characteristic(index) else { continue }
        require(
            service.isFound && service.start < characteristic.value && characteristic.value <= service.end, "a value lies in its service")
        require(characteristic.value <= characteristic.end && characteristic.end <= service.end, "so do its descriptors")
        guard characteristic.configuration != 0 else { continue }
        require(characteristic.value < characteristic.configuration, "a configuration lies behind its value")
        require(characteristic.configuration <= characteristic.end, "and before the next characteristic")
    }
}

let attributeClientSeeds: [[UInt8]] = {
    func answer(_ pdu: [UInt8]) -> [UInt8] { [0xC0, UInt8(pdu.count)] + pdu }
    let found = [1] + answer([7, 0x10, 0, 0x30, 0])
    let listed: [UInt8] =
        [2] + answer([9, 7, 0x11, 0, 0x14, 0x12, 0, 1, 0xAA]) + answer([9, 7, 0x14, 0, 0x20, 0x15, 0, 2, 0xAA])
        + answer([9, 21, 0x20, 0, 0x10, 0x21, 0] + wantedOctets) + answer([1, 8, 0x21, 0, 0x0A])
    let configured: [UInt8] =
        [3] + answer([5, 1, 0x13, 0, 2, 0x29]) + answer([5, 2, 0x16, 0] + wantedOctets) + answer([1, 4, 0x17, 0, 0x0A])
    return [
        [0] + answer([3, 3, 2]) + found + listed + configured + [4, 1] + answer([0x13]) + [5, 2] + answer([0x0B, 1, 2]),
        [0] + answer([1, 2, 0, 0, 6]) + [1] + answer([1, 6, 1, 0, 0x0A]), found + [2] + answer([9, 7, 0x11, 0, 0x14, 0x11, 0, 1, 0xAA]),
        found + listed + [3] + answer([5, 1, 0x12, 0, 2, 0x29]), [0x80, 0, 0] + answer([3, 23, 0]),
    ]
}()

// MARK: the channel

/// A channel, opened by either side, under any commands and frames; the application takes as much as the script says.
func fuzzChannel(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    var play = ChannelPlay()
    while !script.isAtEnd { play.step(&script) }
}

private struct ChannelPlay: ~Copyable {
    private var channel = CreditChannel()
    private var signalling = SignallingPDU()
    private var frame = ChannelFrame()
    private let now = Instant(nanoseconds: 1)
    /// Octets that the application still takes, and what the peer may send without being told more.
    private var room = 0
    private var identifier: UInt8 = 0
    private var isOpen = false

    init() {}

    mutating func step(_ script: inout Script) {
        switch script.octet() % 8 {
        case 0: channel.listened = script.octet() & 1 == 0 ? 0x0080 : nil
        case 1: _ = channel.open(0x0080, now)
        case 2: write()
        case 3: command(script.block())
        case 4: receive(script.block())
        case 5:
            room = Int(script.word())
            channel.room = room
        case 6: send(script.block())
        case 7 where script.octet() & 1 == 0: channel.close(tellsEnd: true, now)
        default:
            let step = channel.expired(Instant(nanoseconds: .max))
            told(step)
        }
        isOpen = channel.phase == .open
        require(channel.receiveCredits <= CreditChannel.credits, "a peer never has more credits than that")
        require(channel.missing >= 0 && channel.missing <= Int(CreditChannel.mtu), "an SDU is no longer than the MTU")
        require(!isOpen || channel.remoteMPS >= 23 && channel.remoteMTU >= 23, "an open channel carries something")
    }

    private mutating func write() {
        signalling.removeAll()
        guard channel.isSignallingDue else { return }
        identifier = identifier == .max ? 1 : identifier + 1
        let before = channel.receiveCredits, isRequest = channel.isRequestDue
        channel.write(identifier: identifier, into: &signalling)
        require(!signalling.isEmpty && signalling.count <= Signalling.mtu, "a command fits the signalling MTU")
        guard !isRequest else { return }
        require(channel.receiveCredits > before, "credits that are due are given")
        require(Int(channel.receiveCredits) * Int(CreditChannel.mps) <= room, "and for no more than there is room for")
    }

    private mutating func command(_ pdu: [UInt8]) {
        let octets = pdu.span
        guard let command = SignallingCommand(octets) else { return }
        signalling.removeAll()
        var step = channel.take(command, octets, now)
        if step == .ignored, command.code == Signalling.creditConnectionRequest {
            step = channel.requested(command, octets, into: &signalling)
        }
        if step == .ignored, command.code == Signalling.disconnectionRequest {
            step = channel.disconnected(command, octets, into: &signalling)
        }
        told(step)
    }

    private func told(_ step: CreditChannel.Step) {
        switch step {
        case .opened: require(!isOpen && channel.phase == .open, "a channel opens once")
        case .refused: require(channel.phase == .closed || channel.phase == .closing, "what is refused is not open")
        case .closed: require(channel.phase != .open, "what is closed is not open")
        case .nothing, .ignored: break
        }
    }

    private mutating func receive(_ octets: [UInt8]) {
        guard channel.phase == .open else { return }
        let before = channel.receiveCredits
        guard let payload = channel.receive(octets.span) else {
            let step = channel.violated(now)
            return told(step)
        }
        require(channel.receiveCredits + 1 == before, "a frame costs a credit")
        require(payload.upperBound == octets.count && payload.lowerBound <= 2, "all of a frame is the application's, but a length")
        room = max(0, room - payload.count)
        channel.room = room
    }

    private mutating func send(_ octets: [UInt8]) {
        frame.removeAll()
        let before = channel.sendCredits
        let count = channel.send(octets.span, into: &frame)
        require(count >= 0 && count <= octets.count, "no more is sent than there is")
        require((count > 0) == !frame.isEmpty, "what is sent is in a frame")
        guard count > 0 else { return }
        require(
            frame.count == count + 2 && frame.count <= Int(channel.remoteMPS) && count <= Int(channel.remoteMTU), "a frame fits the peer")
        require(channel.sendCredits + 1 == before, "and costs a credit")
    }
}

let channelSeeds: [[UInt8]] = {
    func pdu(_ octets: [UInt8]) -> [UInt8] { [3, UInt8(octets.count)] + octets }
    let answer = pdu([0x15, 1, 10, 0, 0x41, 0, 0, 2, 100, 0, 10, 0, 0, 0])
    let asked = pdu([0x14, 9, 10, 0, 0x80, 0, 0x41, 0, 23, 0, 23, 0, 1, 0])
    return [
        [1, 2] + answer + [5, 0xFF, 0xFF, 4, 5, 3, 0, 1, 2, 3, 4, 2, 5, 0, 4, 2, 1, 2, 4, 3, 7, 8, 9, 4, 2, 0, 0, 2, 6, 3, 1, 2, 3],
        [0, 0] + asked + [6, 40] + [UInt8](repeating: 7, count: 40) + pdu([0x16, 3, 4, 0, 0x41, 0, 5, 0]) + [
            6, 2, 1, 2, 4, 2, 0xFF, 0xFF, 2,
        ]
            + pdu([7, 1, 4, 0, 0x41, 0, 0x40, 0]),
        [1, 2] + pdu([1, 1, 2, 0, 0, 0]) + [1, 2] + pdu([0x15, 2, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]),
        [1, 2] + answer + [7, 0, 2] + pdu([6, 4, 4, 0, 0x40, 0, 0x41, 0]) + [7, 1],
        [1, 2] + answer + pdu([0x16, 3, 4, 0, 0x41, 0, 0xFF, 0xFF]) + [2, 7, 1],
    ]
}()

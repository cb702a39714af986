import Bluetooth

@testable import MdocTransport

/// The ways from an engagement to an open link.
extension TestLink {
    /// A link that is open over `bearer`; the request was sent, unless there is none.
    static func open(
        _ bearer: MdocBearer, mtu: UInt16 = 515, request: [UInt8]? = TestLink.request, timing: MdocTiming = MdocTiming()
    ) throws -> TestLink {
        let visit = TestLink(timing: timing)
        visit.request = request
        switch bearer {
        case .channel: try visit.openChannel()
        case .client: try visit.openClient(mtu: mtu)
        case .server: try visit.openServer(mtu: mtu)
        }
        return visit
    }

    func openServer(mtu: UInt16 = 515) throws {
        try begin(MdocOffer(central: Self.central))
        connect(asCentral: false)
        happens { $0.mtuAgreed(mtu, now: $1) }
        happens { $0.subscribed(state: true, data: true, now: $1) }
        receive(.state, [0x01])
    }

    func openClient(mtu: UInt16 = 515) throws {
        try begin(MdocOffer(peripheral: Self.peripheral))
        meet()
        discover(mtu: mtu)
    }

    func openChannel() throws {
        try begin(MdocOffer(peripheral: Self.peripheral, spsm: 0x00C1))
        meet()
        happens { $0.channelOpened(now: $1) }
    }

    /// The phone is found and connected to.
    func meet() {
        happens { $0.found(now: $1) }
        connect(asCentral: true)
    }

    /// The phone's server answers everything as it should.
    func discover(mtu: UInt16 = 515) {
        answer(.exchangeMTU, .mtu(mtu))
        let steps: [MdocStep] = [.findService, .findCharacteristics, .findConfigurations, .subscribeState, .subscribeData]
        for step in steps { answer(step, .done) }
    }

    /// What the phone says, as the bearer carries it.
    func speak(_ message: [UInt8], longest: Int = 512) {
        switch bearer {
        case .channel: receiveChannel(stream(message))
        case .client: for value in fragments(message, longest: longest) { receive(.serverToClient, value) }
        case .server: for value in fragments(message, longest: longest) { receive(.clientToServer, value) }
        }
    }

    /// The values or octets that left for the phone's ear, put together.
    var heard: [[UInt8]] {
        var messages: [[UInt8]] = []
        var message: [UInt8] = []
        for said in said {
            switch said.command {
            case .stream: message += said.octets
            case .notify(.serverToClient), .write(.clientToServer):
                message += said.octets.dropFirst()
                guard said.octets.first == 0x00 else { continue }
                messages.append(message)
                message = []
            default: break
            }
        }
        while bearer == .channel, message.count >= 4 {
            let length = message[..<4].reduce(0) { $0 << 8 | Int($1) }
            guard message.count >= 4 + length else { break }
            messages.append(Array(message[4..<4 + length]))
            message.removeFirst(4 + length)
        }
        return messages
    }
}

@testable import Bluetooth
@testable import Tuvali

/// What is fuzzed from the controller's side: the host alone with a session, or the whole gate.
protocol Peripheral: ~Copyable {
    mutating func open(_ now: Instant)
    mutating func close(_ now: Instant)
    mutating func receive(_ packet: borrowing Span<UInt8>, _ now: Instant)
    mutating func next(into frame: inout PacketFrame, _ now: Instant) -> Bool
    mutating func expire(_ now: Instant)
    mutating func takeFault() -> RecoveryStep?
    /// What a wallet writes to Identify.
    mutating func identify() -> [UInt8]
    /// The octets a wallet would transfer so that `text` arrives.
    mutating func sealed(_ text: [UInt8]) -> [UInt8]
    /// A frame of the camera's, with this code in it.
    mutating func look(_ code: Code, _ now: Instant)
    var deadline: Instant? { mutating get }
    var sight: Sight { get }
}

/// What somebody holds before the camera.
enum Code {
    case nothing
    case text([UInt8])
    /// The gate's own, in a pane of glass.
    case own
    /// A credential that the trusted issuer has signed.
    case good(Int)
}

/// What the rules are checked against.
struct Sight {
    var isConnected = false
    var isAdvertising = false
    var isReady = false
    var isQuiet = false
    var handle: UInt16 = 0
    var mtu: UInt16 = 23
    var credits = 0
    var unacknowledged = 0
    var dataLength = 0
    var dataPackets = 0
    var totalChunks = 0
    var service = Service()
}

extension Sight {
    init(_ host: borrowing Host, _ session: borrowing Session) {
        isConnected = host.isConnected
        isAdvertising = host.isAdvertising
        isReady = host.isReady
        isQuiet = host.isQuiet
        let memory = host.storage
        handle = memory.pointee.core.connection.handle
        mtu = host.mtu
        credits = memory.pointee.core.credits
        unacknowledged = memory.pointee.core.connection.outstanding
        dataLength = host.controller.dataLength
        dataPackets = host.controller.dataPackets
        totalChunks = session.totalChunks
        service = session.service
    }
}

/// A controller and everything behind it, played from a script. Records of the script are raw H4 octets, packets with
/// the right frame around wrong content, a wallet's steps, and time. Unless the script says otherwise commands are
/// answered and data is taken at once.
struct Air<Side: Peripheral & ~Copyable>: ~Copyable {
    var side: Side
    private var framer = H4Framer()
    private var now = Instant(nanoseconds: 1_000_000_000)
    private let dataLength: UInt16
    private let dataPackets: UInt8
    private var answersCommands = true
    private var takesData = true
    /// Opcodes of commands not answered, oldest first.
    private var commands: [UInt16] = []
    /// Data packets of the link not yet reported complete.
    private var held = 0
    /// The L2CAP frame the gate is sending.
    private var frame: [UInt8] = []
    private var isInsideFrame = false
    /// The largest MTU this link had: what was composed under it may still be on its way.
    private var largestMTU: UInt16 = 23
    private var answers = 0
    private var message: [UInt8] = []

    init(_ side: consuming Side, setup: UInt8) {
        self.side = side
        dataLength = [27, 251, 27, 1021][Int(setup & 3)]
        dataPackets = setup >> 2 & 7 + 1
    }

    mutating func play(_ octets: UnsafeBufferPointer<UInt8>) {
        var script = Script(octets)
        _ = script.octet()
        side.open(now)
        drain()
        require(side.sight.isReady, "a good controller comes up")
        connect(0x40, interval: 24)
        while !script.isAtEnd {
            step(&script)
            drain()
            keepTime()
        }
        recover()
    }

    // MARK: the script

    private mutating func step(_ script: inout Script) {
        let operation = script.octet()
        answersCommands = operation & 0x80 == 0
        takesData = operation & 0x40 == 0
        let handle = side.sight.handle
        switch operation & 0x0F {
        case 0: feed(script.block())
        case 1: frameIn(0x0004, script.block())
        case 2: frameIn(0x0005, script.block())
        case 3: frameIn(0x0006, script.block())
        case 4:
            let flags = script.word()
            aclIn(flags & 0x0800 == 0 ? flags & 0xF000 | handle : flags, script.block())
        case 5:
            let code = script.octet()
            let parameters = Array(script.block().prefix(255))
            deliver([0x04, code, UInt8(parameters.count)] + parameters)
        case 6: pass(milliseconds: 1 << UInt64(script.octet() & 0x1F))
        case 7: connect(script.word(), interval: script.word())
        case 8: disconnected(script.octet())
        case 9: acknowledge(Int(script.octet()))
        case 10: answerCommand(status: script.octet())
        case 11:
            // A frame of any channel in fragments of any size.
            let channel = script.word()
            let size = max(1, Int(script.octet()))
            frameIn(channel, script.block(), fragment: size)
        case 12: if let deadline = side.deadline, deadline > now { pass(to: deadline) }
        case 13: wallet(&script)
        case 14: frameIn(0x0004, [0x02] + little16(script.word()))
        default:
            // An event about the link, with the right handle in front of the rest.
            let code = script.octet()
            let parameters = [script.octet()] + little16(handle) + script.block().prefix(250)
            deliver([0x04, code, UInt8(parameters.count)] + parameters)
        }
    }

    /// A step of a wallet that does it right, so that the script gets far.
    private mutating func wallet(_ script: inout Script) {
        let service = side.sight.service
        let maxData = TransferSize.maxData(mtu: side.sight.mtu)
        let payload = max(1, maxData - TransferSize.chunkHeader)
        let step = script.octet()
        guard step < 0xF0 else { return look(step, &script) }
        switch step & 7 {
        case 0: write(service.handle(.identifyRequest), side.identify())
        case 1:
            message = side.sealed(script.block())
            write(service.handle(.responseSize), big32(UInt32(message.count)))
        case 2:
            let first = Int(script.octet()), count = Int(script.octet() & 0x3F)
            for sequence in first..<first + count { chunk(sequence, payload, service) }
        case 3: write(service.handle(.transferReportRequest), [script.octet()])
        case 4:
            let sequence = Int(script.word())
            let octets = script.block()
            let sum = kermit(octets)
            write(service.handle(.submitResponse), big16(sequence) + big16(Int(sum)) + octets)
        case 5:
            // The whole visit.
            frameIn(0x0004, [0x02] + little16(script.word() | 0x80))
            drain()
            write(service.handle(.identifyRequest), side.identify())
            drain()
            message = side.sealed(script.block())
            write(service.handle(.responseSize), big32(UInt32(message.count)))
            let payload = max(1, TransferSize.maxData(mtu: side.sight.mtu) - TransferSize.chunkHeader)
            for sequence in 1...max(1, (message.count + payload - 1) / payload) { chunk(sequence, payload, service) }
            write(service.handle(.transferReportRequest), [1])
        case 6:
            frameIn(
                0x0004, [0x12] + little16(service.handle(Characteristic(rawValue: script.octet() % 9) ?? .disconnect) + 1) + script.take(2))
        default: frameIn(0x0004, [0x1E])
        }
    }

    /// A code before the camera, beside whatever the phone does.
    private mutating func look(_ step: UInt8, _ script: inout Script) {
        let code: Code =
            switch step & 7 {
            case 0: .nothing
            case 1: .own
            case 2, 3: .good(Int(script.octet()))
            case 4: .text(Array("mdoc:".utf8) + script.block())
            case 5: .text(Array("eyJ".utf8) + script.block())
            default: .text(script.block())
            }
        side.look(code, now)
        follow()
    }

    private mutating func chunk(_ sequence: Int, _ payload: Int, _ service: Service) {
        let start = (sequence - 1) * payload
        guard sequence > 0, start < message.count else { return }
        let octets = Array(message[start..<min(message.count, start + payload)])
        let sum = kermit(octets)
        write(service.handle(.submitResponse), big16(sequence) + big16(Int(sum)) + octets)
    }

    private mutating func write(_ handle: UInt16, _ value: [UInt8]) {
        frameIn(0x0004, [0x52] + little16(handle) + value)
    }

    // MARK: packets in

    private mutating func deliver(_ packet: [UInt8]) {
        side.receive(packet.span, now)
        follow()
    }

    private mutating func aclIn(_ word: UInt16, _ data: [UInt8]) {
        deliver([0x02] + little16(word) + little16(UInt16(data.count)) + data)
    }

    private mutating func frameIn(_ channel: UInt16, _ payload: [UInt8], fragment: Int = 1021) {
        let whole = little16(UInt16(payload.count)) + little16(channel) + payload
        var sent = 0
        repeat {
            let end = min(whole.count, sent + fragment)
            aclIn(side.sight.handle | (sent == 0 ? 0x2000 : 0x1000), Array(whole[sent..<end]))
            sent = end
        } while sent < whole.count
    }

    /// Raw octets, as a serial line brings them.
    private mutating func feed(_ octets: [UInt8]) {
        octets.withUnsafeBytes { octets in
            var taken = 0
            while taken < octets.count {
                do throws(H4FramingError) {
                    let step = try framer.feed(UnsafeRawBufferPointer(rebasing: octets[taken...]))
                    require(step > 0 && step <= octets.count - taken, "the framer goes on")
                    taken += step
                } catch {
                    framer.reset()
                    reopen()
                    return
                }
                guard framer.packetLength > 0 else { continue }
                let packet = framer.withPacket { [UInt8]($0) }
                require(packet.count == framer.packetLength && packet.count <= H4Framer.capacity, "a packet fits its frame")
                deliver(packet)
            }
        }
    }

    private mutating func connect(_ handle: UInt16, interval: UInt16, peer: [UInt8] = [1, 2, 3, 4, 5, 0xC6]) {
        deliver([0x04, 0x3E, 19, 0x01, 0] + little16(handle & 0x0FFF) + [1, 1] + peer + little16(interval) + [0, 0, 0x2A, 0, 0])
    }

    private mutating func disconnected(_ reason: UInt8) {
        deliver([0x04, 0x05, 4, 0] + little16(side.sight.handle) + [reason])
    }

    private mutating func acknowledge(_ count: Int) {
        held -= min(held, count)
        deliver([0x04, 0x13, 5, 1] + little16(side.sight.handle) + little16(UInt16(count)))
    }

    private mutating func answerCommand(status: UInt8) {
        guard !commands.isEmpty else { return }
        let opcode = commands.removeFirst()
        switch Opcode(rawValue: opcode) {
        case .disconnect:
            deliver([0x04, 0x0F, 4, status, 1] + little16(opcode))
            if status == 0 { disconnected(0x16) }
        case .leSetPHY: deliver([0x04, 0x0F, 4, status, 1] + little16(opcode))
        default:
            let parameters = [status] + returned(Opcode(rawValue: opcode))
            deliver([0x04, 0x0E, UInt8(3 + parameters.count), 1] + little16(opcode) + parameters)
        }
    }

    private func returned(_ opcode: Opcode?) -> [UInt8] {
        switch opcode {
        case .readLocalVersion: [0x0B, 0, 0, 0x0B, 0x0F, 0, 1, 2]
        case .readLocalSupportedCommands: [UInt8](repeating: 0xFF, count: 64)
        case .readLocalSupportedFeatures: [0, 0, 0, 0, 0x40, 0, 0, 0]
        case .leReadLocalFeatures: [0x20, 0x01, 0, 0, 0, 0, 0, 0]
        case .leReadBufferSizeV2: little16(dataLength) + [dataPackets, 0, 0, 0]
        case .leReadBufferSize: little16(dataLength) + [dataPackets]
        case .readBufferSize: little16(dataLength) + [0] + little16(UInt16(dataPackets)) + [0, 0]
        case .readAddress: [6, 5, 4, 3, 2, 1]
        default: []
        }
    }

    // MARK: what the shell does

    private mutating func reopen() {
        side.close(now)
        commands = []
        forgetLink()
        side.open(now)
    }

    private mutating func forgetLink() {
        held = 0
        frame = []
        isInsideFrame = false
        largestMTU = 23
    }

    /// After whatever went in: faults are acted on, and the counts stay true.
    private mutating func follow() {
        if let step = side.takeFault(), step != .reset { reopen() }
        let sight = side.sight
        if sight.isConnected { largestMTU = max(largestMTU, sight.mtu) } else { forgetLink() }
        require(sight.mtu >= 23 && sight.mtu <= 517, "an MTU is 23 to 517")
        require(sight.credits >= 0 && sight.unacknowledged >= 0, "credits are not negative")
        require(sight.credits + sight.unacknowledged <= sight.dataPackets || !sight.isReady, "no more credits than the controller gave")
    }

    /// Takes everything the gate has to say, and answers it.
    private mutating func drain() {
        var out = PacketFrame()
        var packets = 0
        repeat {
            while side.next(into: &out, now) {
                packets += 1
                require(packets < 2000, "the gate comes to rest")
                out.storage.span.extracting(0..<out.count).withUnsafeBytes { sent(Array($0)) }
                follow()
                if answersCommands, let last = commands.last {
                    // What the script left unanswered is stale by now.
                    commands = [last]
                    answerCommand(status: 0)
                }
            }
            if takesData, held > 0 { acknowledge(held) } else { return }
        } while true
    }

    private mutating func sent(_ packet: [UInt8]) {
        let sight = side.sight
        if packet.first == 0x01 {
            require(packet.count >= 4 && packet.count == 4 + Int(packet[3]), "a command's length is its own")
            require(Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8) != nil, "a command has an opcode")
            commands.append(UInt16(packet[1]) | UInt16(packet[2]) << 8)
            return
        }
        require(packet.count >= 6 && packet[0] == 0x02, "data has octets")
        let word = UInt16(packet[1]) | UInt16(packet[2]) << 8
        require(sight.isConnected && word & 0x0FFF == sight.handle, "data goes to the link that is up")
        require(Int(packet[3]) | Int(packet[4]) << 8 == packet.count - 5, "a data packet's length is its own")
        require(packet.count - 5 <= sight.dataLength, "a data packet fits the controller")
        held += 1
        require(held <= 0xFF + 0x10000, "data waits for credits")
        switch word >> 12 {
        case 0:
            require(!isInsideFrame, "a frame is not cut off by another")
            frame = Array(packet[5...])
            isInsideFrame = true
        case 1:
            require(isInsideFrame, "a continuation continues something")
            frame += packet[5...]
        default: require(false, "data is first or continued")
        }
        require(frame.count >= 4, "the first fragment has the header")
        let length = Int(frame[0]) | Int(frame[1]) << 8
        require(frame.count <= 4 + length, "a frame is as long as it says")
        guard frame.count == 4 + length else { return }
        isInsideFrame = false
        let payload = frame[4...]
        switch UInt16(frame[2]) | UInt16(frame[3]) << 8 {
        case 0x0004: attribute(Array(payload))
        case 0x0005:
            require(length >= 4 && Int(frame[6]) | Int(frame[7]) << 8 == length - 4, "a signalling command's length is its own")
            require(frame[5] != 0, "an identifier is not 0")
        case 0x0006: require(length == 2 && frame[4] == 0x05, "pairing is refused")
        default: require(false, "three channels are spoken")
        }
    }

    /// What the gate says over ATT.
    private mutating func attribute(_ pdu: [UInt8]) {
        require(pdu.count >= 1 && pdu.count <= Int(largestMTU), "nothing is longer than the MTU")
        answers += 1
        switch pdu[0] {
        case 0x01: require(pdu.count == 5 && pdu[4] != 0, "an error has five octets")
        case 0x03: require(pdu.count == 3, "an MTU answer has three octets")
        case 0x05:
            let size = pdu.count > 1 && pdu[1] == 1 ? 4 : 18
            require(pdu.count > 2 && (pdu.count - 2) % size == 0, "information comes in whole pairs")
        case 0x07: require(pdu.count > 1 && (pdu.count - 1) % 4 == 0, "groups come in whole ranges")
        case 0x09, 0x11:
            require(pdu.count > 2 && pdu[1] >= 2 && (pdu.count - 2) % Int(pdu[1]) == 0, "a list has whole entries")
        case 0x0B, 0x0D, 0x0F, 0x21: break
        case 0x13, 0x19: require(pdu.count == 1, "a write's answer is empty")
        case 0x17: require(pdu.count >= 5, "a prepared write is told back")
        case 0x1B, 0x1D:
            answers -= 1
            pushed(pdu)
        default: require(false, "an ATT server says \(pdu[0])")
        }
    }

    private mutating func pushed(_ pdu: [UInt8]) {
        require(pdu.count > 3, "a push has a value")
        let sight = side.sight
        let value = Array(pdu[3...])
        switch sight.service.characteristic(at: UInt16(pdu[1]) | UInt16(pdu[2]) << 8) {
        case .transferReportResponse:
            requireReport(
                value, total: sight.totalChunks == 0 ? TransferSize.maximumChunks : sight.totalChunks,
                maxData: TransferSize.maxData(mtu: largestMTU))
        case .verificationStatus: require(value == [0] || value == [1], "a status is 00 or 01")
        case .disconnect: require(value == [1], "Disconnect is 01")
        default: require(false, "three values are pushed")
        }
    }

    // MARK: time

    private mutating func pass(milliseconds: UInt64) { pass(to: now.adding(milliseconds: milliseconds)) }

    private mutating func pass(to time: Instant) {
        now = min(max(now, time), Instant(nanoseconds: .max / 4))
        keepTime()
    }

    /// What is due is done, and then is due no more.
    private mutating func keepTime() {
        for _ in 0..<100 {
            guard let deadline = side.deadline, deadline <= now else { return }
            side.expire(now)
            follow()
            drain()
        }
        require(false, "a deadline that has passed goes away")
    }

    // MARK: afterwards

    /// However it went: with a controller that works again the gate is found, and serves, within some minutes.
    private mutating func recover() {
        answersCommands = true
        takesData = true
        framer.reset()
        // The controller takes commands again.
        deliver([0x04, 0x0E, 3, 1, 0, 0])
        if let last = commands.last {
            commands = [last]
            answerCommand(status: 0)
        }
        drain()
        if held > 0 { acknowledge(held) }
        drain()
        var patience = 200
        while !side.sight.isAdvertising {
            patience -= 1
            require(patience > 0, "the gate can be found again")
            if side.sight.isConnected {
                disconnected(0x13)
            } else if let deadline = side.deadline {
                pass(to: deadline)
            } else {
                require(false, "a gate that cannot be found waits for something")
            }
            drain()
        }
        // Another phone: whoever was here again and again in vain is sent away.
        connect(0x41, interval: 24, peer: [6, 5, 4, 3, 2, 0xC6])
        drain()
        require(side.sight.isConnected && side.sight.handle == 0x41, "the next wallet connects")
        let before = answers
        frameIn(0x0004, [0x02] + little16(185))
        drain()
        frameIn(0x0004, [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28])
        drain()
        frameIn(0x0004, [0x0A] + little16(side.sight.service.handle(.transferReportResponse)))
        drain()
        require(answers == before + 3, "the next wallet is answered")
    }
}

/// The rules of a transfer report: wallets in the field crash on what breaks them.
func requireReport(_ value: [UInt8], total: Int, maxData: Int) {
    require(value.count >= 3 && value.count <= maxData, "a report fits a value")
    guard value[0] != 1 else { return require(value == [1, 0, 0], "success is 01 00 00") }
    require(value[0] == 0, "a report is 00 or 01")
    require(value.count >= 5 && value.count % 2 == 1, "what is missing is named")
    require(Int(value[1]) << 8 | Int(value[2]) > 0, "what is missing has pages")
    require((value.count - 3) / 2 <= TransferSize.pageSize(maxData: maxData), "a report is one page")
    var last = 0
    for index in stride(from: 3, to: value.count, by: 2) {
        let sequence = Int(value[index]) << 8 | Int(value[index + 1])
        require(sequence > last && sequence <= total, "missing numbers ascend within the transfer")
        last = sequence
    }
}

@testable import Bluetooth
@testable import Tuvali

/// A session alone, against a model of the transfer that is written as the protocol's text says it.
func fuzzTuvali(_ octets: UnsafeBufferPointer<UInt8>) {
    var play = TuvaliPlay(version: octets.first ?? 0)
    play.run(octets)
}

private struct TuvaliPlay: ~Copyable {
    private var session: Session
    private let memory = UnsafeMutablePointer<SessionStorage>.allocate(capacity: 1)
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var value = AttributeValue()
    private var mtu: UInt16 = 23

    // The model.
    private var size = 0
    private var payload = 0
    private var chunks: [[UInt8]?] = []
    private var missing = 0
    private var isToldToDisconnect = false

    nonisolated(unsafe) private static let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: TransferSize.maximumCiphertext, alignment: 64)

    init(version: UInt8) {
        var service = Service()
        _ = HostSide.table(version & 1 == 0 ? .v05 : .v04, &service)
        memory.initialize(to: SessionStorage())
        session = Session(storage: memory, service: service, buffer: Self.buffer)
    }

    deinit { memory.deallocate() }

    mutating func run(_ octets: UnsafeBufferPointer<UInt8>) {
        var script = Script(octets)
        _ = script.octet()
        begin()
        while !script.isAtEnd {
            step(&script)
            settle()
        }
        // Whatever happened: the link goes, and the session is over.
        session.disconnected(now: now)
        settle()
        pass(milliseconds: 700_000)
        require(session.phase == .idle && session.deadline == nil, "a session without a link comes to its end")
    }

    private var isLinkUp: Bool { memory.pointee.core.isLinkUp }

    private mutating func begin() {
        do throws(ActionRefused) { try session.startAdvertisement(now: now) } catch { require(false, "an idle session begins") }
        isToldToDisconnect = false
        forget()
    }

    private mutating func forget() {
        size = 0
        chunks = []
        missing = 0
    }

    private mutating func step(_ script: inout Script) {
        switch script.octet() & 0x0F {
        case 0:
            if session.phase == .idle { begin() }
            if session.phase == .advertising { mtu = 23 }
            session.connected(intervalMicroseconds: UInt64(script.word()) * 1250, now: now)
        case 1: session.disconnected(now: now)
        case 2:
            guard isLinkUp else { return }
            mtu = max(23, min(517, script.word()))
            session.mtuExchanged(mtu, now: now)
        case 3:
            let characteristic = Characteristic(rawValue: script.octet() % 9) ?? .request
            write(characteristic, script.block())
        case 4: pass(milliseconds: 1 << UInt64(script.octet() & 0x1F))
        case 5: push(isTaken: true)
        case 6: push(isTaken: false)
        case 7: write(.identifyRequest, [UInt8](repeating: script.octet(), count: 44))
        case 8:
            let exponent = UInt32(script.octet() & 0x0F)
            write(.responseSize, big32(UInt32(script.word()) << exponent))
        case 9: submit(Int(script.word()), script.octet())
        case 10:
            let first = Int(script.octet()), count = Int(script.octet()), mask = script.octet()
            for sequence in first..<first + count where mask & 1 << (sequence & 7) == 0 { submit(sequence, mask) }
        case 11: write(.transferReportRequest, [1])
        case 12:
            session.secureChannelEstablished(now: now)
            session.decide(accepted: script.octet() & 1 == 0, now: now)
        case 13:
            switch script.octet() & 3 {
            case 0, 1: _ = session.stop(now: now)
            case 2: session.fail(.unknown, now: now)
            default: do throws(ActionRefused) { try session.startAdvertisement(now: now) } catch {}
            }
        case 14: if let deadline = session.deadline { pass(to: deadline) }
        default:
            var raw: UInt8 = 0
            while let characteristic = Characteristic(rawValue: raw) {
                value.removeAll()
                _ = session.read(session.service.handle(characteristic), into: &value)
                raw += 1
            }
        }
    }

    /// A chunk as it should be; its content follows from its number and `content`.
    private mutating func submit(_ sequence: Int, _ content: UInt8) {
        let count = sequence >= 1 && sequence <= chunks.count ? min(payload, size - (sequence - 1) * payload) : 20
        let octets = [UInt8](repeating: UInt8(truncatingIfNeeded: sequence) ^ content, count: max(0, count))
        write(.submitResponse, big16(sequence) + big16(Int(kermit(octets))) + octets)
    }

    private mutating func write(_ characteristic: Characteristic, _ octets: [UInt8]) {
        let before = session.phase
        session.advance(to: now)
        _ = session.write(session.service.handle(characteristic), octets.span, isCommand: true)
        guard isLinkUp else { return require(session.phase == before, "without a link nothing is written") }
        switch characteristic {
        case .responseSize where before == .secure: sized(octets)
        case .submitResponse where before == .receiving: received(octets)
        case .transferReportRequest where before == .receiving && octets.first == 1: asked()
        default: break
        }
        if session.phase == .receiving { require(session.missingChunks == missing, "what is missing is known") }
    }

    private mutating func sized(_ octets: [UInt8]) {
        let maxData = Int(min(mtu, 512)) - 3
        let wanted = octets.count < 4 ? 0 : octets[..<4].reduce(0) { $0 << 8 | Int($1) }
        let chunkPayload = maxData - 4
        let isGood = wanted > 0 && wanted <= 4 << 20 && maxData >= 64 && (wanted + chunkPayload - 1) / chunkPayload <= 32767
        require((session.phase == .receiving) == isGood, "a transfer begins when its size allows it")
        guard isGood else { return }
        (size, payload) = (wanted, chunkPayload)
        missing = (wanted + chunkPayload - 1) / chunkPayload
        chunks = Array(repeating: nil, count: missing)
        require(session.totalChunks == missing, "the number of chunks is known")
    }

    private mutating func received(_ octets: [UInt8]) {
        guard octets.count > 4 else { return }
        let sequence = Int(octets[0]) << 8 | Int(octets[1])
        guard sequence >= 1, sequence <= chunks.count, chunks[sequence - 1] == nil else { return }
        let content = Array(octets[4...])
        guard content.count == min(payload, size - (sequence - 1) * payload), kermit(content) == UInt16(octets[2]) << 8 | UInt16(octets[3])
        else { return }
        chunks[sequence - 1] = content
        missing -= 1
    }

    /// A report was asked for.
    private mutating func asked() {
        if 10 * missing > 7 * chunks.count {
            require(session.phase == .closing, "a hopeless transfer is given up")
        } else {
            require(session.phase == (missing == 0 ? .deciding : .receiving), "a whole message is opened")
        }
    }

    /// Takes what is due to be pushed; a link that is busy takes nothing and is offered the same again.
    private mutating func push(isTaken: Bool) {
        var pushed = 0
        while let characteristic = session.nextPush(into: &value) {
            let octets = value.storage.span.extracting(0..<value.count).withUnsafeBytes { Array($0) }
            require(isLinkUp, "nothing is pushed without a link")
            switch characteristic {
            case .transferReportResponse: reported(octets)
            case .verificationStatus: require(octets == [0] || octets == [1], "a status is 00 or 01")
            case .disconnect: require(octets == [1], "Disconnect is 01")
            default: require(false, "three values are pushed")
            }
            guard isTaken else { return }
            session.didPush(characteristic, now: now)
            pushed += 1
            require(pushed < 4, "what is pushed is due no more")
        }
    }

    private func reported(_ octets: [UInt8]) {
        let maxData = Int(min(mtu, 512)) - 3
        requireReport(octets, total: chunks.count, maxData: maxData)
        require((octets[0] == 1) == (missing == 0), "success is told when nothing is missing")
        if octets[0] == 1 {
            return require(session.phase == .deciding || session.phase == .waitingDisconnect, "success is followed by a verdict")
        }
        let page = (maxData - 3) / 2
        require(Int(octets[1]) << 8 | Int(octets[2]) == (missing + page - 1) / page, "pages are counted")
        var absent: [UInt8] = []
        for (index, chunk) in chunks.enumerated() where chunk == nil && absent.count < 2 * page { absent += big16(index + 1) }
        require(octets[3...].elementsEqual(absent), "the first missing chunks are named")
    }

    private mutating func pass(milliseconds: UInt64) { pass(to: now.adding(milliseconds: milliseconds)) }

    private mutating func pass(to time: Instant) {
        now = min(max(now, time), Instant(nanoseconds: .max / 4))
        for _ in 0..<20 {
            guard let deadline = session.deadline, deadline <= now else { return }
            session.expire(now: now)
            settle()
        }
        require(false, "a deadline that has passed goes away")
    }

    private mutating func settle() {
        while let event = session.nextEvent() {
            switch event {
            case .received:
                require(missing == 0 && session.phase == .deciding && session.messageSize == size, "a message is received whole")
                var position = 0
                for chunk in chunks {
                    require(
                        chunk?.elementsEqual(Self.buffer[position..<position + (chunk?.count ?? 0)]) == true, "a message is what was sent")
                    position += chunk?.count ?? 0
                }
            case .disconnectNow: isToldToDisconnect = true
            case .ended, .advertiseAgain: require(!isLinkUp, "a session ends with its link")
            default: break
            }
            if case .ended = event { require(session.phase == .idle, "an end is an end") }
        }
        // Only the application's own turns have no deadline.
        if isLinkUp, ![.idle, .advertising, .deciding].contains(session.phase) {
            require(session.deadline != nil || isToldToDisconnect, "a session never waits for ever")
        }
    }
}

/// CRC-16/KERMIT a bit at a time.
func kermit(_ octets: [UInt8]) -> UInt16 {
    var crc: UInt16 = 0
    for octet in octets {
        crc ^= UInt16(octet)
        for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x8408 }
    }
    return crc
}

import Bluetooth
import Glibc
import TestSupport
import Testing

@testable import Tuvali

/// One session with a clock, a link that takes everything at once, and an application that does what it is told to.
final class TestVisit {
    struct Push: Equatable {
        var characteristic: Characteristic
        var value: [UInt8]
        /// Milliseconds since the beginning.
        var at: UInt64
    }

    var session: Session
    private let storage: UnsafeMutablePointer<SessionStorage>
    let buffer: UnsafeMutableRawBufferPointer
    let service: Service
    private let start: Instant
    private(set) var now: Instant
    private var value = AttributeValue()

    private(set) var pushes: [Push] = []
    private(set) var events: [SessionEvent] = []

    /// The application agrees on keys as soon as it may.
    var agrees = true
    /// The application decides so when the message is there.
    var verdict: Bool?
    /// The link takes nothing.
    var isLinkBusy = false
    /// The link ends when it is told to.
    var obeysDisconnect = true
    var isLinkUp = false

    init(timing: SessionTiming = SessionTiming(), version: WireVersion = .v05, capacity: Int = 1 << 20) {
        var table = AttributeTable()
        var service = Service()
        do {
            try table.addGenericAccess(name: [0x47].span, appearance: 0)
            try table.addGenericAttribute()
            try service.add(to: &table, version: version)
        } catch {
            Issue.record("no attribute table: \(error)")
        }
        self.service = service
        start = Instant(nanoseconds: 77_000_000_000)
        now = start
        buffer = .allocate(byteCount: capacity, alignment: 64)
        if let begin = buffer.baseAddress { memset(begin, 0, buffer.count) }
        storage = .allocate(capacity: 1)
        storage.initialize(to: SessionStorage())
        session = Session(storage: storage, service: service, buffer: buffer, timing: timing)
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
        buffer.deallocate()
    }

    var milliseconds: UInt64 { now.milliseconds(since: start) }

    // MARK: to the state wanted

    func advertise() throws { try session.startAdvertisement(now: now) }

    func connect(interval: UInt64 = 7_500, step: UInt8 = 0, mtu: UInt16? = 517) {
        isLinkUp = true
        session.connected(intervalMicroseconds: interval, step: step, now: now)
        if let mtu { session.mtuExchanged(mtu, now: now) }
        pump()
    }

    /// A fresh visit as far as `phase`.
    static func at(
        _ phase: Session.Phase, mtu: UInt16 = 67, size: Int = 600, timing: SessionTiming = SessionTiming(), step: UInt8 = 0
    ) throws -> TestVisit {
        let visit = TestVisit(timing: timing, capacity: max(size, 4096))
        if phase == .idle { return visit }
        try visit.advertise()
        if phase == .advertising { return visit }
        visit.connect(step: step, mtu: mtu)
        if phase == .connected { return visit }
        visit.agrees = phase != .identified
        visit.write(.identifyRequest, WalletSide.identify)
        if phase == .identified || phase == .secure { return visit }
        if phase == .closing {
            visit.obeysDisconnect = false
            visit.session.fail(.unknown, now: visit.now)
            visit.pump()
            return visit
        }
        visit.write(.responseSize, WalletSide.size(size))
        if phase == .receiving { return visit }
        visit.send(WalletSide.chunks(Self.message(size), mtu: Int(mtu)))
        visit.write(.transferReportRequest, [1])
        if phase == .waitingDisconnect {
            visit.obeysDisconnect = false
            visit.session.decide(accepted: true, now: visit.now)
            visit.wait(50)
        }
        return visit
    }

    static func message(_ size: Int) -> [UInt8] {
        var numbers = SeededRandom(seed: UInt64(size))
        return numbers.bytes(size)
    }

    // MARK: what the wallet does

    @discardableResult
    func write(_ handle: UInt16, _ octets: [UInt8], isCommand: Bool = true) -> ATTError? {
        session.advance(to: now)
        let error = session.write(handle, octets.span, isCommand: isCommand)
        pump()
        return error
    }

    @discardableResult
    func write(_ characteristic: Characteristic, _ octets: [UInt8], isCommand: Bool = true) -> ATTError? {
        write(service.handle(characteristic), octets, isCommand: isCommand)
    }

    func send(_ chunks: [[UInt8]]) { for chunk in chunks { write(.submitResponse, chunk) } }

    func read(_ characteristic: Characteristic) -> [UInt8] {
        value.removeAll()
        _ = session.read(service.handle(characteristic), into: &value)
        return array(value.storage.span.extracting(0..<value.count))
    }

    func leave() {
        isLinkUp = false
        session.disconnected(now: now)
        pump()
    }

    // MARK: what the application does

    @discardableResult
    func decide(_ isAccepted: Bool) -> Bool { session.decide(accepted: isAccepted, now: now) }

    func stop() -> TuvaliError? { session.stop(now: now) }

    // MARK: time

    /// Lets time pass, stopping at every deadline on the way.
    func wait(_ milliseconds: UInt64) {
        let end = now.adding(milliseconds: milliseconds)
        var turns = 0
        while let due = session.deadline, due <= end {
            now = max(now, due)
            session.expire(now: now)
            pump()
            turns += 1
            guard turns <= 1000 else {
                Issue.record("the same deadline again and again")
                break
            }
        }
        now = end
        session.expire(now: now)
        pump()
    }

    func pump() {
        while let event = session.nextEvent() {
            events.append(event)
            switch event {
            case .identified: if agrees { session.secureChannelEstablished(now: now) }
            case .received: if let verdict { session.decide(accepted: verdict, now: now) }
            case .disconnectNow: if obeysDisconnect, isLinkUp { leave() }
            default: break
            }
        }
        guard !isLinkBusy else { return }
        while let characteristic = session.nextPush(into: &value) {
            pushes.append(
                Push(
                    characteristic: characteristic, value: array(value.storage.span.extracting(0..<value.count)), at: milliseconds))
            session.didPush(characteristic, now: now)
        }
    }

    // MARK: what came out

    var phase: Session.Phase { session.phase }
    var hasIdentified: Bool { storage.pointee.core.hasIdentified }
    var phaseDeadline: Instant? { storage.pointee.core.phaseDeadline }
    var transferDeadline: Instant? { storage.pointee.core.transferDeadline }
    var sessionDeadline: Instant? { storage.pointee.core.sessionDeadline }
    var reportAt: Instant? { storage.pointee.core.reportAt }
    var resendAt: Instant? { storage.pointee.core.resendAt }
    var deadline: Instant? { session.deadline }
    var nonce: [UInt8] { array(session.nonce.span) }
    var walletKey: [UInt8] { array(session.walletKey.span) }
    var messageSize: Int { session.messageSize }
    var totalChunks: Int { session.totalChunks }
    var checksumFailures: UInt32 { session.checksumFailures }
    func count(_ outcome: ChunkAssembler.Outcome) -> UInt32 { session.count(of: outcome) }
    func count(_ ignored: IgnoredWrite) -> UInt32 { session.count(of: ignored) }

    func pushed(_ characteristic: Characteristic) -> [[UInt8]] {
        pushes.filter { $0.characteristic == characteristic }.map(\.value)
    }

    var reports: [[UInt8]] { pushed(.transferReportResponse) }
    var statuses: [[UInt8]] { pushed(.verificationStatus) }
    var isAskedToLeave: Bool { pushed(.disconnect) == [[1]] }

    var errors: [TuvaliError] {
        events.compactMap { if case .failed(let error) = $0 { error } else { nil } }
    }

    var ends: [SessionEnd] {
        events.compactMap { if case .ended(let end) = $0 { end } else { nil } }
    }

    /// Why the link has ended: with its key where somebody had identified, and without where nobody had.
    var linkEnd: SessionEnd? {
        switch events.last {
        case .ended(let end) where hasIdentified && phase == .idle && deadline == nil: end
        case .advertiseAgain(let end) where !hasIdentified && phase == .advertising && ends == []: end
        default: nil
        }
    }

    var received: [UInt8] { Array(buffer[..<session.messageSize]) }
    var isBufferZero: Bool { buffer.allSatisfy { $0 == 0 } }

    /// Ended by this error: the wallet is asked to leave, and made to when it does not.
    func expectFailure(
        _ error: TuvaliError, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(errors == [error], sourceLocation: sourceLocation)
        #expect("\(error.code)" == code, sourceLocation: sourceLocation)
        #expect(isAskedToLeave, sourceLocation: sourceLocation)
        #expect(phase == .closing, sourceLocation: sourceLocation)
        #expect(statuses == [], sourceLocation: sourceLocation)
        // The wallet does not go by itself.
        wait(500)
        #expect(events.contains(.disconnectNow), sourceLocation: sourceLocation)
        #expect(linkEnd == .failed, sourceLocation: sourceLocation)
    }
}

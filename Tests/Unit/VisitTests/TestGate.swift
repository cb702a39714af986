import Bluetooth
import Foundation
import TestSupport
import Testing
import Trust

@testable import Presentation
@testable import Tuvali
@testable import Visit

/// A gate, its controller, a phone in front of it, and the shell between them.
final class TestGate {
    /// What the shell does with records.
    enum Shelf { case stores, fails, waits }

    var gate: Gatekeeper
    let controller = TestController()
    private(set) var now = Now(monotonic: Instant(nanoseconds: 5_000_000_000), wall: TestIssuer.now)
    private var frame = PacketFrame()

    var shelf = Shelf.stores
    private(set) var records: [VisitRecord] = []
    private(set) var abandoned: [AbandonedLinks] = []
    private(set) var faults: [RecoveryStep] = []
    /// Every light there was, in order.
    private(set) var lights = [LightState.off]
    /// When each of them began.
    private(set) var lightsAt = [Instant(nanoseconds: 5_000_000_000)]
    /// What locks and loudspeakers were told.
    private(set) var verdicts: [Bool] = []
    private(set) var supervisorNews: [SupervisorNews] = []
    /// All that the screen said, in order.
    private(set) var signs: [VisitorSign] = []
    private(set) var wantsCamera = false
    private(set) var wantsCodes = false
    /// What the gate wanted done, by name, since `notesActions`.
    private(set) var actions: [String] = []
    var notesActions = false {
        didSet { actions = [] }
    }
    private(set) var isStopped = false
    private var taken: VisitRecord?
    private var asked: FaceRequest?
    private var mustVerify = false
    /// What was pushed to the phone.
    private(set) var pushes: [(Characteristic, [UInt8])] = []
    private(set) var answers: [[UInt8]] = []
    /// The same, and what another table than Tuvali's has: handle and value.
    private var notifications: [(UInt16, [UInt8])] = []
    var confirms = true
    /// Whole visits begin when the verdict on the one before stands no longer, as most do: people take longer than lights.
    var visitsWaitForLights = true
    private var phones = 0

    init(
        policy: Policy = Policy(), timing: SessionTiming = SessionTiming(), script: ControllerScript = ControllerScript(),
        terms: TrustTerms? = nil, store: TrustStore? = nil, others: TrustContents = TrustContents()
    ) throws {
        controller.script = script
        var contents = others
        contents.issuers.insert(TrustContents.IssuerText(name: "issuer.json", bytes: try TestIssuer.trust()), at: 0)
        var trust = try store ?? TrustStore(contents)
        if let terms { trust = trust.under(terms) }
        gate = try Gatekeeper(
            name: VerifierName(Array("OVPGATE".utf8).span), version: .v05, trust: trust, policy: policy, timing: timing)
        for memory in [
            gate.storage.message, gate.storage.answer, gate.storage.question, gate.storage.proof, gate.storage.invitation,
            gate.storage.codeTexts,
        ] {
            // Not an octet at a time, as a generic call is without optimization.
            if let begin = memory.baseAddress { memset(begin, 0, memory.count) }
        }
        open()
    }

    func open() {
        gate.linkOpened(at: now)
        turn()
    }

    // MARK: the shell

    /// Until nobody has anything more to say. Time stands still.
    func turn() {
        for _ in 0..<100_000 {
            if !keepsRecordWaiting, let action = gate.nextAction(into: &frame, maySend: true, at: now) {
                perform(action)
            } else if keepsRecordWaiting, gate.next(into: &frame, at: now.monotonic) {
                send()
            } else if let packet = controller.nextToGate() {
                gate.receive(packet.span, at: now)
            } else if !servePhone() {
                return
            }
        }
        Issue.record("the gate and its controller talk for ever")
    }

    private func perform(_ action: Action) {
        if notesActions { actions.append(String("\(action)".prefix { $0 != "(" })) }
        switch action {
        case .camera(let isOn): wantsCamera = isOn
        case .codes(let isWanted): wantsCodes = isWanted
        case .compare(let request): asked = request
        case .count(let links): abandoned.append(links)
        case .store(let record):
            if shelf != .waits { records.append(record) }
            taken = record
            if shelf != .waits { gate.recordStored(shelf == .stores, of: record.visit, at: now) }
        case .recover(_, let step): faults.append(step)
        case .light(let light):
            lights.append(light)
            lightsAt.append(now.monotonic)
        case .verdict(let isAccepted):
            // The light is on already, and says the same.
            #expect(light == (isAccepted ? .accept : .reject))
            verdicts.append(isAccepted)
        case .supervisor(let news): supervisorNews.append(news)
        case .sign(let sign):
            signs.append(sign)
            #expect(sign == gate.sign)
        case .show(let code): #expect(code == gate.code)
        case .send: send()
        case .radio(let isUp): #expect(isUp == gate.host.isReady)
        case .verify: mustVerify = true
        case .stopped: isStopped = true
        }
    }

    private func send() { controller.take(array(frame.storage.span.extracting(0..<frame.count))) }

    /// A shell that is slow with its disk leaves records and counts where they are.
    private var keepsRecordWaiting: Bool {
        guard shelf == .waits else { return false }
        if case .recording = gate.visit.state { return true }
        return gate.actions.records.count > 0 || gate.admission.abandoned.isDue
    }

    /// The record that waits.
    func take() -> VisitRecord? {
        taken = gate.takeRecord()
        return taken
    }

    /// The shell has stored now what it took before.
    func stored(_ isStored: Bool) {
        gate.recordStored(isStored, of: taken?.visit ?? 1, at: now)
        turn()
    }

    func takeNotifications() -> [(UInt16, [UInt8])] {
        defer { notifications = [] }
        return notifications
    }

    private func servePhone() -> Bool {
        let pdus = controller.takePDUs()
        for pdu in pdus {
            guard pdu.count >= 3, pdu[0] == 0x1B || pdu[0] == 0x1D else {
                answers.append(pdu)
                continue
            }
            let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
            notifications.append((handle, Array(pdu[3...])))
            if let characteristic = gate.presentations.tuvali.session.service.characteristic(at: handle) {
                pushes.append((characteristic, Array(pdu[3...])))
            }
            if pdu[0] == 0x1D, confirms { controller.send([0x1E]) }
        }
        return !pdus.isEmpty
    }

    /// The board's clock, wherever it stands.
    func setClock(_ wall: Int64) { now.wall = wall }

    /// Lets the board run for so many seconds in which nothing happens.
    func run(seconds: Int64) { now.uptime += seconds }

    /// Lets time pass, stopping at every deadline on the way.
    func wait(_ milliseconds: UInt64) {
        let end = now.monotonic.adding(milliseconds: milliseconds)
        var turns = 0
        while turns < 10_000 {
            if mustVerify {
                mustVerify = false
                gate.verify(at: now)
            } else if let due = gate.deadline, due <= end {
                now.monotonic = max(now.monotonic, due)
                gate.expire(at: now)
            } else {
                break
            }
            turn()
            turns += 1
        }
        #expect(turns < 10_000)
        now.monotonic = end
        gate.expire(at: now)
        turn()
    }

    /// Lets time pass in which the loop comes to nothing: all deadlines on the way are met late, and at once.
    func oversleep(_ milliseconds: UInt64) {
        now.monotonic = now.monotonic.adding(milliseconds: milliseconds)
        gate.expire(at: now)
        turn()
    }

    /// Until no verdict stands.
    func waitForLights() {
        while gate.light.isStanding, let due = gate.light.deadline { wait(due.milliseconds(since: now.monotonic) + 1) }
    }

    // MARK: the camera

    /// The request to compare faces, once, where it still stands.
    func takeFaceRequest() -> FaceRequest? {
        defer { asked = nil }
        return asked?.number == faceRequest ? asked : nil
    }

    var faceRequest: UInt64? {
        if case .comparing(let pending) = gate.visit.state { pending.number } else { nil }
    }

    // MARK: the phone

    func connect(mtu: UInt16? = 517, interval: UInt16 = 6) {
        controller.connect(interval: interval)
        turn()
        guard let mtu else { return }
        exchange(mtu)
    }

    /// A phone nobody has seen before.
    func renewPhone() {
        phones += 1
        controller.peer = (0..<5).map { UInt8(truncatingIfNeeded: phones >> (8 * $0)) } + [0x7A]
    }

    func exchange(_ mtu: UInt16) {
        controller.send([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)])
        turn()
    }

    func write(_ characteristic: Characteristic, _ value: [UInt8], isCommand: Bool = true) {
        let handle = gate.presentations.tuvali.session.service.handle(characteristic)
        controller.send([isCommand ? 0x52 : 0x12, UInt8(handle & 0xFF), UInt8(handle >> 8)] + value)
        turn()
    }

    func subscribe(_ characteristic: Characteristic, _ bits: UInt8) {
        let handle = gate.presentations.tuvali.session.service.handle(characteristic) + 1
        controller.send([0x12, UInt8(handle & 0xFF), UInt8(handle >> 8), bits, 0])
        turn()
    }

    func leave() {
        controller.drop()
        turn()
    }

    /// The verifier's key from the code on the screen.
    var key: [UInt8] {
        guard let range = uri.range(of: "key=") else { return [] }
        return Hex.bytes(uri[range.upperBound...])
    }

    var uri: String { gate.withURI { String(decoding: array($0), as: UTF8.self) } ?? "" }

    /// The steps of a visit, each after all before it.
    enum Step: Int, CaseIterable, Comparable {
        case connected, exchanged, identified, sized, halfSent, sent, asked

        static func < (a: Step, b: Step) -> Bool { a.rawValue < b.rawValue }
    }

    /// Walks through a visit from `first` as far as `last`. Nothing is verified before `wait`.
    func visit(_ wallet: TestWallet, _ message: [UInt8], from first: Step = .connected, upTo last: Step = .asked, mtu: UInt16 = 517) {
        if visitsWaitForLights, first == .connected { waitForLights() }
        let payload = Int(min(mtu, 512)) - 7
        let chunks = stride(from: 0, to: message.count, by: payload).enumerated().map { index, start in
            Self.chunk(index + 1, message[start..<min(start + payload, message.count)])
        }
        for step in Step.allCases where first <= step && step <= last {
            switch step {
            case .connected: connect(mtu: nil)
            case .exchanged: exchange(mtu)
            case .identified: write(.identifyRequest, wallet.identify)
            case .sized: write(.responseSize, (0..<4).map { UInt8(truncatingIfNeeded: message.count >> (24 - 8 * $0)) })
            case .halfSent: for chunk in chunks.prefix(chunks.count / 2) { write(.submitResponse, chunk) }
            case .sent: for chunk in chunks.dropFirst(chunks.count / 2) { write(.submitResponse, chunk) }
            case .asked: write(.transferReportRequest, [1])
            }
        }
    }

    /// A wallet with a good credential walks through a visit as far as `last`.
    func goodVisit(upTo last: Step = .asked, mtu: UInt16 = 100) throws {
        try visit(with: TestIssuer.payload(), upTo: last, mtu: mtu)
    }

    /// A wallet with this payload does.
    func visit(with payload: [UInt8], upTo last: Step = .asked, mtu: UInt16 = 100) throws {
        let wallet = try TestWallet()
        visit(wallet, try wallet.seal(TestWallet.gzip(payload), for: key), upTo: last, mtu: mtu)
    }

    static func chunk(_ sequence: Int, _ payload: some Collection<UInt8>) -> [UInt8] {
        var crc: UInt16 = 0
        for octet in payload {
            crc ^= UInt16(octet)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x8408 : crc >> 1 }
        }
        return [UInt8(sequence >> 8), UInt8(sequence & 0xFF), UInt8(crc >> 8), UInt8(crc & 0xFF)] + payload
    }

    // MARK: what came out

    func pushed(_ characteristic: Characteristic) -> [[UInt8]] { pushes.filter { $0.0 == characteristic }.map(\.1) }
    var statuses: [[UInt8]] { pushed(.verificationStatus) }
    var reports: [[UInt8]] { pushed(.transferReportResponse) }
    var isAskedToLeave: Bool { !pushed(.disconnect).isEmpty }
    var outcomes: [VisitRecord.Outcome] { records.map(\.outcome) }
    var light: LightState { gate.lightState }
    var sign: VisitorSign { gate.sign }
    /// The number of what is on the screen.
    var code: UInt64 { gate.code }
    var deadline: Instant? { gate.deadline }
    var service: Service { gate.presentations.tuvali.session.service }
    var missingChunks: Int { gate.presentations.tuvali.session.missingChunks }
    var publicKey: PublicKeyOctets { gate.offer.key.publicKey }
    /// A message is open and waits for its verdict.
    var isMessageOpened: Bool { gate.visit.isOpened }
    var hasNoPayload: Bool { gate.presentations.tuvali.opener.withPayload { $0.isEmpty } }
    var isConnected: Bool { gate.host.isConnected }

    /// Nobody was let in, or told so.
    func expectNoAccept(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!statuses.contains([0]), sourceLocation: sourceLocation)
        #expect(!lights.contains(.accept), sourceLocation: sourceLocation)
        #expect(!outcomes.contains(.accepted), sourceLocation: sourceLocation)
    }

    var holdsChannelKey: Bool {
        if gate.presentations.tuvali.channelKey == nil { return false }
        return true
    }

    /// Nothing of a visit is left in the gate.
    var isForgotten: Bool {
        let words = gate.storage.message.assumingMemoryBound(to: UInt64.self)
        return words.allSatisfy { $0 == 0 } && hasNoPayload
            && !holdsChannelKey && array(gate.presentations.tuvali.session.walletKey.span).allSatisfy { $0 == 0 }
            && array(gate.presentations.tuvali.session.nonce.span).allSatisfy { $0 == 0 }
    }
}

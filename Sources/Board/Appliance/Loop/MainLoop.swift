import Audit
import Bluetooth
import Cryptography
import Devices
import Door
import Envelopes
import Faces
import Glibc
import Linux
import Trust
import Visit

/// The gate on its board: one thread, one `epoll`. Reads a packet, feeds the gate, writes what comes out, shows what the
/// gate shows, and sleeps until the next deadline. Nothing is allocated while a transfer runs.
public final class MainLoop {
    /// Whether the loop goes on.
    public private(set) var isRunning = true
    /// It ended because something is lost that only a new process can have.
    public private(set) var isBroken = false
    /// Why it is to end by itself.
    private var ending: String?

    private var gate: Gatekeeper
    private let radio: Radio
    private let recovery: ControllerRecovery
    private let display: GateDisplay
    private let records: VisitRecords
    private let door: DoorDesk
    private let vision: VisionDesk
    private let proofs: ProofDesk
    private let network: ListenerDesk?
    private let loop: EventLoop
    private let signals: Signals?
    private let service: StatusDesk
    private let report: (String) -> Void
    private let reload: () -> TrustStore?
    private let documents: (TrustStore) -> DocumentBelief?
    private var time: Hourly
    private let trial: SiteTrial?
    private var entry: EntryWatch
    private var closed: ClosedCauses = []
    private var frame = PacketFrame()
    private let packet: UnsafeMutableRawBufferPointer
    private var speech = Speech()
    private var isRadioUp = false
    /// A message waits to be verified, once what has come by now is read.
    private var mustVerify = false

    private static let signalToken: UInt32 = 1

    /// - Parameters:
    ///   - gate: made by the caller, not yet linked.
    ///   - audit: where visits are recorded; nil records nothing, for tests and benchmarks.
    ///   - signals: what ends the loop; nil where somebody else does.
    ///   - report: takes one line for the person at the terminal.
    ///   - reload: whom to believe from now on, asked on SIGHUP; nil leaves it as it is.
    ///   - documents: whom to believe about documents in phones, of whom is believed from now on; nil answers none.
    ///   - keepTime: keeps the time that has passed for the next start, asked every hour and at the end.
    ///   - trial: of a new site file.
    ///   - door: opens for who is accepted; nil where there is none.
    ///   - sound: nil where nothing is heard.
    ///   - camera: gives its pictures to whoever asks; nil where there is none.
    ///   - faces: compares them, where the gate's policy wants that.
    ///   - codes: reads what visitors hold before it; nil where nothing is read.
    ///   - network: takes what wallets post; nil where nothing is. `feed` tells others of verdicts; nil where nobody listens.
    ///   - entry: whether anybody can enter, of what the caller knows.
    ///   - needsFaces: whether every visitor has to show a face that matches.
    ///   - controllerReset: asks for a controller to be started anew; nil where nobody can.
    ///   - trace: where packets are recorded; closed when the loop ends.
    ///   - notice: of a board that nobody has set up.
    public init(
        gate: consuming Gatekeeper, link: any HCILink, lights: LightsPanel, screen: ScreenPanel, audit: AuditLog?,
        door: DoorPanel? = nil, sound: SoundPanel? = nil,
        camera: CameraDesk? = nil, faces: FaceStage? = nil, codes: CodeStage? = nil, network: ListenerDesk? = nil, feed: LiveFeed? = nil,
        signals: Signals?, report: @escaping (String) -> Void, reload: @escaping () -> TrustStore? = { nil },
        documents: @escaping (TrustStore) -> DocumentBelief? = { _ in nil },
        keepTime: @escaping () -> Void = {}, trial: SiteTrial? = nil, entry: EntryWatch, needsFaces: Bool = false,
        controllerReset: ControllerReset? = nil, trace: Trace? = nil, notice: SetUpNotice? = nil
    ) throws(EventLoopError) {
        let loop = try EventLoop()
        self.gate = gate
        self.loop = loop
        display = GateDisplay(lights: lights, screen: screen, notice: notice)
        records = VisitRecords(audit, now: Clock.monotonic(), report: report)
        self.door = DoorDesk(door, sound: sound, feed: feed, records: records)
        vision = VisionDesk(camera, faces: faces, codes: codes, needsFaces: needsFaces)
        proofs = ProofDesk(self.door, report: report)
        self.network = network
        (self.signals, self.report, self.reload, self.documents) = (signals, report, reload, documents)
        (self.trial, self.entry) = (trial, entry)
        time = Hourly(keepTime, now: Clock.monotonic())
        radio = Radio(link, loop: loop, trace: trace, report: report)
        service = StatusDesk(now: Clock.monotonic())
        recovery = ControllerRecovery(radio, reset: controllerReset, door: self.door, service: service, report: report)
        packet = .allocate(byteCount: H4Framer.capacity, alignment: 64)
        if let signals { try loop.add(signals.descriptor, for: .readable, token: Self.signalToken) }
        door?.join(loop)
        vision.join(loop, Clock.monotonic())
        network?.join(loop, Clock.monotonic())
    }

    deinit {
        packet.deallocate()
    }

    /// Runs until a signal ends it; lights and screen are dark and keys are wiped afterwards.
    public func run() throws(EventLoopError) {
        // Also where the loop fails: a terminal is given back as it was.
        defer { close() }
        while isRunning { try turn() }
    }

    /// One turn of the loop: sleeps until something happens, and deals with all of it. `limit` bounds the sleep.
    public func turn(until limit: UInt64? = nil) throws(EventLoopError) {
        if let why = recovery.openIfDue(&gate) { end(why) }
        drain()
        radio.writeTrace()
        let count = try loop.wait(until: radio.hasUnread || mustVerify ? 0 : Self.earliest(nextDeadline, limit))
        // Nobody who has to come out waits for a packet, and a lock whose time is over for nothing at all.
        for index in 0..<count where loop.readiness(at: index)?.token == DoorPanel.token { door.serve(Clock.monotonic()) }
        door.passTime(Clock.monotonic())
        for index in 0..<count {
            guard let ready = loop.readiness(at: index) else { continue }
            switch ready.token {
            case Self.signalToken: takeSignals()
            case Radio.token: serveRadio(ready)
            case DoorPanel.token: break
            case ListenerDesk.keeperToken, ListenerDesk.channelToken: network?.serve(ready.token, Clock.monotonic())
            default: if !vision.serve(ready.token, Clock.monotonic()) { radio.takeNews() }
            }
        }
        if radio.hasUnread { readRadio() }
        passTime()
        drain()
        if takePresses() { drain() }
        // A verdict that is due waits for no screen either.
        if !mustVerify { drawScreen() }
    }

    /// Asks for a clean end: the wallet is asked to leave, advertising is turned off.
    public func stop() {
        guard isRunning else { return }
        service.stopping()
        if radio.isOpen { gate.stop(at: Self.now()) } else { isRunning = false }
    }

    /// Ends with an error: whoever starts gates counts how often they do, and starts the board anew. While the lock is open for anybody the
    /// gate goes on: to end would close it, on whoever has to come out too.
    private func end(_ why: String) {
        guard ending == nil else { return }
        ending = why
        report(door.isBusy ? "\(why), when the door is closed" : why)
        endIfDue()
    }

    private func endIfDue() {
        guard ending != nil, !isBroken, !door.isBusy else { return }
        isBroken = true
        stop()
    }

    private func close() {
        // What the world sees and what nobody may find first: a driver or a card that takes its time must not keep a lamp lit or a key in
        // memory.
        gate.wipe()
        door.close()
        display.close()
        radio.close()
        vision.close(Clock.monotonic())
        network?.close()
        door.end()
        records.close()
        time.end()
        Words.output.finish(patience: 100)
        Words.errors.finish(patience: 100)
    }

    // MARK: what happens

    private func takeSignals() {
        while let signal = signals?.next() {
            switch signal {
            case .terminate: stop()
            case .reload:
                guard let trust = reload() else { break }
                gate.believe(trust)
                let belief = documents(trust)
                gate.believe(mdoc: belief?.trust, askingAs: belief?.key)
                entry.believe(trust)
            case .list: display.showRecent(now: Clock.monotonic())
            }
        }
    }

    private func serveRadio(_ ready: Readiness) {
        do throws(LinkError) {
            if ready.isWritable { try radio.flush() }
        } catch {
            return recovery.failed(error, &gate)
        }
        if ready.isReadable { readRadio() }
    }

    /// Takes a bounded number of packets, so that signals and deadlines have their turn under any load.
    private func readRadio() {
        for _ in 0..<64 {
            let count: Int
            do throws(LinkError) {
                count = try radio.read(into: packet)
            } catch {
                return recovery.failed(error, &gate)
            }
            guard count > 0 else { return }
            let octets = UnsafeRawBufferPointer(rebasing: packet[..<count]).assumingMemoryBound(to: UInt8.self)
            gate.receive(octets.span, at: Self.now())
            drain()
            // To read once more would be in vain. The loop is told when there is more.
            guard radio.mayHaveMore else { return }
        }
    }

    private func passTime() {
        let now = Clock.monotonic()
        door.passTime(now)
        if radio.isStalled(now) {
            // However late the loop is: what has come by now is read first.
            readRadio()
            if radio.isStalled(now) { recovery.failed(.lostFraming(.stoppedInsidePacket), &gate) }
        }
        // After what has come by radio: who was connected before a key was turned is not whom it is for, however late either is read.
        _ = takePresses()
        if mustVerify {
            mustVerify = false
            gate.verify(at: Self.now(), hasEnded: proofs.begin())
            drain()
        }
        // Each call acts on what has passed; a few in a row is the most there is.
        for _ in 0..<4 {
            guard let deadline = gate.deadline, deadline.nanoseconds <= now else { break }
            gate.expire(at: Self.now(), hasEnded: proofs.begin())
            drain()
        }
        speech.pass(now)
        display.passTime(now)
        time.pass(now)
        passTrial(now)
        vision.passTime(now)
        network?.passTime(now)
        records.passTime(now)
        service.passTime(now)
        endIfDue()
    }

    private func passTrial(_ now: UInt64) {
        guard ending == nil, let trial, var status = service.status, trial.isOpen else { return }
        status.closed.formUnion(records.closedSoon)
        if let why = trial.pass(now, status) { end("\(why): ending, to be started anew") }
        if trial.isKept { records.endTrial() }
    }

    private var nextDeadline: UInt64? {
        let mine = Self.earliest(
            Self.earliest(display.nextLook, door.nextLook),
            Self.earliest(Self.earliest(records.nextLook, service.aliveAt), entry.nextLook))
        let others = Self.earliest(
            Self.earliest(gate.deadline?.nanoseconds, Self.earliest(time.due, trial?.due)),
            Self.earliest(recovery.deadline, vision.deadline(Clock.monotonic())))
        return Self.earliest(Self.earliest(mine, others), Self.earliest(speech.dueAt, network?.deadline(Clock.monotonic())))
    }

    // MARK: what follows

    /// Does what the gate wants done, until there is nothing more.
    private func drain() {
        // What is over is closed, however much there is to be done in this turn.
        door.passTime(Clock.monotonic())
        takeFaceAnswer()
        if var code = vision.takeCode() {
            gate.read(code: code.span, at: Self.now())
            wipe(&code)
        }
        network?.bring(to: &gate, at: Self.now())
        while let action = gate.nextAction(into: &frame, maySend: radio.isOpen && !radio.hasUnsent, at: Self.now()) { perform(action) }
        network?.bringBack(from: &gate, at: Self.now())
        door.keepRecords(Clock.monotonic)
        proofs.note(gate.proofObstacle)
        showLight()
        tellServiceManager()
    }

    private func perform(_ action: Action) {
        switch action {
        case .camera(let isOn):
            vision.turnCamera(on: isOn, Clock.monotonic())
            // A driver takes its time to stop a camera.
            door.passTime(Clock.monotonic())
        case .codes(let areWanted):
            vision.wantCodes(areWanted, Clock.monotonic())
            door.passTime(Clock.monotonic())
        case .compare(let request):
            vision.compare(request, Clock.monotonic())
            takeFaceAnswer()
        case .count(let links):
            records.keep(links)
            door.passTime(Clock.monotonic())
        case .store(let record):
            let isStored = records.keep(record, lasting: !closed.contains(.dataNotLasting))
            door.passTime(Clock.monotonic())
            gate.recordStored(isStored, of: record.visit, at: Self.now())
        case .recover(let fault, let step): recover(fault, step)
        case .supervisor(let news): door.keep(news, Clock.monotonic)
        // Its lamp is on by now.
        case .verdict(let isAccepted): door.tell(isAccepted: isAccepted, now: Clock.monotonic())
        case .light(let state):
            display.light = state
            door.tell(state, now: Clock.monotonic())
            showLight()
        case .show: break  // `drawScreen` compares.
        case .sign(let sign): display.tell(sign, now: Clock.monotonic())
        case .send: send()
        case .radio(let isUp): isRadioUp = isUp
        case .verify: mustVerify = true
        case .stopped: isRunning = false
        }
    }

    /// What happens to a visitor is shown all the same; who waits before the gate is told that it is in vain.
    private func showLight() {
        lookWhetherOpen()
        display.showLight(closed: closed, now: Clock.monotonic())
    }

    /// Last of all in a turn: no lamp, no record and no wallet waits for a screen to be drawn.
    private func drawScreen() {
        let wasUp = display.isScreenUp
        let now = Clock.monotonic()
        display.draw(code: &gate, hint: vision.hint, codes: vision.invitation(now), closed: closed, now: now)
        guard display.isScreenUp != wasUp else { return }
        showLight()
        tellServiceManager()
    }

    /// - Returns: whether something was pressed.
    private func takePresses() -> Bool {
        let pressed = door.takePresses()
        if pressed.contains(.list) { display.showRecent(now: Clock.monotonic()) }
        if pressed.contains(.code) { vision.press(Clock.monotonic()) }
        if pressed.contains(.supervisor), !gate.supervise(at: Self.now()) {
            report("the supervisor's key is nothing here: the site file does not allow it, or nobody's face is asked for")
        }
        return pressed != []
    }

    private func lookWhetherOpen() {
        for line in entry.pass(
            Clock.monotonic(), wall: Seconds(clamping: Clock.wallSeconds()), uptime: Clock.uptime(), isServing: display.isServing)
        { report(line) }
        var causes = entry.causes
        if let state = records.state { causes.formUnion(ClosedCauses(state)) }
        // Who has a code to hold before the camera needs none on the screen.
        if display.isScreenUp == false, vision.areCodesUp(Clock.monotonic()) != true { causes.insert(.noScreen) }
        if let trouble = vision.trouble { causes.insert(trouble) }
        guard causes != closed else { return }
        for cause in causes.subtracting(closed).list { report("NOBODY CAN ENTER (\(cause.code)): \(cause.sentence)") }
        if causes.isEmpty { report("visitors can enter again") }
        closed = causes
    }

    private func tellServiceManager() {
        service.tell(
            GateStatus(
                isControllerUp: isRadioUp, isScreenUp: display.isScreenUp, areLampsUp: display.areLampsUp,
                isDoorUp: door.isUp, areCodesUp: vision.areCodesUp(Clock.monotonic()), isNetworkUp: network?.isUp, closed: closed,
                warning: entry.warning))
    }

    private func takeFaceAnswer() {
        if vision.isLost { end("gatehouse-vision is gone, and only a gate that is started anew can have it: ending") }
        if let (number, outcome) = vision.takeAnswer() { gate.faceDecided(outcome, of: number, at: Self.now()) }
    }

    private func send() {
        do throws(LinkError) { try radio.write(&frame) } catch { recovery.failed(error, &gate) }
    }

    private func recover(_ fault: ControllerFault, _ step: RecoveryStep) {
        if let why = recovery.recover(fault, step) { end(why) }
        if step != .reset, isRunning { radio.reopen() }
    }

    static func now() -> Now {
        Now(
            monotonic: Instant(nanoseconds: Clock.monotonic()), wall: Int64(clamping: Clock.wallSeconds()), uptime: Clock.uptime())
    }

    private static func earliest(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }
}

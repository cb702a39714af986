import Bluetooth
import Presentation

/// What the shell has to do, one thing after the other.
public enum Action: Sendable {
    /// The camera is needed soon, or no more. Without it an attempt to compare faces is over, too.
    case camera(isOn: Bool)
    /// Frames are wanted for codes, or no more: `read` what is in them, also that there is nothing.
    case codes(isWanted: Bool)
    /// Compare faces, and answer with `faceDecided`.
    case compare(FaceRequest)
    /// Keep this count. No verdict waits for it.
    case count(AbandonedLinks)
    /// Store this record, then call `recordStored`.
    case store(VisitRecord)
    /// The controller failed: take this step, except `reset`, which is under way.
    case recover(ControllerFault, RecoveryStep)
    case light(LightState)
    /// A verdict is told, and its light is on: the lock opens for an accepted one, before anything is drawn or heard.
    case verdict(isAccepted: Bool)
    /// Keep a record of what became of a supervisor's key. No verdict waits for it.
    case supervisor(SupervisorNews)
    /// What the screen says beside the code.
    case sign(VisitorSign)
    /// The screen has to show another code, or none: `withURI` lends it. The number says which.
    case show(code: UInt64)
    /// The frame holds a packet for the controller.
    case send
    /// The controller is up, or not.
    case radio(isUp: Bool)
    /// A message waits for its verdict: call `verify` once what has come is read.
    case verify
    /// The gate has stopped: nothing is left to be sent, and no link is up.
    case stopped
}

/// What waits for the shell, and what it was told last.
///
/// What is a state (a light, the camera, the code) is compared with what was told, so that it is told once however often it changed in
/// between. What is an event (a record, a fault) waits here.
struct Actions: ~Copyable {
    /// Records of visits that are over.
    private(set) var records = Ring<4, VisitRecord>()
    private var fault: (ControllerFault, RecoveryStep)?
    /// Of the light that is turned on next.
    private var verdict: Bool?

    private var light = LightState.off
    private var sign = VisitorSign.none
    private var code: UInt64 = 0
    private var isCameraOn = false
    private var areCodesWanted = false
    private var isRadioUp = false
    private var request: UInt64 = 0
    private var isVerifying = false
    private var hasStopped = false

    init() {}

    mutating func store(_ record: VisitRecord) { records.append(record) }

    mutating func recover(_ fault: ControllerFault, _ step: RecoveryStep) { self.fault = (fault, step) }

    mutating func tell(_ isAccepted: Bool) { verdict = isAccepted }

    /// What waits next is another message, and news.
    mutating func beginVerifying() { isVerifying = false }

    mutating func takeRecord() -> VisitRecord? { records.next() }

    mutating func takeVerdict() -> Bool? { verdict.take() }

    mutating func takeFault() -> (ControllerFault, RecoveryStep)? { fault.take() }

    // MARK: news are what was not told before

    mutating func isNews(light: LightState) -> Bool { Self.replace(&self.light, light) }
    mutating func isNews(sign: VisitorSign) -> Bool { Self.replace(&self.sign, sign) }
    mutating func isNews(code: UInt64) -> Bool { Self.replace(&self.code, code) }
    mutating func isNews(cameraOn: Bool) -> Bool { Self.replace(&isCameraOn, cameraOn) }
    mutating func isNews(codesWanted: Bool) -> Bool { Self.replace(&areCodesWanted, codesWanted) }
    mutating func isNews(radioUp: Bool) -> Bool { Self.replace(&isRadioUp, radioUp) }
    mutating func isNews(request: UInt64) -> Bool { Self.replace(&self.request, request) }
    mutating func isNews(verifying: Bool) -> Bool { Self.replace(&isVerifying, verifying) && verifying }
    mutating func isNews(stopped: Bool) -> Bool { Self.replace(&hasStopped, stopped) && stopped }

    private static func replace<Value: Equatable>(_ told: inout Value, _ value: Value) -> Bool {
        defer { told = value }
        return told != value
    }
}

extension Gatekeeper {
    /// The next thing the shell has to do; nil when there is none for now. Ask again after each, and whenever anything has happened.
    ///
    /// The order is that of what visitors wait for and what they may see: a record is stored before its light is shown, a lock opens
    /// with the light and before anything is drawn, and what the wallet has to be told leaves before the work of the next verdict begins.
    ///
    /// - Parameters:
    ///   - frame: takes a packet, with `send`.
    ///   - maySend: the link to the controller takes one.
    public mutating func nextAction(into frame: inout PacketFrame, maySend: Bool, at now: Now) -> Action? {
        admission.endRest(at: now.monotonic)
        refreshRequest(now)
        refreshQuestion(now)
        let wantsCamera = wantsCamera
        if wantsCamera, actions.isNews(cameraOn: true) { return .camera(isOn: true) }
        if case .comparing(let pending) = visit.state, let portrait = pending.credential.portrait, actions.isNews(request: pending.number) {
            return .compare(FaceRequest(number: pending.number, portrait: portrait))
        }
        if let links = admission.takeAbandoned() { return .count(links) }
        if let record = takeRecord() { return .store(record) }
        if let (fault, step) = actions.takeFault() { return .recover(fault, step) }
        let light = lightState
        if actions.isNews(light: light) { return .light(light) }
        if let isAccepted = actions.takeVerdict() { return .verdict(isAccepted: isAccepted) }
        if actions.isNews(code: offer.number) { return .show(code: offer.number) }
        if maySend, next(into: &frame, at: now.monotonic) { return .send }
        if let news = supervised.takeNews() { return .supervisor(news) }
        // Neither a lamp nor a wallet waits for a screen to be drawn.
        let sign = sign
        if actions.isNews(sign: sign) { return .sign(sign) }
        // A driver takes its time to stop a camera.
        if actions.isNews(cameraOn: wantsCamera) { return .camera(isOn: wantsCamera) }
        let wantsCodes = wantsCodes
        if actions.isNews(codesWanted: wantsCodes) { return .codes(isWanted: wantsCodes) }
        let isReady = host.isReady
        if actions.isNews(radioUp: isReady) { return .radio(isUp: isReady) }
        if actions.isNews(verifying: isVerdictDue) { return .verify }
        return actions.isNews(stopped: isStopped) ? .stopped : nil
    }

    /// Of a visit that is over, or of the one that has reached its verdict.
    mutating func takeRecord() -> VisitRecord? {
        if let record = actions.takeRecord() { return record }
        guard case .recording(let record, let isAccepted) = visit.state else { return nil }
        visit.state = .storing(visit: record.visit, accepted: isAccepted)
        return record
    }

    mutating func next(into frame: inout PacketFrame, at now: Instant) -> Bool {
        if host.next(into: &frame, now: now) { return true }
        presentations.push(to: &host, at: now)
        return host.next(into: &frame, now: now)
    }

    /// What the lights say now.
    var lightState: LightState {
        if light.isVerdictShown, let state = light.state { return state }
        // Nobody needs the radio for a code, or for a phone's answer that has come: the visitor is shown what to do, and the fault
        // afterwards.
        if presentations.isFromCamera, !visit.isClosed { return visit.isWaitingForFace ? .look : .busy }
        if isFaulty { return .fault }
        if let state = light.state { return state }
        // Strangers who are sent away make no lamp flicker.
        if host.isConnected, !admission.isRefusing { return visit.isWaitingForFace ? .look : .busy }
        return offer.isOnAir && !isStopping ? .ready : .off
    }

    /// Whether a camera may be needed soon: from Identify, or from the code, to the verdict, where the policy compares faces.
    private var wantsCamera: Bool {
        policy.face != .off && (admission.isServing || presentations.isFromCamera) && presentations.isCommitted && !isStopping
            && visit.mayNeedFace
    }

    /// Whether a code may begin a visit now. A phone that is connected and has not identified does not keep it from that, nor does one that
    /// is sent away, nor a radio that does not work: nothing that a stranger does over the radio turns a camera on and off.
    private var wantsCodes: Bool { policy.takesCodes && !presentations.isCommitted && !isStopping }

    /// A message waits for its verdict, and no other verdict is shown any more. One visitor at a time: light and status are told together.
    var isVerdictDue: Bool { visit.isOpened && !light.isStanding || isPostDue }

    private var isStopped: Bool { isStopping && (!host.isReady || (!host.isConnected && host.isQuiet)) }
}

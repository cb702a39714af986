import Bluetooth
import Presentation

/// How far the visit has come, with what belongs to each stage: nothing of one stage is there in another.
enum VisitState {
    /// There is no message yet, or nobody there.
    case waiting
    /// A message lies open. It is verified once the verdict on the visit before stands no longer.
    case opened
    /// The credential is believed; whether the visitor is the person in it is found out by the shell.
    case comparing(FaceCheckPending)
    /// A verdict is reached, and nobody is told before the shell has stored its record.
    case recording(VisitRecord, accepted: Bool)
    /// The shell has the record and stores it.
    case storing(visit: UInt64, accepted: Bool)
    /// The verdict is told, or there is none.
    case closed
}

/// Between the credential and the verdict.
struct FaceCheckPending {
    /// Of the request.
    var number: UInt64
    var credential: BelievedCredential
    var since: Instant
    /// Another trust bundle came since the credential was verified: it may say otherwise, and the credential's text is wiped.
    var isOutdated = false
}

/// The visit of now, and what is counted over all visits.
struct CurrentVisit: ~Copyable {
    var state = VisitState.waiting
    /// The first reason of a verdict that is a reject.
    var reason: GateReason?
    var times = VisitTimes()
    /// What became of a phone's answer.
    var mdoc: MdocRecord?
    /// What a presentation of AnonCreds has proven, of whom that is known.
    var proven: ProvenCredential?
    /// Visits with a record, since the start of the process.
    private var records: UInt64 = 0
    private var faceChecks: UInt64 = 0
    private var dropsBefore: UInt64 = 0

    init() {}

    var isWaitingForFace: Bool {
        if case .comparing = state { true } else { false }
    }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    var isWaiting: Bool {
        if case .waiting = state { true } else { false }
    }

    var isOpened: Bool {
        if case .opened = state { true } else { false }
    }

    /// Whether a camera may still be needed for it.
    var mayNeedFace: Bool {
        switch state {
        case .waiting, .opened, .comparing: true
        case .recording, .storing, .closed: false
        }
    }

    /// Begins to wait for the shell, which compares faces.
    mutating func compare(_ credential: BelievedCredential, at now: Instant) {
        faceChecks += 1
        state = .comparing(FaceCheckPending(number: faceChecks, credential: credential, since: now))
    }

    /// A record of the visit, with what the link and the presentation know.
    ///
    /// - Parameter times: nil for those of the visit.
    mutating func record(
        _ outcome: VisitRecord.Outcome, by presentation: VisitRecord.Presentation, step: UInt8, _ report: PresentationReport, drops: UInt64,
        times: VisitTimes? = nil
    ) -> VisitRecord {
        records += 1
        var record = VisitRecord(visit: records, outcome: outcome)
        record.presentation = presentation
        record.deadline = report.missed
        record.step = step
        record.mtu = report.mtu
        record.chunks = report.pieces
        record.checksumFailures = report.checksumFailures
        if report.size > 0 { record.sizeClass = Int.bitWidth - 1 - report.size.leadingZeroBitCount }
        record.times = times ?? self.times
        record.drops = drops - min(drops, dropsBefore)
        dropsBefore = drops
        return record
    }

    /// The visit is over. What it leaves behind: the record that the shell has not got yet.
    mutating func end() -> VisitRecord? {
        defer { (state, reason, mdoc, proven) = (.waiting, nil, nil, nil) }
        if case .recording(let record, _) = state { return record }
        return nil
    }
}

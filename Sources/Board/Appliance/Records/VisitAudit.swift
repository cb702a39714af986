import AriesTransport
import Audit
import Mdoc
import MdocTransport
import Presentation
import Tuvali
import Visit

extension AuditRecord {
    /// The audit record of a visit: codes, counters and a coarse size. Nothing of the person or the credential.
    public init(_ visit: VisitRecord) {
        self.init(event: "visit")
        add("visit", .number(Int64(clamping: visit.visit)))
        add("outcome", .code(visit.outcome.rawValue))
        // Where it is not said, it came by radio, as all of them did before.
        if visit.presentation != .tuvali { add("presentation", .code(visit.presentation.rawValue)) }
        if !visit.reasons.isEmpty { add("reasons", .codes(Self.codes(of: visit.reasons))) }
        if let detail = visit.reasons.first?.detail { add("detail", .code(detail)) }
        if let error = visit.error { add("error", .code(error.code.description)) }
        if let failure = visit.failure { add("error", .code(failure)) }
        if let document = visit.mdoc { add(document) }
        if let proven = visit.proven { add(proven) }
        if let deadline = visit.deadline { add("deadline", .code(deadline.name)) }
        if visit.step > 0 { add("shortened", .number(Int64(visit.step))) }
        if let form = visit.form { add("form", .code(form.rawValue)) }
        if let issuer = visit.issuer { add("issuer", .code(issuer)) }
        if let bundle = visit.bundle { add("bundle", .number(bundle)) }
        if let proof = visit.proof { add("proof", .code("\(proof.suite) \(proof.options.rawValue)")) }
        if let status = visit.status { add("status", .code(status.rawValue)) }
        if visit.binding == .device { add("device", .code("bound")) }
        if let binding = visit.binding, binding != .none { add("binding", .code(binding.rawValue)) }
        if let isBound = visit.isHolderBound { add("holder", .code(isBound ? "bound" : "not-bound")) }
        if let face = visit.face { add(face) }
        if !visit.notes.isEmpty { add("notes", .codes(visit.notes)) }
        if visit.chunks > 0 {
            add("mtu", .number(Int64(visit.mtu)))
            add("chunks", .number(Int64(visit.chunks)))
            add("checksumFailures", .number(Int64(visit.checksumFailures)))
        }
        if let sizeClass = visit.sizeClass { add("sizeClass", .number(Int64(sizeClass))) }
        for (name, time) in [
            ("identifiedMs", visit.times.identified), ("receivedMs", visit.times.received), ("openedMs", visit.times.opened),
            ("decidedMs", visit.times.decided),
        ] {
            if let time { add(name, .number(Int64(clamping: time))) }
        }
        if visit.drops > 0 { add("drops", .number(Int64(clamping: visit.drops))) }
    }

    /// What carried it, what the gate was on that link, and what other verifiers of mdocs would say.
    private mutating func add(_ document: MdocRecord) {
        if let bearer = document.bearer {
            add("bearer", .code(bearer.code))
            add("role", .code(bearer.role))
        }
        if let docType = document.docType { add("docType", .code(docType)) }
        if !document.results.isEmpty { add("results", .codes(document.results.map(\.rawValue))) }
    }

    /// Whose credential, by the bundle's own name for it, and what was proven of it; no value that was shown.
    private mutating func add(_ proven: AriesRecord) {
        if proven.isPosted { add("bearer", .code("http")) }
        if let missed = proven.missed { add("deadline", .code(missed.name)) }
        if let definition = proven.definition { add("definition", .code(definition)) }
        if !proven.statements.isEmpty { add("proven", .codes(proven.statements)) }
    }

    /// No score, only a coarse step of it.
    private mutating func add(_ face: FaceRecord) {
        add("face", .code(face.outcome.reason?.code ?? "match"))
        if let flaw = face.outcome.flaw { add("faceFlaw", .code(flaw.code)) }
        if let bin = face.outcome.bin { add("faceBin", .code(bin.code)) }
        add("faceFrames", .number(Int64(face.outcome.frames)))
        add("faceMs", .number(Int64(clamping: face.milliseconds)))
    }

    /// The audit record of links that came to nothing: how many of each kind.
    public init(_ links: AbandonedLinks) {
        self.init(event: "fruitless")
        add("links", .number(Int64(clamping: links.links)))
        for (name, count) in links.counts where count > 0 { add(name, .number(Int64(clamping: count))) }
        if links.step > 0 { add("shortened", .number(Int64(links.step))) }
        add("overMs", .number(Int64(clamping: links.milliseconds)))
    }

    /// Each code once, so that there is room for them in a line however much is wrong with a credential.
    private static func codes(of reasons: [GateReason]) -> [String] {
        var codes: [String] = []
        for reason in reasons where !codes.contains(reason.code) { codes.append(reason.code) }
        return codes
    }
}

extension AbandonedLinks {
    /// What became of the links, under the names of the audit log.
    fileprivate var counts: [(String, UInt64)] {
        [
            ("left", left), ("silent", silent), ("failed", failed), ("visits", visits), ("rejected", rejected), ("refused", refused),
        ]
    }

    /// One line for the person at the terminal: `12 links came to nothing in 31 s: left 2, refused 10`.
    public var line: String {
        let kinds = counts.filter { $0.1 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
        return "\(links) link\(links == 1 ? "" : "s") came to nothing in \(milliseconds / 1000) s: \(kinds)"
    }
}

extension MissedDeadline {
    fileprivate var name: String {
        switch self {
        case .identify: "identify"
        case .pick: "pick"
        case .chunk: "chunk"
        case .pace: "pace"
        case .transfer: "transfer"
        }
    }
}

extension AriesDeadline {
    fileprivate var name: String {
        switch self {
        case .subscription: "subscription"
        case .invitation: "invitation"
        case .consent: "consent"
        case .progress: "progress"
        case .transfer: "transfer"
        case .answer: "answer"
        }
    }
}

extension VisitRecord {
    /// One line for the person at the terminal: `visit 3 accepted in 412 ms ...`.
    public var line: String {
        var text = "visit \(visit) \(outcome.rawValue)"
        switch presentation {
        case .tuvali: break
        case .code: text += " by code"
        case .mdoc: text += " by mdoc"
        case .aries: text += " by aries"
        case .trustedkey: text += " by trustedkey"
        }
        if let decided = times.decided { text += " in \(decided) ms" }
        let steps = [("identified", times.identified), ("received", times.received), ("opened", times.opened)]
            .compactMap { name, time in time.map { "\(name) \($0)" } }
        if !steps.isEmpty { text += " (\(steps.joined(separator: ", ")))" }
        if let issuer { text += " issuer \(issuer)" }
        if let isHolderBound { text += isHolderBound ? " holder bound" : " holder not bound" }
        if let binding, binding != .none { text += " (\(binding.rawValue) bound)" }
        if let face {
            let flaw = face.outcome.flaw.map { " (\($0.code))" } ?? ""
            text += " (face \(face.outcome.reason?.code ?? "match")\(flaw), \(face.outcome.frames) frames, \(face.milliseconds) ms)"
        }
        if let error { text += ": \(error.code)" }
        if let failure { text += ": \(failure)" }
        if let deadline { text += ": \(deadline.name)" }
        if let missed = proven?.missed { text += ": \(missed.name)" }
        if let reason = reasons.first {
            text += ": \(reason.code)"
            if let detail = reason.detail { text += " (\(detail))" }
            text += ". \(face?.outcome.flaw?.sentence ?? reason.sentence)"
        }
        return text
    }
}

/// Counts what the records of a log say, one after the other, in a room that does not grow with the log.
struct AuditTally {
    /// Rows of a table. Codes and forms are the gate's own words; issuers are as many as the trust bundle names, or as somebody made up.
    static let mostIssuers = 512
    static let mostCodes = 128

    private enum Outcome: Int { case accepted, rejected }
    private enum Event: Int { case visit, fruitless, started, resumed, void, segment, dropped, door }

    /// Times in a record, and what they are called here.
    static let times: [(member: AuditEntry.Member, name: String)] = [
        (.identifiedMs, "identified"), (.receivedMs, "received"), (.openedMs, "opened"), (.decidedMs, "decided"), (.faceMs, "face"),
    ]
    /// What became of links without a record of their own.
    static let kinds: [AuditEntry.Member] = [.left, .silent, .failed, .visits, .rejected, .refused]

    private(set) var records: UInt64 = 0
    private(set) var (firstRecord, lastRecord): (UInt64, UInt64) = (0, 0)
    private(set) var earliest: Int64?
    private(set) var latest: Int64?
    /// Numbers between the first record and the last that no record has, and records with a number that was there before.
    private(set) var (missing, repeated): (UInt64, UInt64) = (0, 0)
    /// How often a record is older than the one before it, by the gate's clock.
    private(set) var clockWentBack: UInt64 = 0

    private(set) var events = AuditNames(
        capacity: Self.mostCodes, known: ["visit", "fruitless", "started", "resumed", "void", "segment", "dropped", "door"])
    private(set) var outcomes = AuditNames(capacity: Self.mostCodes, known: ["accepted", "rejected"])
    private(set) var deadlines = AuditNames(capacity: Self.mostCodes)
    private(set) var errors = AuditNames(capacity: Self.mostCodes)
    private(set) var reasons = AuditNames(capacity: Self.mostCodes)
    private(set) var forms = AuditNames(capacity: Self.mostCodes)
    private(set) var issuers = AuditNames(capacity: Self.mostIssuers)
    private(set) var hours = AuditHours()
    private(set) var histograms = Self.times.map { _ in AuditHistogram() }

    private(set) var links: UInt64 = 0
    private(set) var linkKinds = [UInt64](repeating: 0, count: Self.kinds.count)
    /// Visits on record that did not happen: a record says so.
    private(set) var void: UInt64 = 0
    private(set) var lostSegments: UInt64 = 0
    private(set) var droppedTo: Int64 = 0
    private(set) var outages = AuditOutages()
    private(set) var door = AuditDoor()
    /// As the last `started` of these records has them.
    private(set) var (gateName, gateID): ([UInt8], [UInt8]) = ([], [])

    private let window: AuditWindow
    private var scanner = AuditScanner()
    private var entry = AuditEntry()
    private var visit = Visit()
    private var lastTime: Int64?

    /// A visit that is not counted yet: the record behind it may say that it did not happen.
    private struct Visit {
        var isWaiting = false
        var sequence: UInt64 = 0
        var at: Int64?
        var outcome = AuditNames.nowhere
        var (form, issuer, error, deadline): (Int?, Int?, Int?, Int?) = (nil, nil, nil, nil)
        var reasons: [Int] = []
        var times = [Int64?](repeating: nil, count: AuditTally.times.count)
    }

    init(_ window: AuditWindow) {
        self.window = window
    }

    /// Counts a line. False: it is no record.
    mutating func take(_ line: Span<UInt8>) -> Bool {
        if scanner.read(line, into: &entry) {
            count(line)
            return true
        }
        let octets = line.withUnsafeBufferPointer { [UInt8]($0) }
        guard let text = AuditScanner.readAny(octets, into: &entry) else { return false }
        count(text.span)
        return true
    }

    /// Behind the last record.
    mutating func end() {
        settle()
        door.end()
    }

    // MARK: records

    private mutating func count(_ text: Span<UInt8>) {
        let at = entry.number(.at), isInside = window.contains(entry.sequence, at: at)
        guard let code = entry.code(.event) else { return }
        let place = events.place(of: text.extracting(code)), event = Event(rawValue: place)
        if isInside {
            note(at)
            events.count(place)
        }
        switch event {
        case .visit where isInside: begin(text, at)
        case .void where visit.isWaiting && entry.number(.of) == Int64(clamping: visit.sequence):
            visit.isWaiting = false
            void += 1
        case .void: door.forget(entry.number(.of))
        case .door where isInside: door.take(entry, text, at: at)
        case .fruitless where isInside: countLinks(at)
        case .started where isInside:
            door.restart()
            if let name = entry.code(.name) { gateName = Self.octets(name, of: text) }
            if let gate = entry.code(.gate) { gateID = Self.octets(gate, of: text) }
        case .resumed where isInside:
            outages.end(at: at, isAfterFull: entry.code(.after).map { Self.octets($0, of: text) } == Array("full".utf8))
        case .segment where isInside: if entry.number(.lost) != nil { lostSegments += 1 }
        case .dropped where isInside: droppedTo = max(droppedTo, entry.number(.to) ?? 0)
        default: break
        }
        if event == .visit || event == .fruitless || event == .resumed { outages.wasWritten(at: at) }
    }

    private mutating func note(_ at: Int64?) {
        let number = entry.sequence
        if records == 0 {
            firstRecord = number
        } else if number > lastRecord {
            missing = missing.addingClamped(number - lastRecord - 1)
        } else {
            repeated += 1
        }
        records += 1
        lastRecord = max(lastRecord, number)
        guard let at else { return }
        if let lastTime, at < lastTime { clockWentBack += 1 }
        lastTime = at
        earliest = min(earliest ?? at, at)
        latest = max(latest ?? at, at)
    }

    private mutating func countLinks(_ at: Int64?) {
        let count = entry.count(.links)
        links = links.addingClamped(count)
        hours.count(links: count, at: at)
        for (place, kind) in Self.kinds.enumerated() { linkKinds[place] = linkKinds[place].addingClamped(entry.count(kind)) }
    }

    private static func octets(_ range: Range<Int>, of text: Span<UInt8>) -> [UInt8] {
        text.extracting(range).withUnsafeBufferPointer { [UInt8]($0) }
    }

    // MARK: visits

    private mutating func begin(_ text: Span<UInt8>, _ at: Int64?) {
        settle()
        (visit.isWaiting, visit.sequence, visit.at) = (true, entry.sequence, at)
        visit.outcome = Self.place(entry.code(.outcome), of: text, in: &outcomes) ?? AuditNames.nowhere
        visit.form = Self.place(entry.code(.form), of: text, in: &forms)
        visit.issuer = Self.place(entry.code(.issuer), of: text, in: &issuers)
        visit.error = Self.place(entry.code(.error), of: text, in: &errors)
        visit.deadline = Self.place(entry.code(.deadline), of: text, in: &deadlines)
        visit.reasons.removeAll(keepingCapacity: true)
        for reason in entry.reasons { visit.reasons.append(reasons.place(of: text.extracting(reason))) }
        for (place, time) in Self.times.enumerated() { visit.times[place] = entry.number(time.member) }
    }

    private static func place(_ range: Range<Int>?, of text: Span<UInt8>, in names: inout AuditNames) -> Int? {
        guard let range else { return nil }
        return names.place(of: text.extracting(range))
    }

    private mutating func settle() {
        guard visit.isWaiting else { return }
        visit.isWaiting = false
        outcomes.count(visit.outcome)
        switch Outcome(rawValue: visit.outcome) {
        case .accepted: hours.count(.accepted, at: visit.at)
        case .rejected: hours.count(.rejected, at: visit.at)
        case nil: hours.count(.withoutVerdict, at: visit.at)
        }
        if let form = visit.form { forms.count(form) }
        if let issuer = visit.issuer { issuers.count(issuer) }
        if let error = visit.error { errors.count(error) }
        if let deadline = visit.deadline { deadlines.count(deadline) }
        for reason in visit.reasons { reasons.count(reason) }
        for (place, time) in visit.times.enumerated() { if let time { histograms[place].add(time) } }
    }

    var visits: UInt64 { outcomes.total }
    var accepted: UInt64 { outcomes.count(at: Outcome.accepted.rawValue) }
    var rejected: UInt64 { outcomes.count(at: Outcome.rejected.rawValue) }
}

/// How often the log could not be written, and nobody could enter. No record says when that began, so what comes out is a bound: the time
/// since the last record that no outage can have held back. A start, a seal or a repair may be recorded when the outage is over.
struct AuditOutages {
    private(set) var (afterFull, afterFailing): (UInt64, UInt64) = (0, 0)
    /// Together no longer than this.
    private(set) var atMost: UInt64 = 0
    /// Of how many nothing is known: no visit is on record before.
    private(set) var unknown: UInt64 = 0
    private var written: Int64?

    mutating func wasWritten(at time: Int64?) { written = time ?? written }

    mutating func end(at time: Int64?, isAfterFull: Bool) {
        if isAfterFull { afterFull += 1 } else { afterFailing += 1 }
        if let time, let written, time >= written {
            let length = time.subtractingReportingOverflow(written)
            atMost = atMost.addingClamped(length.overflow ? .max : UInt64(length.partialValue))
        } else {
            unknown += 1
        }
    }
}

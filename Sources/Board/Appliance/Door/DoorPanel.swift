import Devices
import Door
import Linux

/// The door as the loop sees it: visitors who may pass in, lines switched, what happened out. Lines that are missing or go away are waited
/// for; what is to be open is the `Doorway`'s to say.
public final class DoorPanel {
    static let token: UInt32 = 7
    /// Nanoseconds from one look at the lines, or for them, to the next.
    static let pause: UInt64 = 1_000_000_000
    /// Nanoseconds until a switching that failed is tried again: a lock must not stay open.
    static let retry: UInt64 = 250_000_000
    /// Edges read in one turn of the loop, more than the kernel keeps for all inputs: a line that hums keeps nobody waiting.
    private static let mostEdges = 128
    /// The kernel keeps so many edges of a line, or of all lines together so many for each, and drops the newest or the oldest of more, by
    /// the interface's version: of so many at once some may be missing.
    private static let keptEdges = 16
    /// Nanoseconds after which waiting edges are read before time passes: behind a slow step they keep the times they came at.
    private static let stale: UInt64 = 5_000_000

    private let open: () throws(DoorLinesError) -> any DoorLines
    private var lines: (any DoorLines)?
    private var doorway: Doorway
    /// What the lines were told; nil after a failure, when nobody knows.
    private var isSet: DoorOutputs?
    private var lastSaid: DoorLinesError?
    private let clock: () -> UInt64
    private let report: (String) -> Void
    private weak var loop: EventLoop?
    private var watched: Int32?
    private var lookAt: UInt64
    private var retryAt: UInt64 = 0
    /// When edges are read before time passes, at the earliest.
    private var readAt: UInt64 = 0
    /// Lines that were given up while their lock could not be closed: it is tried until it is, or until they are gone.
    private var unclosed: (any DoorLines)?

    /// Takes the lines at once, all of them inactive. Lines that are not there, or not permitted yet, are reported and tried again.
    ///
    /// - Parameters:
    ///   - clock: by which the switching of a line is timed.
    ///   - report: takes one line for the person at the terminal.
    ///   - open: takes the lines, all outputs inactive. Called again after they went away.
    /// - Throws: what no waiting cures.
    public init(
        _ settings: DoorSettings, now: UInt64 = Clock.monotonic(), clock: @escaping () -> UInt64 = Clock.monotonic,
        report: @escaping (String) -> Void,
        open: @escaping () throws(DoorLinesError) -> any DoorLines
    ) throws(DoorLinesError) {
        self.open = open
        self.clock = clock
        self.report = report
        doorway = Doorway(settings)
        lookAt = now &+ Self.pause
        do throws(DoorLinesError) {
            try take(try open(), now)
        } catch {
            guard error.mayPass else { throw error }
            failed(error, now)
        }
    }

    /// Somebody may pass now.
    var isOpen: Bool { unclosed != nil || (lines != nil && !wanted.isEmpty) }
    /// The same, or in a moment everybody may.
    var isBusy: Bool { isOpen || doorway.awaitsEmergency }
    /// Whether the lock can be opened, and closed.
    public var isUp: Bool { lines != nil && lastSaid == nil }

    /// When `passTime` wants to be called.
    var nextChange: UInt64? {
        // Whoever asks takes them.
        if doorway.hasPresses { return 0 }
        var next = doorway.deadline ?? .max
        if unclosed != nil { next = min(next, retryAt) } else if lines?.canVanish != false { next = min(next, lookAt) }
        if lines != nil, isSet != wanted { next = min(next, retryAt) }
        return next == .max ? nil : next
    }

    func takeEvent() -> DoorEvent? { doorway.takeEvent() }
    func end() { doorway.end() }
    func takeAlarm() -> Bool { doorway.takeAlarm() }
    func note(_ event: DoorEvent, now: UInt64) { doorway.note(event, at: now) }
    func takePresses() -> DoorSignals { doorway.takePresses() }

    func join(_ loop: EventLoop) {
        self.loop = loop
        watch()
    }

    /// A visitor was accepted, and the record of it is on the disk.
    package func admit(now: UInt64) {
        if !doorway.admit(at: now) { report("a visitor was accepted, and the lock cannot be opened: the door's lines are missing") }
        apply(now)
    }

    /// There are edges to be read. The levels after them are the truth.
    func serve(_ now: UInt64) {
        read(now)
        apply(now)
    }

    private func read(_ now: UInt64) {
        guard let lines else { return }
        readAt = now &+ Self.stale
        do throws(DoorLinesError) {
            var edges: [DoorEdge] = []
            while edges.count < Self.mostEdges, let edge = try lines.nextEdge() { edges.append(edge) }
            // An expander asks its bus for levels: only where something has changed. That nothing did says nothing of the bus.
            guard !edges.isEmpty else { return }
            let missing = Self.missing(edges, of: lines.inputs)
            doorway.beginAnew(missing)
            replay(edges.filter { !missing.contains(DoorSignals(DoorInputs($0.input))) }, now)
            doorway.see(DoorSignals(try lines.levels()), at: now)
            areRead()
        } catch {
            unread(error, now)
        }
    }

    /// The inputs of which edges may be missing: those that have as many as are kept of one, or all, where all have that many together.
    private static func missing(_ edges: [DoorEdge], of inputs: DoorInputs) -> DoorSignals {
        let inputs = DoorInput.allCases.filter { inputs.contains(DoorInputs($0)) }
        let areAll = edges.count >= keptEdges * inputs.count
        let found = inputs.filter { input in areAll || edges.count { $0.input == input } >= keptEdges }
        return DoorSignals(found.reduce(into: DoorInputs()) { $0.insert(DoorInputs($1)) })
    }

    /// Those of two inputs may come in no order; those of one do.
    private func replay(_ edges: [DoorEdge], _ now: UInt64) {
        for (_, edge) in edges.enumerated().sorted(by: { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }) {
            guard let signal = DoorSignal(edge.input) else { continue }
            doorway.see(signal, isActive: edge.isActive, at: edge.at, now: now)
        }
    }

    package func passTime(_ now: UInt64) {
        if lines?.descriptor != nil, now >= readAt { read(now) }
        doorway.advance(to: now)
        // Before anything that may take its time: what is over is closed.
        apply(now)
        guard unclosed == nil else { return closeAtLast(now) }
        guard now >= lookAt else { return }
        lookAt = now &+ Self.pause
        do throws(DoorLinesError) {
            if let lines {
                if lines.canVanish {
                    doorway.see(DoorSignals(try lines.levels()), at: now)
                    // Says whether the outputs are there, of a door without inputs too.
                    if let isSet { try lines.set(isSet) }
                    areRead()
                }
            } else {
                try take(try open(), now)
                report("the door's lines are there")
            }
        } catch {
            unread(error, now)
        }
        apply(now)
    }

    public func close() {
        leave()
        lines?.close()
        lines = nil
        unclosed?.close()
        unclosed = nil
    }

    // MARK: the lines

    private func take(_ lines: any DoorLines, _ now: UInt64) throws(DoorLinesError) {
        let levels: DoorInputs
        do throws(DoorLinesError) { levels = try lines.levels() } catch {
            lines.close()
            throw error
        }
        self.lines = lines
        lastSaid = nil
        isSet = []
        // Counted from when they are there: to take them takes its time, and a cable has its level only after that.
        doorway.begin(DoorSignals(levels), hasSecond: lines.outputs.contains(.second), at: max(now, clock()))
        watch()
        apply(now)
    }

    /// - Returns: false where the loop cannot wait for edges.
    @discardableResult
    private func watch() -> Bool {
        guard let loop, let descriptor = lines?.descriptor, watched == nil else { return true }
        do throws(EventLoopError) {
            try loop.add(descriptor, for: .readable, token: Self.token)
            watched = descriptor
            return true
        } catch {
            unread(.system(errno: error.errno), clock())
            return false
        }
    }

    private func leave() {
        if let watched { loop?.remove(watched) }
        watched = nil
    }

    private var wanted: DoorOutputs { DoorOutputs(doorway.openings) }

    /// Switches what is to be switched.
    private func apply(_ now: UInt64) {
        let wanted = wanted
        guard let lines, wanted != isSet, isSet != nil || now >= retryAt else { return }
        do throws(DoorLinesError) {
            let begun = clock()
            try lines.set(wanted)
            // A pulse is counted from when its lock is open: a call of a busy system takes some milliseconds.
            // The loop's own time is some moments old by then.
            let open = clock()
            if !wanted.subtracting(isSet ?? []).isEmpty { doorway.delay(by: open > now ? open - now : open &- begun) }
            if lastSaid != nil { report("the lock can be switched again") }
            isSet = wanted
            lastSaid = nil
        } catch .chipGone {
            lose(.chipGone, now)
        } catch {
            isSet = nil
            retryAt = now &+ Self.retry
            say(error, wanted.isEmpty ? "THE LOCK CANNOT BE CLOSED: \(error)" : "the lock cannot be opened: \(error)")
        }
    }

    private func areRead() {
        if watch(), isSet != nil { lastSaid = nil }
    }

    /// Lines that cannot be read for once. In an emergency they are kept as they are: to give them back would lock everybody in.
    private func unread(_ error: DoorLinesError, _ now: UInt64) {
        guard lines != nil, error != .chipGone, doorway.isEmergency else { return lose(error, now) }
        // A bus that is stuck takes its time to say so: not again before the next look, and the loop is not woken for it.
        leave()
        lookAt = max(now, clock()) &+ Self.pause
        readAt = lookAt
        say(error, "the door's inputs cannot be read: \(error); the emergency goes on")
    }

    /// Lines whose levels nobody knows are none, and a chip that comes back has new ones.
    private func lose(_ error: DoorLinesError, _ now: UInt64) {
        leave()
        if error != .chipGone, isSet != [], let lines { unclosed = lines } else { lines?.close() }
        lines = nil
        failed(error, now)
        guard unclosed != nil else { return }
        retryAt = now
        closeAtLast(now)
        if unclosed != nil { report("THE LOCK CANNOT BE CLOSED: \(error)") }
    }

    /// A lock that is open must not be let go of unseen: released lines may stay as they are.
    private func closeAtLast(_ now: UInt64) {
        guard let lines = unclosed, now >= retryAt else { return }
        do throws(DoorLinesError) {
            try lines.set([])
        } catch .chipGone {
            // Nobody holds it any more.
        } catch {
            retryAt = max(now, clock()) &+ Self.retry
            return
        }
        lines.close()
        unclosed = nil
    }

    private func failed(_ error: DoorLinesError, _ now: UInt64) {
        isSet = nil
        doorway.lose(at: now)
        say(error, "the door's lines cannot be used: \(error); they are tried again every second")
    }

    /// Once, not at every turn of the loop.
    private func say(_ error: DoorLinesError, _ text: String) {
        guard error != lastSaid else { return }
        lastSaid = error
        report(text)
    }
}

extension DoorSignal {
    init?(_ input: DoorInput) { self.init(rawValue: input.rawValue) }
}

extension DoorSignals {
    init(_ inputs: DoorInputs) { self.init(rawValue: inputs.rawValue) }
}

extension DoorOutputs {
    init(_ openings: DoorOpenings) {
        self = []
        if openings.contains(.entry) { insert(.lock) }
        if openings.contains(.exit) { insert(.second) }
    }
}

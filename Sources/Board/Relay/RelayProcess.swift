import Audit
import Glibc
import Linux
import RelayState

/// Hands what is in the log to an outlet, in its order and at least once, and remembers how far the other side has it. One thread; the gate
/// never waits for it.
package final class RelayProcess {
    package struct Places: Hashable, Sendable {
        /// The log's current segment.
        package let log: String
        /// The folder of this outlet's cursor and status.
        package let state: String

        package init(log: String, state: String) { (self.log, self.state) = (log, state) }
    }

    /// Nanoseconds from one look at the log to the next while there is nothing to do.
    private static let look: UInt64 = 100_000_000
    /// Between two writes of the cursor, each of which brings two files to the disk: while the outlet has all there is, and while it is
    /// behind, where a kill has more sent again.
    private static let (storePause, storePauseBehind): (UInt64, UInt64) = (200_000_000, 2_000_000_000)
    /// Between two writes of the status where only its numbers changed.
    private static let statusPause: UInt64 = 10_000_000_000
    /// The status is written so often though nothing changed: who reads it sees that the process lives.
    private static let statusLife: UInt64 = 60_000_000_000
    /// Records handed out between two turns of the outlet.
    private static let atOnce = 256

    private let outlet: any Outlet
    private let needs: OutletNeeds
    private let settings: FeedSettings
    private let places: Places
    private let signals: Signals
    private let service: ServiceManager
    private var aliveAt: UInt64 = 0
    private let say: (String) -> Void
    private let queue: AuditQueue
    private var composer: FeedComposer
    private let watch: HealthWatch
    private var told: FeedHealth?
    private(set) var cursor: OutletCursor
    private var cursorFile: StateFile
    private var (isStored, storedAt): (Bool, UInt64) = (true, 0)
    private(set) var status = OutletStatus()
    private var statusFile: StateFile
    private var (writtenStatus, statusAt): (OutletStatus?, UInt64) = (nil, 0)
    private var pause = RetryPause()
    /// When it is tried again; nil for never.
    private var retryAt: UInt64? = 0
    private var isOpen = false
    /// The outlet took all there is to be handed out now.
    private var isDrained = false
    /// The last record that was ever handed out, to count those that are again, and its time.
    private var (highest, highestAt): (AuditPlace, UInt64)
    private var isAbsenceSaid = false

    /// - Parameter service: made before the process is confined, as it needs a socket.
    package init(
        _ outlet: any Outlet, _ settings: FeedSettings, _ places: Places, signals: Signals, service: ServiceManager = ServiceManager(),
        say: @escaping (String) -> Void
    ) throws(OutletStateError) {
        (self.outlet, self.places, self.signals, self.say) = (outlet, places, signals, say)
        (self.settings, self.service, needs) = (settings, service, outlet.needs)
        let stored = try OutletCursor(folder: places.state)
        cursor = outlet.start == .cursor ? stored : .beginning
        cursorFile = StateFile(OutletCursor.file, in: places.state)
        statusFile = StateFile(OutletStatus.file, in: places.state)
        composer = FeedComposer(settings)
        queue = AuditQueue(places.log, after: cursor.place)
        watch = HealthWatch(places.log)
        (highest, highestAt) = (cursor.place, 0)
    }

    /// Works until SIGTERM.
    package func run() {
        service.ready()
        while true {
            while let signal = signals.next() { if signal == .terminate { return end() } }
            turn()
        }
    }

    /// What is due, and a short wait.
    func turn() {
        let now = Clock.monotonic()
        if let interval = service.watchdogInterval, now &- aliveAt >= interval / 2 {
            aliveAt = now
            service.alive()
        }
        tell()
        if isOpen || isDue(now) { work(now) } else { rest(now) }
        store(Clock.monotonic())
        report(Clock.monotonic())
    }

    private func isDue(_ now: UInt64) -> Bool { retryAt.map { now >= $0 } ?? false }

    private func rest(_ now: UInt64) {
        let until = min(retryAt ?? .max, now &+ Self.look)
        var source = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&source, 1, Int32(clamping: (until - now) / 1_000_000 + 1))
    }

    /// Says goodbye, and keeps what is known.
    func end() {
        service.stopping()
        collect()
        outlet.close()
        // An outlet may hear only when it ends what the other side has.
        collect()
        storedAt = 0
        store(.max)
        status.state = .stopped
        statusAt = 0
        report(.max)
    }

    // MARK: work

    private func work(_ now: UInt64) {
        do throws(OutletTrouble) {
            if !isOpen {
                status.state = .connecting
                report(now)
                isOpen = true
                rewind()
                try open()
            }
            // Connected, and yet nothing is to be sent for a while.
            let isHeld = retryAt.map { now < $0 } ?? true
            let isMore = isHeld ? false : try feed()
            try outlet.turn(until: isMore ? 0 : Clock.monotonic() &+ Self.look)
            collect()
            // Who refused something before is as before until it takes something, or there is nothing to take.
            let isWell = status.state == .connected || status.trouble == nil || isDrained || !needs.readsLog
            if outlet.isConnected, !isHeld, isWell { beConnected() }
        } catch {
            collect()
            fail(error)
        }
    }

    /// A name may take long to be resolved.
    private func open() throws(OutletTrouble) {
        guard service.watchdogInterval != nil else { return try outlet.open() }
        service.bePatient()
        defer { service.beStrict() }
        try outlet.open()
    }

    private func rewind() {
        queue.rewind(to: cursor.place)
        composer.reset()
        isDrained = false
    }

    /// What is known of the gate, where it has changed.
    private func tell() {
        guard needs.tellsHealth else { return }
        watch.look()
        var health = watch.health
        health.reach(highest, at: highestAt)
        if settings.detail == .counts { health = health.counted(upTo: highest.sequence) }
        health.delivered = cursor.sequence
        guard health != told else { return }
        told = health
        outlet.note(health)
    }

    /// Hands out what there is and what the outlet takes. True where there may be more at once.
    private func feed() throws(OutletTrouble) -> Bool {
        isDrained = false
        for _ in 0..<Self.atOnce {
            guard outlet.room > 0 else { return false }
            guard let record = try next() else {
                isDrained = true
                return false
            }
            if record.last <= highest.sequence { status.again &+= 1 } else { (highest, highestAt) = (record.place, record.at) }
            status.sent &+= 1
            try outlet.send(record)
        }
        return outlet.room > 0
    }

    /// The next record to be handed out; nil where there is none now.
    private func next() throws(OutletTrouble) -> FeedRecord? {
        while true {
            let item: AuditQueue.Item?
            do throws(AuditError) { item = try queue.next() } catch { throw OutletTrouble(.system, "the log: \(error)") }
            guard let item else {
                sayAbsence()
                return composer.takeOver(Clock.wallSeconds())
            }
            switch item {
            case .record(let place, let octets): if let record = composer.take(place, octets) { return record }
            case .missing(let range):
                status.missing &+= UInt64(range.count)
                say("records \(range.lowerBound) to \(range.upperBound) went before they were sent")
            case .damaged(let count):
                status.damaged &+= 1
                say("\(count) octets in the log are no record, and are passed over")
            case .outOfOrder(let number):
                status.damaged &+= 1
                say("record \(number) comes in the log again, and is passed over")
            case .broken(let number):
                say("record \(number) does not follow the one before it: the log was changed (gatehouse audit verify)")
            case .rewritten(let number):
                say("the log was written anew from record \(number) on")
                outlet.logChanged(from: number)
            case .exchanged: try begin()
            }
        }
    }

    /// A gate that was never started has no log, and a mistyped folder none either: it is waited for, and said.
    private func sayAbsence() {
        guard !isAbsenceSaid, access(places.log, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return }
        isAbsenceSaid = true
        say("there is no log at \(places.log): it is waited for")
    }

    /// The log is another one: everything handed out of the old one is forgotten.
    private func begin() throws(OutletTrouble) {
        status.exchanged &+= 1
        say("the log is another one than before: it is sent from its first record on")
        // Before the cursor goes back: what this connection delivered is of the old log.
        outlet.close()
        outlet.logChanged(from: 1)
        isOpen = false
        cursor = .beginning
        (isStored, highest, highestAt) = (false, .beginning, 0)
        watch.forget()
        throw OutletTrouble(.system, "the log was exchanged")
    }

    /// Takes what was delivered.
    private func collect() {
        guard isOpen, let place = outlet.delivered, place.sequence > cursor.sequence else { return }
        status.delivered &+= place.sequence - cursor.sequence
        cursor = OutletCursor(place)
        isStored = false
        pause.reset()
        if outlet.isConnected { beConnected() }
    }

    private func fail(_ trouble: OutletTrouble) {
        // Mosquitto ends the connection of a client whose record it refused: the reason is what is said, and its pause what is kept.
        if isOpen, trouble.code == .closed, retryAt.map({ Clock.monotonic() < $0 }) ?? true {
            outlet.close()
            isOpen = false
            return
        }
        if trouble.staysConnected {
            outlet.forget()
            rewind()
        } else {
            outlet.close()
            isOpen = false
        }
        retryAt = pause.after(trouble.pause, chance: .random(in: 0...1)).map { Clock.monotonic() &+ $0 }
        if status.trouble != trouble.code.rawValue { say("\(trouble)") }
        become(retryAt == nil ? .stopped : .waiting, trouble.code.rawValue)
    }

    private func beConnected() {
        let complaint = outlet.complaint
        guard status.state != .connected || status.trouble != complaint?.code.rawValue else { return }
        if let complaint, status.trouble != complaint.code.rawValue { say("\(complaint)") }
        become(.connected, complaint?.code.rawValue)
    }

    private func become(_ state: OutletStatus.State, _ trouble: String?) {
        // Since when it is so, however often it was tried.
        let isChanged = (status.state == .connected) != (state == .connected) || status.trouble != trouble
        if isChanged || state == .stopped { status.since = Clock.wallSeconds() }
        (status.state, status.trouble) = (state, trouble)
    }

    // MARK: what is kept

    private func store(_ now: UInt64) {
        guard !isStored, outlet.start == .cursor, now &- storedAt >= (isDrained ? Self.storePause : Self.storePauseBehind) else { return }
        storedAt = now
        // What is sent twice is no harm; nothing is lost.
        isStored = cursorFile.replace(with: cursor.octets, now: now) { say("the cursor cannot be stored: \($0)") }
    }

    private func report(_ now: UInt64) {
        var told = status
        // What an outlet complains of while it takes records does not hide that nothing of them is remembered.
        if told.trouble == nil || told.state == .connected, cursorFile.failure != nil { told.trouble = OutletTrouble.Code.state.rawValue }
        let isNew = writtenStatus?.state != told.state || writtenStatus?.trouble != told.trouble
        told.at = writtenStatus?.at ?? 0
        guard isNew || now &- statusAt >= (told == writtenStatus ? Self.statusLife : Self.statusPause) else { return }
        told.at = Clock.wallSeconds()
        if statusFile.replace(with: told.octets, now: now, say: { say("the status cannot be written: \($0)") }) {
            (writtenStatus, statusAt) = (told, now)
        }
    }
}

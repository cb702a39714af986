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

    /// Nanoseconds from one look at the log to the next while there is nothing to do, and between two writes of cursor and status.
    private static let look: UInt64 = 100_000_000
    private static let storePause: UInt64 = 200_000_000
    private static let statusPause: UInt64 = 1_000_000_000
    /// The status is written so often though nothing changed: who reads it sees that the process lives.
    private static let statusLife: UInt64 = 60_000_000_000
    /// Records handed out between two turns of the outlet.
    private static let atOnce = 256

    private let outlet: any Outlet
    private let places: Places
    private let signals: Signals
    private let say: (String) -> Void
    private let queue: AuditQueue
    private var composer: FeedComposer
    private var health = FeedHealth()
    private(set) var cursor: OutletCursor
    private var (isStored, storedAt): (Bool, UInt64) = (true, 0)
    /// What was said of a cursor that cannot be stored.
    private var storeFault: SystemError?
    private(set) var status = OutletStatus()
    private var (writtenStatus, statusAt): (OutletStatus?, UInt64) = (nil, 0)
    private var pause = RetryPause()
    /// When it is tried again; nil for never.
    private var retryAt: UInt64? = 0
    private var isOpen = false
    /// The last record that was ever handed out, to count those that are again.
    private var highest: UInt64 = 0
    private var waiting: FeedRecord?

    package init(
        _ outlet: any Outlet, _ settings: FeedSettings, _ places: Places, signals: Signals, say: @escaping (String) -> Void
    ) throws(OutletStateError) {
        (self.outlet, self.places, self.signals, self.say) = (outlet, places, signals, say)
        let stored = try OutletCursor(folder: places.state)
        cursor = outlet.start == .cursor ? stored : .beginning
        composer = FeedComposer(settings)
        queue = AuditQueue(places.log, after: cursor.place)
        highest = cursor.sequence
    }

    /// Works until SIGTERM.
    package func run() {
        outlet.note(health)
        while true {
            while let signal = signals.next() { if signal == .terminate { return end() } }
            turn()
        }
    }

    /// What is due, and a short wait.
    func turn() {
        let now = Clock.monotonic()
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
                try outlet.open()
            }
            // Connected, and yet nothing is to be sent for a while.
            let isHeld = retryAt.map { now < $0 } ?? true
            let isMore = isHeld ? false : try feed()
            try outlet.turn(until: isMore ? 0 : Clock.monotonic() &+ Self.look)
            collect()
            if outlet.isConnected, !isHeld { beConnected() }
        } catch {
            collect()
            fail(error)
        }
    }

    private func rewind() {
        queue.rewind(to: cursor.place)
        composer.reset()
        waiting = nil
    }

    /// Hands out what there is and what the outlet takes. True where there may be more at once.
    private func feed() throws(OutletTrouble) -> Bool {
        for _ in 0..<Self.atOnce {
            guard outlet.room > 0 else { return false }
            guard let record = try next() else { return false }
            if record.last <= highest { status.again &+= 1 }
            highest = max(highest, record.last)
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
            guard let item else { return composer.takeOver(Clock.wallSeconds()) }
            switch item {
            case .record(let place, let octets):
                if place.sequence > health.sequence {
                    health.take(place, octets)
                    outlet.note(health)
                }
                if let record = composer.take(place, octets) { return record }
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
            case .rewritten(let number): say("the log was written anew from record \(number) on")
            case .exchanged: try begin()
            }
        }
    }

    /// The log is another one: everything handed out of the old one is forgotten.
    private func begin() throws(OutletTrouble) {
        status.exchanged &+= 1
        say("the log is another one than before: it is sent from its first record on")
        cursor = .beginning
        (isStored, highest, health) = (false, 0, FeedHealth())
        throw OutletTrouble(.system, "the log was exchanged")
    }

    /// Takes what was delivered.
    private func collect() {
        guard let place = outlet.delivered, place.sequence > cursor.sequence else { return }
        status.delivered &+= place.sequence - cursor.sequence
        cursor = OutletCursor(place)
        isStored = false
        pause.reset()
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
        if let complaint { say("\(complaint)") }
        become(.connected, complaint?.code.rawValue)
    }

    private func become(_ state: OutletStatus.State, _ trouble: String?) {
        if status.state != state || status.trouble != trouble { status.since = Clock.wallSeconds() }
        (status.state, status.trouble) = (state, trouble)
    }

    // MARK: what is kept

    private func store(_ now: UInt64) {
        guard !isStored, outlet.start == .cursor, now &- storedAt >= Self.storePause else { return }
        storedAt = now
        do throws(SystemError) {
            try DurableFolder(places.state, exclusively: false).replace(OutletCursor.file, with: cursor.octets)
            isStored = true
            if storeFault != nil { say("the cursor is stored again") }
            storeFault = nil
        } catch {
            // What is sent twice is no harm; nothing is lost. Said once: a disk may be full for long.
            if storeFault != error { say("the cursor cannot be stored: \(error)") }
            storeFault = error
        }
    }

    private func report(_ now: UInt64) {
        var compared = status
        compared.at = writtenStatus?.at ?? 0
        let isNew = writtenStatus?.state != status.state || writtenStatus?.trouble != status.trouble
        guard isNew || now &- statusAt >= (compared == writtenStatus ? Self.statusLife : 10 * Self.statusPause) else { return }
        status.at = Clock.wallSeconds()
        statusAt = now
        writtenStatus = status
        do throws(SystemError) { try DurableFolder(places.state, exclusively: false).replace(OutletStatus.file, with: status.octets) } catch
        {}
    }
}

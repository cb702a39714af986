import Devices
import Glibc
import Linux
import ListenerProtocol

/// The listener of a gate at work: what wallets posted on the gate's own network, one after the other, and the gate's words back. Nothing
/// here waits. A listener that is gone, hangs or lies is ended and another started; a visit by radio does not notice.
public final class ListenerDesk {
    static let keeperToken: UInt32 = 20, channelToken: UInt32 = 21

    private enum State {
        /// Another is started at `dueAt`, if any can be.
        case none
        /// The keeper was asked for one, or it has not said that it is ready; late at `dueAt`.
        case starting
        case ready
    }

    /// Nanoseconds from a start to its first word.
    private static let startTime: UInt64 = 10_000_000_000
    /// Nanoseconds for which a listener has to live for the next to be started at once.
    private static let goodLife: UInt64 = 10_000_000_000
    /// What is posted and not answered. Four connections wait at a time; those whose senders were told to wait no longer are a few more.
    private static let mostOpen = 8
    /// Octets of words that it does not take.
    private static let mostUnsent = 64 << 10
    /// Nanoseconds between two lines about what was refused.
    private static let sayPause: UInt64 = 60_000_000_000

    private let keeper: ListenerKeeper
    private let report: (String) -> Void
    private weak var loop: EventLoop?
    private var state = State.none
    private var channel: Int32 = -1
    private var serial: UInt32 = 0
    private var dueAt: UInt64?
    private var readyAt: UInt64 = 0
    private var backOff = BackOff()
    private var inbox = ListenerInbox()
    private var held: ListenerWord.Posted?
    private var open: Set<UInt32> = []
    /// Who waits for the verdict of a visit, by what they posted.
    private var visitors: [PostedKind: UInt32] = [:]
    private var unsent: [UInt8] = []
    private var budget = ListenerBudget()
    private var isPaused = false
    /// What the loop watches the channel for.
    private var watched: Interest = []
    private var refusals = Refusals()
    private var saidAt: UInt64?
    private var lastSaid: String?

    /// - Parameter report: takes one line for the person at the terminal.
    init(_ settings: ListenerSettings, report: @escaping (String) -> Void) throws(KeeperError) {
        keeper = try ListenerKeeper(settings)
        self.report = report
    }

    /// Has the loop watch it from now on, and starts the first listener.
    func join(_ loop: EventLoop, _ now: UInt64) {
        self.loop = loop
        do throws(EventLoopError) {
            try loop.add(keeper.descriptor, for: .readable, token: Self.keeperToken)
        } catch {
            report("http: \(systemCause(error.errno)): nothing is taken by network")
            return
        }
        start(now)
    }

    /// Whether somebody listens.
    var isUp: Bool { if case .ready = state { true } else { false } }

    /// When `passTime` wants to be called, in nanoseconds of `Clock.monotonic`.
    func deadline(_ now: UInt64) -> UInt64? {
        let reading = isPaused ? budget.next(now) ?? now : nil
        let saying = refusals.isEmpty ? nil : saidAt.map { $0 &+ Self.sayPause } ?? now
        let next = min(dueAt ?? .max, reading ?? .max, saying ?? .max)
        return next == .max ? nil : next
    }

    func passTime(_ now: UInt64) {
        if let dueAt, now >= dueAt {
            if case .none = state { start(now) } else { fail("it does not answer", now) }
        }
        if isPaused, budget.next(now) == nil { resume(now) }
        sayRefusals(now)
    }

    /// - Parameter token: `keeperToken` or `channelToken`.
    func serve(_ token: UInt32, _ now: UInt64) {
        guard token == Self.channelToken else { return serveKeeper(now) }
        send(now)
        read(now)
    }

    func close() {
        shut()
        keeper.end()
    }

    // MARK: what the gate does

    /// What somebody posted, once. Its octets are lent until `release`, which has to follow.
    func takePosted() -> ListenerWord.Posted? { held.take() }

    func withContent<Result>(_ body: (_ target: borrowing Span<UInt8>, _ body: borrowing Span<UInt8>) -> Result) -> Result? {
        inbox.withContent(body)
    }

    /// The gate has taken what it needs of it.
    func release(_ now: UInt64) {
        inbox.release()
        if !isPaused { read(now) }
    }

    /// Sends a word; nobody hears one for somebody who is not there any more, or heard one already.
    func answer(_ word: GateWord, to number: UInt32, _ now: UInt64) {
        guard open.remove(number) != nil else { return }
        do throws(ListenerError) { unsent += try word.octets(number: number) } catch {
            // Too long a message: it is the wallet's to ask again.
            do throws(ListenerError) { unsent += try GateWord.taken.octets(number: number) } catch { return }
        }
        guard unsent.count <= Self.mostUnsent else { return fail("it takes no answers", now) }
        send(now)
    }

    /// What somebody posted is the visit's: the gate's word on it comes with the verdict. Whoever waited for another verdict in the same
    /// way hears that theirs was taken.
    func expectWord(for number: UInt32, of kind: PostedKind, _ now: UInt64) {
        if let before = visitors.updateValue(number, forKey: kind) { answer(.taken, to: before, now) }
    }

    func answerVisitor(_ kind: PostedKind, _ word: GateWord, _ now: UInt64) {
        guard let number = visitors.removeValue(forKey: kind) else { return }
        answer(word, to: number, now)
    }

    // MARK: the keeper

    private func start(_ now: UInt64) {
        guard keeper.ask(.start) else { return serveKeeper(now) }
        (state, dueAt) = (.starting, now &+ Self.startTime)
    }

    private func serveKeeper(_ now: UInt64) {
        while let event = keeper.next() {
            switch event {
            case .started(let channel, let serial):
                if case .starting = state, self.channel < 0 { begin(channel, serial, now) } else { Glibc.close(channel) }
            case .ended(let serial, let status) where serial == self.serial:
                let signal = status & 0x7F
                fail(signal == 0 ? "it ended by itself (code \(status >> 8 & 0xFF))" : "it was ended by signal \(signal)", now)
            // One that was told to end.
            case .ended: break
            case .notStarted(let code): fail("it could not be started (\(systemCause(code)))", now)
            case .lost:
                shut()
                (state, dueAt) = (.none, nil)
                report("http: gatehouse-http is gone: nothing is taken by network until the gate is started anew")
            }
        }
    }

    private func begin(_ channel: Int32, _ serial: UInt32, _ now: UInt64) {
        shut()
        (self.channel, self.serial) = (channel, serial)
        (state, dueAt) = (.starting, now &+ Self.startTime)
        watch()
    }

    /// It is ended, whatever it is doing, and another is started: at once after a good while, else with pauses.
    private func fail(_ why: String, _ now: UInt64) {
        let wasGood = isUp && now >= readyAt &+ Self.goodLife
        if wasGood { backOff.reset() }
        shut()
        // Its end is not waited for: the next start does it too.
        serial = 0
        keeper.ask(.stop)
        (state, dueAt) = (.none, wasGood ? now : now &+ backOff.next())
        guard why != lastSaid else { return }
        lastSaid = why
        report("http: \(why); another listener is started")
    }

    private func shut() {
        if channel >= 0 { Glibc.close(channel) }
        channel = -1
        inbox.begin()
        (held, isPaused, watched) = (nil, false, [])
        open = []
        visitors = [:]
        unsent = []
    }

    // MARK: the listener

    private func read(_ now: UInt64) {
        while channel >= 0, held == nil, !isPaused {
            do throws(ListenerError) {
                switch try inbox.fill(from: channel) {
                case .nothing: return
                case .ended: return fail("it is gone", now)
                case .word(let word): try take(word, now)
                }
            } catch {
                return fail("it said what is nothing (\(error))", now)
            }
        }
    }

    private func take(_ word: ListenerWord, _ now: UInt64) throws(ListenerError) {
        switch word {
        case .ready:
            guard case .starting = state else { throw .outOfTurn }
            (state, dueAt, readyAt) = (.ready, nil, now)
        case .refused(let more):
            guard isUp else { throw .outOfTurn }
            refusals.add(more)
            budget.pay(0, at: now)
            pauseIfDue(now)
        case .posted(let posted):
            guard isUp, open.count < Self.mostOpen, open.insert(posted.number).inserted else { throw .outOfTurn }
            held = posted
            budget.pay(posted.targetCount + posted.bodyCount, at: now)
            pauseIfDue(now)
        }
    }

    private func pauseIfDue(_ now: UInt64) {
        guard budget.next(now) != nil else { return }
        isPaused = true
        watch()
    }

    private func resume(_ now: UInt64) {
        isPaused = false
        watch()
        read(now)
    }

    private func send(_ now: UInt64) {
        while channel >= 0, !unsent.isEmpty {
            let step = unsent.withUnsafeBytes { Channel.write($0, to: channel) }
            if step < 0, Channel.isWaiting { break }
            guard step > 0 else { return fail("it is gone", now) }
            unsent.removeFirst(step)
        }
        watch()
    }

    /// For reading while there is a budget, for writing while words wait.
    private func watch() {
        guard channel >= 0, let loop else { return }
        var wanted: Interest = isPaused ? [] : .readable
        if !unsent.isEmpty { wanted.insert(.writable) }
        guard wanted != watched else { return }
        do throws(EventLoopError) {
            // Watched for nothing, its end would be told in every turn.
            if wanted.isEmpty {
                loop.remove(channel)
            } else if watched.isEmpty {
                try loop.add(channel, for: wanted, token: Self.channelToken)
            } else {
                try loop.modify(channel, for: wanted, token: Self.channelToken)
            }
            watched = wanted
        } catch {
            // One that is not heard is late with its first word, or stays silent: no visit depends on it.
        }
    }

    private func sayRefusals(_ now: UInt64) {
        guard !refusals.isEmpty, saidAt.map({ now >= $0 &+ Self.sayPause }) ?? true else { return }
        let words = refusals.list.map { "\($0.count) with \($0.status)" }.joined(separator: ", ")
        report("http: requests refused: \(words)")
        (refusals, saidAt) = (Refusals(), now)
    }
}

import Bluetooth
import Devices
import Linux

/// The link to the controller as the loop sees it: open, or waiting for the moment to open again.
final class Radio {
    static let token: UInt32 = 2
    static let watchToken: UInt32 = 3
    /// A link that was open this long, in nanoseconds, was well.
    private static let wellAfter: UInt64 = 1_000_000_000

    private(set) var isOpen = false
    /// When to try to open, in nanoseconds of the monotonic clock; nil while open, or while only the kernel can tell.
    private(set) var openAt: UInt64? = 0

    private let link: any HCILink
    private let watch = ControllerWatch()
    private let loop: EventLoop
    private let trace: Trace?
    private let report: (String) -> Void
    private var backOff = BackOff()
    private var stall = StallWatch()
    /// When the link was opened; nil while it is not.
    private var openedAt: UInt64?
    private var isWatchingWrites = false
    private var lastSaid: LinkError?
    /// The controller is not there; the kernel tells when it is.
    private var isWaiting = false
    /// The link is of no use any more, and still to be closed: a driver takes its time for that too.
    private var isToBeClosed = false
    /// Whether what may take long may be done now.
    var mayWait: () -> Bool = { true }

    init(_ link: any HCILink, loop: EventLoop, trace: Trace?, report: @escaping (String) -> Void) {
        self.link = link
        self.loop = loop
        self.trace = trace
        self.report = report
    }

    var hasUnread: Bool { isOpen && link.hasUnread }
    /// Whether another read may find something; false where the last one took all there was.
    var mayHaveMore: Bool { isOpen && link.mayHaveMore }
    var hasUnsent: Bool { link.hasUnsent }

    /// Whether it is time to open the link.
    func isDue(_ now: UInt64) -> Bool { !isOpen && openAt.map { now >= $0 } ?? false }

    /// When the radio wants the loop's attention without an event of its own, in nanoseconds of the monotonic clock.
    var deadline: UInt64? { openAt ?? stall.deadline }

    /// The rest of a packet is overdue. What came meanwhile and was not read counts only when it was.
    func isStalled(_ now: UInt64) -> Bool { isOpen && stall.isStalled(now) }

    /// Opening can take as long as a driver likes.
    var mayBlock: Bool { link.canAppear }

    /// Opens the link when it is time; true when it has just been opened. What it throws is planned for already.
    func openIfDue(_ now: UInt64) throws(LinkError) -> Bool {
        guard isDue(now) else { return false }
        closeLink()
        // The watch first, or a controller that appears in between is missed.
        if link.canAppear { openWatch() }
        do throws(LinkError) {
            try link.open()
            try addToLoop()
        } catch {
            link.close()
            schedule(error, now)
            throw error
        }
        closeWatch()
        isOpen = true
        openAt = nil
        openedAt = now
        lastSaid = nil
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LinkError) -> Int {
        guard isOpen else { return 0 }
        let count = try link.read(into: buffer)
        // A packet that is whole shows that the stream goes on, though the loop may never see it drained.
        if count > 0 { stall.reset() } else { stall.drained(link.octetsInsidePacket, Clock.monotonic()) }
        if let trace, count > 0 { trace.record(UnsafeRawBufferPointer(rebasing: buffer[..<count]), .received, at: Clock.monotonic()) }
        return count
    }

    func write(_ frame: inout PacketFrame) throws(LinkError) {
        try link.write(&frame)
        if let trace { Self.record(&frame, in: trace) }
        watchWrites()
        // A controller that takes what it is sent is a reason to be quick the next time.
        backOff.reset()
    }

    func flush() throws(LinkError) {
        try link.flush()
        watchWrites()
    }

    /// What was traced goes to its file: between turns, when nothing waits for an answer.
    func writeTrace() {
        trace?.flush()
    }

    /// The link broke: closes it and plans to open it again; at once where it had been well for a while. Who replaces a controller is not
    /// made to wait, and one that comes and goes is not tried without a pause.
    func failed(_ error: LinkError) {
        shut()
        let now = Clock.monotonic()
        schedule(error, now)
        if let openedAt, now >= openedAt + Self.wellAfter { openAt = now }
        openedAt = nil
    }

    /// The gate wants the link opened anew.
    func reopen() {
        shut()
        openAt = Clock.monotonic() + backOff.next()
    }

    /// The kernel said something about controllers: worth a try at once.
    func takeNews() {
        do throws(LinkError) {
            while let news = try watch.next() {
                switch news {
                // Only what was waited for cuts the pause short: a bind that fails in the driver makes the kernel say
                // "removed" and "added" as well, and would be tried again without end.
                case .added, .addedUnconfigured: if isWaiting { openAt = Clock.monotonic() }
                case .removed: break
                }
            }
        } catch {
            closeWatch()
            openAt = Clock.monotonic() + backOff.next()
        }
    }

    func close() {
        shut()
        closeLink()
        closeWatch()
        trace?.close()
        openAt = nil
    }

    private func shut() {
        if isOpen { loop.remove(link.descriptor) }
        isOpen = false
        isWatchingWrites = false
        stall.reset()
        isToBeClosed = true
        if mayWait() { closeLink() }
    }

    private func closeLink() {
        guard isToBeClosed else { return }
        isToBeClosed = false
        link.close()
    }

    private func schedule(_ error: LinkError, _ now: UInt64) {
        let remedy = link.remedy(for: error)
        isWaiting = remedy == .waitForController
        switch remedy {
        case .waitForController where watch.descriptor >= 0:
            // A slow look besides: the news may have come before the watch.
            openAt = now + 8_000_000_000
        case .tellOperator: openAt = now + 8_000_000_000
        case .reopen, .waitForController, .none: openAt = now + backOff.next()
        }
    }

    private static func record(_ frame: inout PacketFrame, in trace: Trace) {
        let count = frame.count
        frame.storage.span.withUnsafeBytes { octets in
            trace.record(UnsafeRawBufferPointer(rebasing: octets[..<count]), .sent, at: Clock.monotonic())
        }
    }

    private func addToLoop() throws(LinkError) {
        do throws(EventLoopError) {
            try loop.add(link.descriptor, for: .readable, token: Self.token)
        } catch {
            throw .system(.open, errno: error.errno)
        }
    }

    private func watchWrites() {
        guard link.hasUnsent != isWatchingWrites else { return }
        do throws(EventLoopError) {
            try loop.modify(link.descriptor, for: link.hasUnsent ? [.readable, .writable] : .readable, token: Self.token)
            isWatchingWrites = link.hasUnsent
        } catch {
            // The descriptor is gone: the next read says so.
        }
    }

    private func openWatch() {
        guard watch.descriptor < 0 else { return }
        do throws(LinkError) {
            try watch.open()
            do throws(EventLoopError) { try loop.add(watch.descriptor, for: .readable, token: Self.watchToken) } catch { watch.close() }
        } catch {
            // A kernel without the control channel: opening is tried by the clock instead.
        }
    }

    private func closeWatch() {
        guard watch.descriptor >= 0 else { return }
        loop.remove(watch.descriptor)
        watch.close()
    }

    /// Says each trouble once, not at every attempt.
    func say(_ error: LinkError) {
        guard error != lastSaid else { return }
        lastSaid = error
        report("controller: \(error.sentence)" + (error == .controllerTaken ? Self.suspects(ControllerUsers.processes()) : ""))
    }

    /// Who may have the user channel. A gate that may not look at other processes names nobody.
    static func suspects(_ processes: [String]) -> String {
        // A process chooses its name, and a terminal obeys control characters.
        let names = processes.map { name in String(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F }.map(Character.init)) }
        return names.isEmpty ? "" : ", one of these: " + names.joined(separator: ", ")
    }
}

import Linux

/// A new site file's first run: it is kept once the gate has run with it for a minute, its controller up and nobody shut out by what the
/// file sets.
///
/// A gate that does not come that far because of the file is started anew, which counts: after a few starts the file is given up
/// (`SiteInstallation`). What the file cannot have caused, such as a radio that is unplugged where it was, costs it nothing but time.
public final class SiteTrial {
    /// What differs with the new file from what was before it.
    public struct Changes: Hashable, Sendable {
        public var controller = false
        public var lamps = false
        /// Why nobody can enter, where the file can be the reason.
        public var causes: ClosedCauses = []

        public init() {}
    }

    /// What has become of a file that is to be kept.
    public enum Confirmation: Sendable {
        case kept
        /// Another file was installed meanwhile, which this gate has never run with: there is nothing to keep, and nothing was proven.
        case replaced
        /// It cannot be written down at this moment.
        case later
    }

    /// Nanoseconds that a gate has to run well with a file, in one piece.
    static let provenAfter: UInt64 = 60 * 1_000_000_000
    /// Nanoseconds that what the file names has to come up, and to come back.
    static let lostAfter: UInt64 = 180 * 1_000_000_000
    /// Nanoseconds until a fault is more than the moment between two states.
    static let faultAfter: UInt64 = 10 * 1_000_000_000

    private let changes: Changes
    private let confirm: () -> Confirmation
    private let takeBack: () -> Void
    private var wellSince: UInt64?
    private var faultSince: UInt64?
    private var last: UInt64
    private var confirmAt: UInt64 = 0
    private var isOver = false
    /// The gate has run with the file, and what it sets is in force.
    private(set) var isKept = false
    /// It is not decided.
    var isOpen: Bool { !isOver }
    private var wasControllerUp = false

    /// - Parameters:
    ///   - now: nanoseconds of the monotonic clock.
    ///   - confirm: keeps the file.
    ///   - takeBack: has this start not count.
    public init(_ changes: Changes, now: UInt64 = Clock.monotonic(), confirm: @escaping () -> Confirmation, takeBack: @escaping () -> Void)
    {
        self.changes = changes
        self.confirm = confirm
        self.takeBack = takeBack
        last = now
    }

    /// When there is something to decide; nil when there is not.
    var due: UInt64? {
        if isOver { return nil }
        if let wellSince { return max(wellSince &+ Self.provenAfter, confirmAt) }
        return faultSince.map { $0 &+ Self.lostAfter }
    }

    /// Returns why the gate has to end, where that is the file's doing.
    func pass(_ now: UInt64, _ status: GateStatus) -> String? {
        guard !isOver else { return nil }
        last = now
        wasControllerUp = status.isControllerUp
        let fault = fault(status)
        faultSince = fault == nil ? nil : faultSince ?? now
        wellSince = fault == nil && status.isControllerUp ? wellSince ?? now : nil
        if let wellSince, now >= max(wellSince &+ Self.provenAfter, confirmAt) {
            let confirmation = confirm()
            (isKept, isOver) = (confirmation == .kept, confirmation != .later)
            // A stick is being read at this moment, or the disk is full: both end.
            confirmAt = now &+ Self.provenAfter
            return nil
        }
        guard let fault, let faultSince, now >= faultSince &+ Self.lostAfter else { return nil }
        isOver = true
        return fault
    }

    private func fault(_ status: GateStatus) -> String? {
        if changes.controller, !status.isControllerUp { return "no controller comes up where the new site file says it is" }
        if changes.lamps, !status.areLampsUp { return "the lamps that the new site file names do not come up" }
        let closed = status.closed.intersection(changes.causes)
        return closed.isEmpty ? nil : "nobody can enter with what the new site file sets (\(closed.codes))"
    }

    /// The gate ends before it is known what the file is worth.
    ///
    /// - Parameter isBroken: not because somebody asked it to.
    public func end(isBroken: Bool) {
        guard !isOver else { return }
        isOver = true
        if let faultSince, last &- faultSince >= Self.faultAfter { return }
        // A controller that was lost where the file leaves it alone.
        if !isBroken || (!wasControllerUp && !changes.controller) { takeBack() }
    }
}

import Audit
import Envelopes
import Linux
import Trust

/// Why a reset that was taken is not done. It is tried again at the next start, and nobody is let in before.
public enum FactoryResetError: Error, Hashable, Sendable {
    case disk(TrustInstallationError)
    case audit(AuditError)
}

extension FactoryResetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .disk(let error): "\(error)"
        case .audit(let error): "the audit log: \(error)"
        }
    }
}

/// Gives a gate back to whoever sets it up next: its trust bundle and its site file go, and, where the signers order it, its audit log.
///
/// Taken and done are two steps. What is taken is a mark on the disk (`ResetMark`), and from then on nobody is let in; what it asks for is
/// done by the gate when it starts next, and begun anew where the power went. What keeps old files out stays: the high-water mark of trust
/// bundles, the numbers of orders taken, and the id that a gate has drawn.
public struct FactoryReset: Sendable {
    private let folder: String
    private let patience: UInt64
    private let watch: DurableFolder.Watch?

    /// - Parameters:
    ///   - folder: the trust folder; it has to exist.
    ///   - patience: nanoseconds to wait for another program that has the folder.
    public init(_ folder: String, patience: UInt64 = 0) {
        self.init(folder, patience: patience, watch: nil)
    }

    init(_ folder: String, patience: UInt64 = 0, watch: DurableFolder.Watch?) {
        (self.folder, self.patience, self.watch) = (folder, patience, watch)
    }

    // MARK: Taking

    /// Takes an order of the kind `reset`, once: for this gate by its id, and as long as the order says.
    ///
    /// - Parameters:
    ///   - gate: the gate's id; nil where it has none.
    ///   - now: seconds since 1970 by the board's clock.
    public func take(
        _ octets: [UInt8], root: TrustRoot, gate: String?, now: Seconds
    ) throws(OrderRegisterError) -> TakenOrder {
        var number: Int64 = 0
        let delivery = OrderRegister.Delivery { (recorded, disk) throws(TrustInstallationError) in
            // After a cut the mark is there before its number.
            guard case .mark(let mark) = try ResetMark.state(disk) else { return recorded }
            return max(recorded, mark.number)
        } keep: { (disk) throws(TrustInstallationError) in
            try ResetMark.begin(.order(number), on: disk)
        }
        return try OrderRegister(folder, patience: patience, watch: watch).take(
            octets, .reset, root, gate, now,
            { (order, occasion) throws(OrderRegisterError) in
                try OrderRegister.refuseExpired(order, occasion)
                number = order.number
            }, delivery)
    }

    /// Takes it from somebody at the board, who has no signature: the audit log stays.
    func takeByHand() throws(TrustInstallationError) {
        let disk = try TrustDisk(folder, exclusively: true, patience: patience, watch: watch)
        _ = try ResetMark.begin(.button, on: disk)
    }

    /// What was taken and is not over; nil where nothing was, or it cannot be read.
    public func mark() throws(TrustInstallationError) -> ResetMark? {
        if case .mark(let mark) = try ResetMark.state(TrustDisk(folder, exclusively: false)) { mark } else { nil }
    }

    // MARK: Doing

    /// What is erased of the trust folder, the settings first: of a reset that was cut off the rest is without them.
    static let erased = [
        SiteFiles.file, SiteFiles.goodFile, SiteFiles.trialFile, SiteFiles.givenUpFile, TrustInstallation.bundleFile,
    ]

    /// Does what was taken, for a gate that starts, before anything of it is open. It may be called again at any time.
    ///
    /// - Parameter path: of the audit log's current segment.
    /// - Returns: what was done; nil where there was nothing to do.
    func finish(root: TrustRoot, audit path: String) throws(FactoryResetError) -> ResetMark? {
        guard try Self.disk({ () throws(TrustInstallationError) in try mark() })?.isErasing == true else { return nil }
        let disk = try Self.disk { () throws(TrustInstallationError) in
            try TrustDisk(folder, exclusively: true, patience: patience, watch: watch)
        }
        var done: ResetMark
        do throws(TrustInstallationError) {
            guard case .mark(let begun) = try ResetMark.state(disk), begun.isErasing else { return nil }
            try Self.rememberNumbers(disk, root, begun)
            for name in Self.erased { try disk.erase(name) }
            done = begun
        } catch {
            throw .disk(error)
        }
        if case .order = done.cause {
            do throws(AuditError) { try AuditErasure.erase(path) } catch { throw .audit(error) }
        }
        done.isErasing = false
        do throws(TrustInstallationError) { try ResetMark.file.write(done, to: disk) } catch { throw .disk(error) }
        return done
    }

    private static func disk<Result: ~Copyable>(_ body: () throws(TrustInstallationError) -> Result) throws(FactoryResetError) -> Result {
        do throws(TrustInstallationError) { return try body() } catch { throw .disk(error) }
    }

    /// What is erased may be newer than what was written down of it, after a cut: a bundle, a site file, this order.
    private static func rememberNumbers(
        _ disk: borrowing TrustDisk, _ root: TrustRoot, _ mark: ResetMark
    ) throws(TrustInstallationError) {
        let known = try KnownMark(disk, root)
        if let failure = known.keep(on: disk) { throw failure }
        var numbers: OrderNumbers
        switch try OrderRegister.file.read(disk) {
        case .none: numbers = OrderNumbers()
        case .value(let found, _): numbers = found
        // Lost: orders made before a time that has passed are refused as it is.
        case .damaged: return
        }
        let before = numbers
        numbers.raise(.site, to: try SiteFiles.highest(disk, root))
        if mark.number > 0 { numbers.raise(.reset, to: mark.number) }
        if numbers != before { try OrderRegister.file.write(numbers, to: disk) }
    }
}

import Envelopes
import Glibc
import Linux
import Trust

/// The trust bundle a gate has installed: `bundle.cose` and the mark it never goes below, `highwater` with its copy, in one folder.
///
/// The bundle is written first and the mark after it, each whole: after a cut in between the bundle is the newer of the two, which is
/// harmless. The mark keeps out old bundles that somebody brings along; who may write this folder at will can replace everything in it. So
/// a mark that a worn card has lost, in both of its copies, does not stop the gate: the bundle that is there takes its place, and none is
/// below the number its system image starts with.
public struct TrustInstallation: Sendable {
    /// What `install` did.
    public enum Outcome: Hashable, Sendable {
        case installed
        /// This very bundle was there already.
        case unchanged
    }

    static let bundleFile = "bundle.cose"

    private let folder: String
    private let lowest: Int64
    private let patience: UInt64
    private let watch: DurableFolder.Watch?

    /// - Parameters:
    ///   - folder: it has to exist.
    ///   - lowest: the lowest sequence number this system image may start with.
    ///   - patience: nanoseconds to wait for another program that has the folder.
    public init(_ folder: String, lowest: Int64 = 0, patience: UInt64 = 0) {
        self.init(folder, lowest: lowest, patience: patience, watch: nil)
    }

    init(_ folder: String, lowest: Int64 = 0, patience: UInt64 = 0, watch: DurableFolder.Watch?) {
        self.folder = folder
        self.lowest = lowest
        self.patience = patience
        self.watch = watch
    }

    // MARK: Installing

    /// Checks a bundle and puts it in the place of the one that is there, or changes nothing.
    ///
    /// - Parameters:
    ///   - octets: the signed file.
    ///   - now: seconds since 1970 by the board's clock, which may be wrong. The bundle is judged at the latest time that is known to have
    ///     passed: this one, the mark's, or the one the bundle itself was made at. So a board whose clock has never been set can be given
    ///     its first bundle.
    public func install(_ octets: [UInt8], root: TrustRoot, now: Seconds) throws(TrustInstallationError) -> Outcome {
        let bundle = try Self.judge { () throws(TrustBundleError) in
            let bundle = try SignedTrustBundle(octets).verify(root)
            _ = try bundle.store()
            return bundle
        }
        let disk = try TrustDisk(folder, exclusively: true, patience: patience, watch: watch)
        var known = try KnownMark(disk, root)
        try refuseOlder(bundle, than: known.mark)
        try Self.judge { () throws(TrustBundleError) in try bundle.check(at: max(now, known.mark.time, bundle.created)) }
        if known.isAhead(bundle.created, of: now) { throw .madeInFuture(created: bundle.created, clock: now) }
        if known.state == .lost {
            // Before the first bundle, so that one without a mark, or without a record of orders, is something that was lost.
            if known.isFirst { try OrderRegister.begin(disk) }
            try KnownMark.file.write(known.mark, to: disk)
        }
        let isNew = known.installed != bundle
        if isNew { try disk.replace(Self.bundleFile, with: octets) }
        try Self.judge { () throws(TrustBundleError) in try known.raise(to: bundle) }
        if known.mark != known.onDisk || known.state == .oneCopy { try KnownMark.file.write(known.mark, to: disk) }
        return isNew ? .installed : .unchanged
    }

    private func refuseOlder(_ bundle: TrustBundle, than mark: HighWater) throws(TrustInstallationError) {
        guard bundle.sequence >= lowest else { throw .belowImage(sequence: bundle.sequence, lowest: lowest) }
        guard bundle.sequence >= mark.sequence else { throw .rolledBack(sequence: bundle.sequence, highest: mark.sequence) }
        let isKnown = try Self.judge { () throws(TrustBundleError) in try mark.isOf(bundle) }
        guard bundle.sequence > mark.sequence || isKnown else { throw .sequenceTaken(bundle.sequence) }
    }

    // MARK: Using it

    /// Checks and returns the installed bundle. Writes nothing.
    ///
    /// - Parameter now: seconds since 1970 by the board's clock. Whether the bundle is valid *yet* was judged when it was installed: a
    ///   clock that has lost its time since then must not stop the gate.
    /// - Parameters:
    ///   - uptime: seconds of the board's running, from which on the mark's time goes by.
    ///   - old: what is believed already: what has not changed is not checked again where that takes long.
    ///   - evenExpired: for a gate that is to say to each visitor why nobody is let in: the store's terms see to that.
    public func load(
        root: TrustRoot, now: Seconds, uptime: Seconds = 0, evenExpired: Bool = false, after old: TrustStore? = nil
    ) throws(TrustInstallationError) -> InstalledTrust {
        let disk = try TrustDisk(folder, exclusively: false)
        // The mark first: if a bundle is installed in between, it is newer than this mark.
        var (mark, state) = KnownMark.parts(try KnownMark.file.read(disk))
        guard let octets = try disk.read(Self.bundleFile, most: TrustBundle.largest) else { throw .notInstalled }
        let (bundle, store) = try Self.judge { () throws(TrustBundleError) in
            let bundle = try SignedTrustBundle(octets).verify(root)
            return (bundle, try bundle.store(after: old))
        }
        try refuseOlder(bundle, than: mark)
        try Self.judge { () throws(TrustBundleError) in try mark.raise(to: bundle) }
        let terms = TrustTerms(bundle, highWater: mark.time, uptime: uptime), clock = terms.clock(at: now, uptime: uptime)
        guard evenExpired || clock.now < bundle.notAfter else { throw .bundle(.expired) }
        return InstalledTrust(bundle: bundle, store: store.under(terms), highWater: mark, markState: state, clock: clock)
    }

    /// Remembers that a time has passed, so that a clock that falls behind is noticed also after the next start. Earlier times change
    /// nothing, except that a mark with a lost copy is made whole.
    ///
    /// - Parameter time: when something was signed that was verified, or `TrustTerms.floor`. Never the board's own clock.
    public func remember(_ time: Seconds, under bundle: TrustBundle) throws(TrustInstallationError) {
        let disk = try TrustDisk(folder, exclusively: true, watch: watch)
        let (old, state) = KnownMark.parts(try KnownMark.file.read(disk))
        var mark = old
        if state == .lost { try Self.judge { () throws(TrustBundleError) in try mark.raise(to: bundle) } }
        mark.raise(toTime: time)
        if mark != old || state != .whole { try KnownMark.file.write(mark, to: disk) }
    }

    private static func judge<Result>(_ body: () throws(TrustBundleError) -> Result) throws(TrustInstallationError) -> Result {
        do throws(TrustBundleError) {
            return try body()
        } catch {
            throw .bundle(error)
        }
    }
}

/// An installed bundle, checked.
public struct InstalledTrust: Sendable {
    /// What is left of the two copies of the high-water mark.
    public enum MarkState: String, Hashable, Sendable {
        case whole
        /// The other one is made anew with the next mark.
        case oneCopy = "one-copy"
        /// The number of the bundle that is there counts in its place.
        case lost
    }

    public let bundle: TrustBundle
    public let store: TrustStore
    /// At least as high as the one on the disk.
    public let highWater: HighWater
    public let markState: MarkState
    /// What the board's clock was worth when the bundle was loaded.
    public let clock: TrustedClock
}

import Credentials
import Glibc

/// The trust bundle a gate has installed: `bundle.cose` and the mark it never goes below, `highwater`, in one folder.
///
/// The bundle is written first and the mark after it, each whole: after a cut in between the bundle is the newer of the two, which is harmless. The
/// mark exists from before the first bundle on, so that a bundle without one is always a fault and never a beginning. It keeps out old bundles that
/// somebody brings along; who may write this folder at will can remove both files.
public struct TrustInstallation: Sendable {
    /// What `install` did.
    public enum Outcome: Hashable, Sendable {
        case installed
        /// This very bundle was there already.
        case unchanged
    }

    static let bundleFile = "bundle.cose"
    static let highWaterFile = "highwater"

    private let folder: String
    private let watch: DurableFolder.Watch?

    /// - Parameter folder: it has to exist.
    public init(_ folder: String) {
        self.init(folder, watch: nil)
    }

    init(_ folder: String, watch: DurableFolder.Watch?) {
        self.folder = folder
        self.watch = watch
    }

    // MARK: Installing

    /// Checks a bundle and puts it in the place of the one that is there, or changes nothing.
    ///
    /// - Parameters:
    ///   - octets: the signed file.
    ///   - now: seconds since 1970 by the board's clock, which may be wrong. The bundle is judged at the latest time that is known to have passed:
    ///     this one, the mark's, or the one the bundle itself was made at. So a board whose clock has never been set can be given its first bundle.
    ///   - renewingMark: a person decides that a missing or damaged mark is to be made anew. An undamaged one stays in force.
    public func install(
        _ octets: [UInt8], root: TrustRoot, now: Seconds, renewingMark: Bool = false
    ) throws(TrustInstallationError) -> Outcome {
        let bundle = try Self.judge { () throws(TrustBundleError) in
            let bundle = try SignedTrustBundle(octets).verify(root)
            _ = try bundle.store()
            return bundle
        }
        let disk = try DurableFolder(folder, exclusively: true, watch: watch)
        let installed = try Self.installed(disk, root)
        let onDisk = try Self.mark(disk, renewing: renewingMark)
        guard onDisk != nil || renewingMark || !installed.exists else { throw .highWaterMissing }
        var mark = onDisk ?? HighWater()
        // After a cut between the two files the mark lags behind.
        if let current = installed.bundle { try Self.judge { () throws(TrustBundleError) in try mark.raise(to: current) } }
        try Self.refuseOlder(bundle, than: mark)
        try Self.judge { () throws(TrustBundleError) in try bundle.check(at: max(now, mark.time, bundle.created)) }
        if onDisk == nil { try write(mark, to: disk) }
        let isNew = installed.bundle != bundle
        if isNew { try disk.replace(Self.bundleFile, with: octets) }
        try Self.judge { () throws(TrustBundleError) in try mark.raise(to: bundle) }
        if mark != onDisk { try write(mark, to: disk) }
        return isNew ? .installed : .unchanged
    }

    /// What is there, if these signers signed it. A damaged one, or one by former signers, is there and counts for nothing: the mark still does.
    private static func installed(
        _ disk: borrowing DurableFolder, _ root: TrustRoot
    ) throws(TrustInstallationError) -> (exists: Bool, bundle: TrustBundle?) {
        do throws(TrustInstallationError) {
            guard let octets = try disk.read(bundleFile, most: TrustBundle.largest) else { return (false, nil) }
            return (true, try? SignedTrustBundle(octets).verify(root))
        } catch .fileTooLarge {
            return (true, nil)
        }
    }

    /// The mark on the disk; nil when there is none, or when a damaged one is to be renewed.
    private static func mark(_ disk: borrowing DurableFolder, renewing: Bool) throws(TrustInstallationError) -> HighWater? {
        do throws(TrustInstallationError) {
            guard let octets = try disk.read(highWaterFile, most: HighWater.longest) else { return nil }
            guard let mark = HighWater(decoding: octets) else { throw .highWaterDamaged }
            return mark
        } catch {
            guard error == .highWaterDamaged || error == .fileTooLarge else { throw error }
            guard renewing else { throw .highWaterDamaged }
            return nil
        }
    }

    private static func refuseOlder(_ bundle: TrustBundle, than mark: HighWater) throws(TrustInstallationError) {
        guard bundle.sequence >= mark.sequence else { throw .rolledBack(sequence: bundle.sequence, highest: mark.sequence) }
        let isKnown = try judge { () throws(TrustBundleError) in try mark.isOf(bundle) }
        guard bundle.sequence > mark.sequence || isKnown else { throw .sequenceTaken(bundle.sequence) }
    }

    private func write(_ mark: HighWater, to disk: borrowing DurableFolder) throws(TrustInstallationError) {
        guard let octets = mark.encoded else { throw .bundle(.noDigest) }
        try disk.replace(Self.highWaterFile, with: octets)
    }

    // MARK: Using it

    /// Checks and returns the installed bundle. Writes nothing.
    ///
    /// - Parameter now: seconds since 1970 by the board's clock. Whether the bundle is valid *yet* was judged when it was installed: a clock that has
    ///   lost its time since then must not stop the gate.
    /// - Parameter evenExpired: for a gate that is to say to each visitor why nobody is let in: the store's terms see to that.
    public func load(root: TrustRoot, now: Seconds, evenExpired: Bool = false) throws(TrustInstallationError) -> InstalledTrust {
        let disk = try DurableFolder(folder, exclusively: false)
        // The mark first: if a bundle is installed in between, it is newer than this mark.
        let onDisk = try Self.mark(disk, renewing: false)
        guard let octets = try disk.read(Self.bundleFile, most: TrustBundle.largest) else { throw .notInstalled }
        guard var mark = onDisk else { throw .highWaterMissing }
        let (bundle, store) = try Self.judge { () throws(TrustBundleError) in
            let bundle = try SignedTrustBundle(octets).verify(root)
            return (bundle, try bundle.store())
        }
        try Self.refuseOlder(bundle, than: mark)
        try Self.judge { () throws(TrustBundleError) in try mark.raise(to: bundle) }
        let terms = TrustTerms(bundle, highWater: mark.time), clock = terms.clock(at: now)
        guard evenExpired || clock.now < bundle.notAfter else { throw .bundle(.expired) }
        return InstalledTrust(bundle: bundle, store: store.under(terms), highWater: mark, clock: clock)
    }

    /// Remembers that a time has passed, so that a clock that falls behind is noticed also after the next start. Earlier times change nothing.
    ///
    /// - Parameters:
    ///   - time: when something was signed that was verified, for example the newest status list. Never the board's own clock.
    ///   - bundle: the installed one. A time at or after its end is not taken: no issuer may end what the operator signed.
    public func remember(_ time: Seconds, under bundle: TrustBundle) throws(TrustInstallationError) {
        guard time < bundle.notAfter else { return }
        let disk = try DurableFolder(folder, exclusively: true, watch: watch)
        guard let old = try Self.mark(disk, renewing: false) else { throw .highWaterMissing }
        var mark = old
        mark.raise(toTime: time)
        if mark != old { try write(mark, to: disk) }
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
    public let bundle: TrustBundle
    public let store: TrustStore
    /// At least as high as the one on the disk.
    public let highWater: HighWater
    /// What the board's clock was worth when the bundle was loaded.
    public let clock: TrustedClock
}

import Envelopes
import Linux
import Trust

/// Why a site file is not installed or not used.
public enum SiteError: Error, Hashable, Sendable {
    case order(OrderRegisterError)
    case settings(SiteSettingsError)
    /// This gate has had a site file, and neither it nor a copy of it is there.
    case lost
    /// There is a new one, and how often it is started with cannot be written down.
    case trialNotCounted
    /// The gate was reset: who sets it up stands before it.
    case resetAndFetched
}

/// A site file in force.
public struct InstalledSite: Hashable, Sendable {
    public enum Standing: Hashable, Sendable {
        /// A gate has run with it.
        case proven
        /// The same; the file itself is damaged, and this is its other copy.
        case otherCopy
        /// Just installed: it has been tried so many times, and the gate has not run with it yet.
        case onTrial(Int)
        /// The newest is damaged or gone, or cannot be tried; this is the one before it.
        case previous
    }

    public let number: Int64
    public let settings: SiteSettings
    public let standing: Standing
}

/// What there is of site files.
public enum SiteFinding: Hashable, Sendable {
    case none
    case installed(InstalledSite)
    /// There is one, and neither it nor the one before it can be used.
    case unusable(SiteError)
    /// The gate was reset, and none was installed since: nobody is let in before.
    case reset

    /// Nobody knows what the newest file demanded: faces are compared in any case, whatever the board's profile or an older file says.
    public var demandsFaces: Bool {
        switch self {
        case .none: false
        case .installed(let site): site.standing == .previous
        case .unusable, .reset: true
        }
    }
}

/// The site file of a gate, beside its trust bundle: `site.cose`, and the last one a gate has run with, `site.good.cose`, which is its
/// other copy as soon as the gate has run with it. While the first is new there is `site.trial`, the number of times it has been tried.
///
/// A file with which the gate does not come to run is given up after a few starts (`site.given-up`), and the one before it is in force
/// again.
public struct SiteInstallation: Sendable {
    /// Starts with a new site file, at most, before the gate has run with it.
    public static let mostTrials = 3

    /// What a gate that starts finds.
    public struct Beginning: Sendable {
        public var finding: SiteFinding
        /// The number of a file that was given up just now.
        public var givenUp: Int64?
        /// What a gate has run with before a file on trial; nil where there is none.
        public var before: SiteSettings?
        /// Why a file on trial is not tried: nobody could count how often.
        public var failure: TrustInstallationError?
    }

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
        self.folder = folder
        self.patience = patience
        self.watch = watch
    }

    // MARK: Installing

    /// How a site file came.
    public enum Way: Sendable {
        /// Somebody brought it, who may have put right what the gate did not run with: one that was given up may be tried once more.
        case brought
        /// A program fetched it, and offers it again and again: one that was given up stays so, and a gate that was reset takes none.
        case fetched
    }

    /// Takes an order of the kind `site` and puts it in the place of the one that is there, on trial. When it throws, what was in force
    /// still is; after a cut, the old file or the new one is there, whole.
    ///
    /// - Parameters:
    ///   - gate: the gate's id; nil where it has none.
    ///   - now: seconds since 1970 by the board's clock.
    /// - Returns: the file, and what went wrong all the same.
    public func install(
        _ octets: [UInt8], _ way: Way = .brought, root: TrustRoot, gate: String?, now: Seconds
    ) throws(SiteError) -> (site: InstalledSite, doubt: TrustInstallationError?) {
        var settings = SiteSettings.none
        var fault: SiteSettingsError?, number: Int64 = 0, isReset = false
        let delivery = OrderRegister.Delivery { (recorded, disk) throws(TrustInstallationError) in
            // After a cut the file is there before its number.
            let there = try SiteFiles.highest(disk, root, but: octets), files = try SiteFiles(disk, root, gate)
            // Within the lock under which a reset sets its mark.
            isReset = way == .fetched && files.isReset
            if isReset { return Int64.max }
            let isGivenUp = files.givenUp?.number == recorded && files.givenUp?.digest == SiteFiles.digest(octets)
            return max(isGivenUp && way == .brought ? recorded - 1 : recorded, there)
        } keep: { (disk) throws(TrustInstallationError) in
            try Self.keep(octets, number, on: disk, root, gate)
        }
        do throws(OrderRegisterError) {
            let register = OrderRegister(folder, patience: patience, watch: watch)
            let taken = try register.take(
                octets, .site, root, gate, now,
                { (order, occasion) throws(OrderRegisterError) in
                    try OrderRegister.refuseExpired(order, occasion)
                    do throws(SiteSettingsError) { settings = try SiteSettings(order, for: gate) } catch { fault = error }
                    if fault != nil { throw .order(.contentRefused) }
                    number = order.number
                }, delivery)
            return (InstalledSite(number: taken.order.number, settings: settings, standing: .onTrial(0)), taken.doubt)
        } catch {
            if let fault { throw .settings(fault) }
            throw isReset ? .resetAndFetched : .order(error)
        }
    }

    /// The number of the file in force where it is these octets: there is nothing to install.
    public func number(of octets: [UInt8], root: TrustRoot, gate: String?) throws(TrustInstallationError) -> Int64? {
        let files = try SiteFiles(TrustDisk(folder, exclusively: false), root, gate)
        return files.current?.octets == octets ? files.current?.number : nil
    }

    /// What a gate has run with is kept until one has run with the new one.
    private static func keep(
        _ octets: [UInt8], _ number: Int64, on disk: borrowing TrustDisk, _ root: TrustRoot, _ gate: String?
    ) throws(TrustInstallationError) -> TrustInstallationError? {
        let files = try SiteFiles(disk, root, gate)
        if let repair = files.repair { try disk.replace(repair.name, with: repair.octets) }
        try disk.replace(SiteFiles.trialFile, with: SiteFiles.Trial(of: number).octets)
        let doubt = try disk.put(SiteFiles.file, octets)
        // From here on the file is in force at the next start.
        if files.givenUp?.number == number { try? disk.remove(SiteFiles.givenUpFile) }
        return doubt
    }

    // MARK: Using it

    /// The site file in force. Writes nothing.
    public func load(root: TrustRoot, gate: String?) throws(TrustInstallationError) -> SiteFinding {
        try SiteFiles(TrustDisk(folder, exclusively: false), root, gate).finding()
    }

    /// The same for a gate that starts, which counts as a trial of a new file; one that has been tried often enough is given up. A copy
    /// that was lost is made anew. A disk that cannot be written keeps the gate from trying a new file, not from starting.
    public func begin(root: TrustRoot, gate: String?) throws(TrustInstallationError) -> Beginning {
        do throws(TrustInstallationError) {
            return try counted(root, gate)
        } catch {
            let files = try SiteFiles(TrustDisk(folder, exclusively: false), root, gate)
            return Beginning(finding: files.finding(withTrial: false), failure: files.current != nil && files.trial != nil ? error : nil)
        }
    }

    private func counted(_ root: TrustRoot, _ gate: String?) throws(TrustInstallationError) -> Beginning {
        let disk = try TrustDisk(folder, exclusively: true, patience: patience, watch: watch)
        let files = try SiteFiles(disk, root, gate)
        // One that is damaged has not been tried: nobody knows what it says.
        guard let current = files.current, var trial = files.trial else {
            if let repair = files.repair { try? disk.replace(repair.name, with: repair.octets) }
            if files.isResetOver { try? ResetMark.clear(disk) }
            return Beginning(finding: try SiteFiles(disk, root, gate).finding())
        }
        guard trial.starts >= Self.mostTrials else {
            trial.starts += 1
            try disk.replace(SiteFiles.trialFile, with: trial.octets)
            return Beginning(finding: try SiteFiles(disk, root, gate).finding(), before: files.good?.settings)
        }
        // First, so that what is there afterwards is not taken for what is left of a newer file.
        try disk.replace(SiteFiles.givenUpFile, with: SiteFiles.GivenUp(current).octets)
        if let good = files.good { try disk.replace(SiteFiles.file, with: good.octets) } else { try disk.remove(SiteFiles.file) }
        try disk.remove(SiteFiles.trialFile)
        return Beginning(finding: try SiteFiles(disk, root, gate).finding(), givenUp: current.number)
    }

    /// The gate runs with the file of this number: it is not given up any more, and has two copies from here on.
    ///
    /// - Returns: whether it is still the one that is there; another one has its own trial.
    public func confirm(_ number: Int64, root: TrustRoot, gate: String?) throws(TrustInstallationError) -> Bool {
        let disk = try TrustDisk(folder, exclusively: true, watch: watch)
        let files = try SiteFiles(disk, root, gate)
        guard let current = files.current, current.number == number else { return false }
        if files.good?.octets != current.octets { try disk.replace(SiteFiles.goodFile, with: current.octets) }
        if files.givenUp?.number == number { try disk.remove(SiteFiles.givenUpFile) }
        try disk.remove(SiteFiles.trialFile)
        // What came after the reset is kept: from here on the gate is one like any other.
        if try SiteFiles(disk, root, gate).isResetOver { try ResetMark.clear(disk) }
        return true
    }

    /// The gate that started with the file of this number ended for a reason of its own: that start does not count.
    public func takeBack(_ number: Int64, root: TrustRoot, gate: String?) throws(TrustInstallationError) {
        let disk = try TrustDisk(folder, exclusively: true, watch: watch)
        let files = try SiteFiles(disk, root, gate)
        guard files.current?.number == number, var trial = files.trial, trial.starts > 0 else { return }
        trial.starts -= 1
        try disk.replace(SiteFiles.trialFile, with: trial.octets)
    }

    /// What is known of the numbers of orders by what is there besides their record.
    static func numbers(_ disk: borrowing TrustDisk, _ root: TrustRoot) -> OrderNumbers {
        var numbers = OrderNumbers()
        if let highest = try? SiteFiles.highest(disk, root), highest > 0 { numbers.raise(.site, to: highest) }
        return numbers
    }
}

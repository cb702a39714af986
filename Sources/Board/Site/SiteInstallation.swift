import Credentials
import Glibc

/// Why a site file is not installed or not used.
public enum SiteError: Error, Hashable, Sendable {
    case order(OrderRegisterError)
    case settings(SiteSettingsError)
}

/// A site file in force.
public struct InstalledSite: Hashable, Sendable {
    public enum Standing: Hashable, Sendable {
        /// A gate has run with it.
        case proven
        /// Just installed: it has been tried so many times, and the gate has not run with it yet.
        case onTrial(Int)
        /// The one that was installed last is damaged; this is the one before.
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
    /// There is one, and neither it nor the one before it can be used: faces are compared in any case, whatever the board's profile says.
    case unusable(SiteError)
}

/// The site file of a gate, beside its trust bundle: `site.cose`, the last one a gate has run with, `site.good.cose`, and, while the first is new,
/// `site.trial`, the number of times it has been tried.
///
/// A file with which the gate does not come to run is given up after a few starts, and the one before it is in force again.
public struct SiteInstallation: Sendable {
    /// Starts with a new site file, at most, before the gate has run with it.
    public static let mostTrials = 3

    private static let file = "site.cose"
    private static let goodFile = "site.good.cose"
    private static let trialFile = "site.trial"

    private let folder: String
    private let watch: DurableFolder.Watch?

    /// - Parameter folder: the trust folder; it has to exist.
    public init(_ folder: String) {
        self.init(folder, watch: nil)
    }

    init(_ folder: String, watch: DurableFolder.Watch?) {
        self.folder = folder
        self.watch = watch
    }

    // MARK: Installing

    /// Takes an order of the kind `site` and puts it in the place of the one that is there, on trial. When it throws, what was in force still is; after
    /// a cut, the old file or the new one is there, whole.
    ///
    /// - Parameters:
    ///   - gate: the gate's id; nil where it has none.
    ///   - now: seconds since 1970 by the board's clock.
    public func install(_ octets: [UInt8], root: TrustRoot, gate: String?, now: Seconds) throws(SiteError) -> InstalledSite {
        var settings = SiteSettings.none
        var fault: SiteSettingsError?
        do throws(OrderRegisterError) {
            let order = try OrderRegister(folder, watch: watch).take(octets, .site, root, gate, now) { (order, occasion) throws(OrderRegisterError) in
                try OrderRegister.refuseExpired(order, occasion)
                do throws(SiteSettingsError) { settings = try SiteSettings(order, for: gate) } catch { fault = error }
                if fault != nil { throw .order(.contentRefused) }
            } keep: { (disk) throws(TrustInstallationError) in
                try Self.keep(octets, on: disk, root, gate)
            }
            return InstalledSite(number: order.number, settings: settings, standing: .onTrial(0))
        } catch {
            if let fault { throw .settings(fault) }
            throw .order(error)
        }
    }

    /// What a gate has run with is kept until one has run with the new one.
    private static func keep(
        _ octets: [UInt8], on disk: borrowing DurableFolder, _ root: TrustRoot, _ gate: String?
    ) throws(TrustInstallationError) {
        if let current = try read(disk, file), try read(disk, trialFile) == nil, site(current, root, gate) != nil {
            try disk.replace(goodFile, with: current)
        }
        try disk.replace(trialFile, with: Array("0\n".utf8))
        try disk.replace(file, with: octets)
    }

    // MARK: Using it

    /// The site file in force. Writes nothing.
    public func load(root: TrustRoot, gate: String?) throws(TrustInstallationError) -> SiteFinding {
        try finding(DurableFolder(folder, exclusively: false), root, gate)
    }

    /// The same for a gate that starts, which counts as a trial of a new file; one that has been tried often enough is given up.
    ///
    /// - Returns: the file in force, and the number of one that was given up just now.
    public func begin(root: TrustRoot, gate: String?) throws(TrustInstallationError) -> (finding: SiteFinding, givenUp: Int64?) {
        let disk = try DurableFolder(folder, exclusively: true, watch: watch)
        guard let trials = try Self.trials(disk) else { return (try finding(disk, root, gate), nil) }
        guard trials >= Self.mostTrials else {
            try disk.replace(Self.trialFile, with: Array("\(trials + 1)\n".utf8))
            return (try finding(disk, root, gate), nil)
        }
        let number = try Self.read(disk, Self.file).flatMap { Self.site($0, root, gate)?.number } ?? 0
        if let good = try Self.read(disk, Self.goodFile), Self.site(good, root, gate) != nil {
            try disk.replace(Self.file, with: good)
        } else {
            try disk.remove(Self.file)
        }
        try disk.remove(Self.trialFile)
        return (try finding(disk, root, gate), number)
    }

    /// The gate runs with the file in force: it is not given up any more.
    public func confirm() throws(TrustInstallationError) {
        let disk = try DurableFolder(folder, exclusively: true, watch: watch)
        try disk.remove(Self.trialFile)
    }

    private func finding(_ disk: borrowing DurableFolder, _ root: TrustRoot, _ gate: String?) throws(TrustInstallationError) -> SiteFinding {
        let octets: [UInt8]?
        do throws(TrustInstallationError) {
            octets = try disk.read(Self.file, most: Order.largest)
        } catch {
            // What cannot be read is damaged.
            octets = []
        }
        guard let octets else { return .none }
        let trials = try Self.trials(disk)
        let fault: SiteError
        do throws(SiteError) {
            let (number, settings) = try Self.checked(octets, root, gate)
            return .installed(InstalledSite(number: number, settings: settings, standing: trials.map { .onTrial($0) } ?? .proven))
        } catch {
            fault = error
        }
        if let good = try Self.read(disk, Self.goodFile), let (number, settings) = Self.site(good, root, gate) {
            return .installed(InstalledSite(number: number, settings: settings, standing: .previous))
        }
        return .unusable(fault)
    }

    /// How often the file was tried; nil where it is on trial no more. What cannot be read counts as often enough.
    private static func trials(_ disk: borrowing DurableFolder) throws(TrustInstallationError) -> Int? {
        guard let octets = try read(disk, trialFile) else { return nil }
        return Int(String(decoding: octets.dropLast(), as: UTF8.self)).map { max(0, $0) } ?? mostTrials
    }

    /// Nil where there is none, and an empty text where it cannot be read.
    private static func read(_ disk: borrowing DurableFolder, _ name: String) throws(TrustInstallationError) -> [UInt8]? {
        do throws(TrustInstallationError) {
            return try disk.read(name, most: Order.largest)
        } catch {
            guard error != .notPermitted else { throw error }
            return []
        }
    }

    private static func site(_ octets: [UInt8], _ root: TrustRoot, _ gate: String?) -> (number: Int64, settings: SiteSettings)? {
        try? checked(octets, root, gate)
    }

    /// Neither its end nor its number is looked at: it was taken in time, and once.
    private static func checked(_ octets: [UInt8], _ root: TrustRoot, _ gate: String?) throws(SiteError) -> (number: Int64, settings: SiteSettings) {
        let order: Order
        do throws(OrderError) {
            order = try SignedOrder(octets).verify(root)
            try order.check(.site, for: gate)
        } catch {
            throw .order(.order(error))
        }
        do throws(SiteSettingsError) {
            return (order.number, try SiteSettings(order, for: gate))
        } catch {
            throw .settings(error)
        }
    }
}

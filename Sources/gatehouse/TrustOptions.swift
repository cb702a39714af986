import ArgumentParser
import Board
import Credentials
import Glibc
import Sandbox

/// Whom the gate believes.
struct TrustOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "The trust folder: a bundle put there by `gatehouse trust install`, or, where there is no root file, one JSON file for each issuer (Sources/Credentials/Trust/FORMAT.md).",
        valueName: "folder"))
    var trust = "/etc/gatehouse/trust"

    @Option(help: ArgumentHelp(
        "The root file: who signs trust bundles. Where it exists, nothing but a signed bundle is believed.  (default: /etc/gatehouse/root.json, if that exists)",
        valueName: "file"))
    var root: String?

    private static let usualRoot = "/etc/gatehouse/root.json"

    @Option(help: ArgumentHelp(
        "The lowest number a trust bundle may have here: the number, or a file that holds it. Where the installed bundle is below it, `run` installs the one beside that file, `bundle.cose`, if there is one.  (default: /usr/share/gatehouse/lowest-bundle, if that exists)",
        valueName: "number"))
    var lowestBundle: String?

    /// What `load` reads: also a root file that appears later.
    var files: [String] { [trust, root ?? Self.usualRoot, LowestBundle.file(lowestBundle)] }

    /// The root file; nil where none is named, and there is none at the usual place.
    func rootFile() throws -> String? { try root ?? (Self.exists(Self.usualRoot) ? Self.usualRoot : nil) }

    /// Seconds since 1970 by the board's clock.
    static var now: Seconds { Seconds(clamping: Clock.wall() / 1_000_000_000) }

    /// What is believed, and the bundle it comes from; nil for a folder that nobody signed.
    struct Loaded {
        let store: TrustStore
        let installed: InstalledTrust?

        /// What the clock is worth at `now`, by everything that was ever signed; nil for a folder that nobody signed.
        func clock(_ now: Seconds) -> TrustedClock? { store.terms.map { $0.clock(at: now, uptime: Clock.uptime()) } }
    }

    /// - Parameter now: seconds since 1970 by the board's clock, or as of when to verify.
    func load(at now: Seconds) throws -> Loaded {
        try load(at: now) { error in throw ValidationError("--trust \(trust): \(error)") }
    }

    /// The same for a gate that starts: where a signed bundle is asked for and there is none that can be used, nobody is believed until there is one.
    func loadOrNobody(at now: Seconds) throws -> Loaded {
        let nobody = { (error: TrustInstallationError) in
            say("gatehouse: --trust \(trust): \(error)")
            return Loaded(store: .nobody, installed: nil)
        }
        return try load(at: now) { error in
            guard case .belowImage(let sequence, _) = error, try installImageBundle(now) else { return nobody(error) }
            say("gatehouse: bundle \(sequence) is older than this system image takes: the image's own is installed")
            return try load(at: now, otherwise: nobody)
        }
    }

    /// An image that was put onto a gate with an older bundle brings its own.
    private func installImageBundle(_ now: Seconds) throws -> Bool {
        guard let path = try rootFile(), let octets = try LowestBundle.bundle(lowestBundle) else { return false }
        let root = try Trust.root(path), lowest = try LowestBundle.number(lowestBundle)
        do throws(TrustInstallationError) {
            return try TrustInstallation(trust, lowest: lowest, patience: Trust.patience).install(octets, root: root, now: now) == .installed
        } catch {
            say("gatehouse: the system image's own bundle: \(error)")
            return false
        }
    }

    private func load(at now: Seconds, otherwise: (TrustInstallationError) throws -> Loaded) throws -> Loaded {
        guard let root = try rootFile() else { return Loaded(store: try unsigned(), installed: nil) }
        let signers = try Trust.root(root), lowest = try LowestBundle.number(lowestBundle)
        do throws(TrustInstallationError) {
            // An expired bundle is loaded: its store says why to every visitor, and `doctor` to whoever can help.
            let installed = try TrustInstallation(trust, lowest: lowest).load(root: signers, now: now, uptime: Clock.uptime(), evenExpired: true)
            if let above = DataSection.anewAbove, installed.bundle.sequence <= above { throw .afterLoss(sequence: installed.bundle.sequence, above: above) }
            return Loaded(store: installed.store.under(Self.terms(installed)), installed: installed)
        } catch {
            return try otherwise(error)
        }
    }

    /// The bundle's terms, with a clock that is at least as late as the newest status list.
    private static func terms(_ installed: InstalledTrust) -> TrustTerms {
        let newest = CredentialVerifier(trust: installed.store).newestListSigned.flatMap { $0 < installed.bundle.notAfter ? $0 : nil }
        return TrustTerms(installed.bundle, highWater: max(installed.highWater.time, newest ?? 0), uptime: Clock.uptime())
    }

    /// Whether nobody ever put anything in the trust folder: how a gate is delivered. Where that cannot be told, it is for `load` to say why.
    func isUntouched() throws -> Bool {
        guard try Self.exists(trust) else { return true }
        guard let folder = opendir(trust) else { return errno == ENOENT }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 } .map { $0 } }
            if name != [0x2E], name != [0x2E, 0x2E] { return false }
        }
        return true
    }

    /// Remembers for the next start the latest time that has certainly passed. A folder that cannot be written is no reason to keep the gate shut.
    func remember(_ store: TrustStore, _ installed: InstalledTrust?) {
        guard let installed, let terms = store.terms else { return }
        do throws(TrustInstallationError) {
            try TrustInstallation(trust).remember(terms.floor(at: Clock.uptime()), under: installed.bundle)
        } catch {
            say("gatehouse: --trust \(trust): the time that has passed cannot be kept: \(error)")
        }
    }

    /// Whether there is something of that name. What cannot be told is not taken for no: that would drop a root file in silence.
    static func exists(_ path: String) throws -> Bool {
        // A link that leads nowhere, because a disk is not there, is something too.
        var facts = stat()
        if lstat(path, &facts) == 0 { return true }
        let code = errno
        guard code == ENOENT || code == ENOTDIR else { throw ValidationError("\(path): cannot be looked for (\(systemCause(code)))") }
        return false
    }

    private func unsigned() throws -> TrustStore {
        // A bundle without a root file would be ignored in silence.
        guard try !Self.exists(trust + "/bundle.cose") else { throw ValidationError("--trust \(trust): there is a bundle, and no --root to check it with") }
        do throws(TrustError) {
            return try TrustStore(folder: trust)
        } catch {
            throw ValidationError("--trust \(trust): \(error)")
        }
    }
}

import Credentials
import Envelopes
import Glibc
import Linux
import Trust

/// What is believed, and the bundle it comes from; nil for a folder that nobody signed.
package struct LoadedTrust: Sendable {
    package let store: TrustStore
    package let installed: InstalledTrust?

    static let nobody = LoadedTrust(store: .nobody, installed: nil)

    /// What the clock is worth at `now`, by everything that was ever signed; nil for a folder that nobody signed.
    package func clock(_ now: Seconds) -> TrustedClock? { store.terms.map { $0.clock(at: now, uptime: Clock.uptime()) } }
}

/// Where a gate finds whom to believe: a folder with a signed bundle, or, where there is no root file, with one file for each issuer.
package struct TrustSource: Sendable {
    package static let usualFolder = "/etc/gatehouse/trust"
    package static let usualRoot = "/etc/gatehouse/root.json"
    /// Nanoseconds to wait for another program at the same folder: two sticks at once, or a stick and the gate's own hourly note.
    package static let patience: UInt64 = 10_000_000_000

    package let folder: String
    /// As it was named; nil for the one at the usual place, if that exists.
    private let root: String?
    private let lowest: LowestBundle

    package init(_ folder: String, root: String?, lowestBundle: String?) {
        self.folder = folder
        self.root = root
        lowest = LowestBundle(lowestBundle)
    }

    /// Seconds since 1970 by the board's clock.
    package static var now: Seconds { Seconds(clamping: Clock.wall() / 1_000_000_000) }

    /// What `load` reads: also a root file that appears later.
    package var files: [String] { [folder, root ?? Self.usualRoot, lowest.file] }

    /// The root file; nil where none is named, and there is none at the usual place.
    package func rootFile() throws(ConfigurationError) -> String? {
        if let root { return root }
        return try NamedFile.exists(Self.usualRoot) ? Self.usualRoot : nil
    }

    /// Reads a root file.
    package static func signers(_ path: String) throws(ConfigurationError) -> TrustRoot {
        let bytes = try NamedFile.read(path, most: TrustStore.largestFile, named: "--root")
        do throws(TrustError) {
            return try TrustRoot(name: path, bytes: bytes)
        } catch {
            throw ConfigurationError("--root \(error)")
        }
    }

    // MARK: Loading

    /// - Parameter now: seconds since 1970 by the board's clock, or as of when to verify.
    /// - Parameter old: what is believed already; nothing of it is believed because of that.
    package func load(at now: Seconds, after old: TrustStore? = nil) throws(ConfigurationError) -> LoadedTrust {
        try load(at: now, after: old) { (error) throws(ConfigurationError) in throw ConfigurationError("--trust \(folder): \(error)") }
    }

    /// The same for a gate that starts: where a signed bundle is asked for and there is none that can be used, nobody is believed until
    /// there is one.
    func loadOrNobody(at now: Seconds) throws(ConfigurationError) -> LoadedTrust {
        let nobody = { (error: TrustInstallationError) in
            say("--trust \(folder): \(error)")
            return LoadedTrust.nobody
        }
        return try load(at: now) { (error) throws(ConfigurationError) in
            guard case .belowImage(let sequence, _) = error, try installImageBundle(now) else { return nobody(error) }
            say("bundle \(sequence) is older than this system image takes: the image's own is installed")
            return try load(at: now) { (error) throws(ConfigurationError) in nobody(error) }
        }
    }

    /// An image that was put onto a gate with an older bundle brings its own.
    private func installImageBundle(_ now: Seconds) throws(ConfigurationError) -> Bool {
        guard let path = try rootFile(), let bytes = try lowest.bundle() else { return false }
        let root = try Self.signers(path), lowest = try lowest.number()
        do throws(TrustInstallationError) {
            return try TrustInstallation(folder, lowest: lowest, patience: Self.patience).install(bytes, root: root, now: now) == .installed
        } catch {
            say("the system image's own bundle: \(error)")
            return false
        }
    }

    private func load(
        at now: Seconds, after old: TrustStore? = nil, otherwise: (TrustInstallationError) throws(ConfigurationError) -> LoadedTrust
    ) throws(ConfigurationError) -> LoadedTrust {
        guard let root = try rootFile() else { return LoadedTrust(store: try unsigned(after: old), installed: nil) }
        let signers = try Self.signers(root), lowest = try lowest.number()
        do throws(TrustInstallationError) {
            // An expired bundle is loaded: its store says why to every visitor, and `doctor` to whoever can help.
            let installed = try TrustInstallation(folder, lowest: lowest).load(
                root: signers, now: now, uptime: Clock.uptime(), evenExpired: true, after: old)
            if let above = DataPartition.anewAbove, installed.bundle.sequence <= above {
                throw .afterLoss(sequence: installed.bundle.sequence, above: above)
            }
            return LoadedTrust(store: installed.store.under(Self.terms(installed)), installed: installed)
        } catch {
            return try otherwise(error)
        }
    }

    /// The bundle's terms, with a clock that is at least as late as the newest status list.
    private static func terms(_ installed: InstalledTrust) -> TrustTerms {
        let made = [installed.store.newestListSigned, installed.store.anoncreds.newestListMade]
        let newest = made.compactMap { $0 }.filter { $0 < installed.bundle.notAfter }.max() ?? 0
        return TrustTerms(installed.bundle, highWater: max(installed.highWater.time, newest), uptime: Clock.uptime())
    }

    private func unsigned(after old: TrustStore?) throws(ConfigurationError) -> TrustStore {
        // A bundle without a root file would be ignored in silence.
        guard try !NamedFile.exists(folder + "/bundle.cose") else {
            throw ConfigurationError("--trust \(folder): there is a bundle, and no --root to check it with")
        }
        do throws(TrustError) {
            return try TrustStore(TrustContents(folder: folder), after: old)
        } catch {
            // What is wrong with the folder itself names it already.
            throw ConfigurationError("--trust " + (error.file == folder ? "" : folder + ": ") + "\(error)")
        }
    }

    /// Whether nobody ever put anything in the trust folder: how a gate is delivered. Where that cannot be told, it is for `load` to say
    /// why.
    package func isUntouched() throws(ConfigurationError) -> Bool {
        guard try NamedFile.exists(folder) else { return true }
        guard let listing = opendir(folder) else { return errno == ENOENT }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
            if name != [0x2E], name != [0x2E, 0x2E] { return false }
        }
        return true
    }

    // MARK: A gate at work

    /// Remembers for the next start the latest time that has certainly passed. A folder that cannot be written is no reason to keep the
    /// gate shut.
    func remember(_ loaded: LoadedTrust) {
        guard let installed = loaded.installed, let terms = loaded.store.terms else { return }
        do throws(TrustInstallationError) {
            try TrustInstallation(folder).remember(terms.floor(at: Clock.uptime()), under: installed.bundle)
        } catch {
            say("--trust \(folder): the time that has passed cannot be kept: \(error)")
        }
    }

    /// Whom to believe after SIGHUP.
    func reload(after believed: TrustStore) throws(ConfigurationError) -> LoadedTrust {
        let loaded = try load(at: Self.now, after: believed)
        guard let store = loaded.store.following(believed) else {
            throw ConfigurationError("--trust \(folder): older than the bundle in use, or signed by nobody")
        }
        return LoadedTrust(store: store, installed: loaded.installed)
    }
}

extension LoadedTrust {
    /// Says whom the gate believes from now on. Of a gate that believes nobody that is said already, with the reason.
    func announce() {
        if store.isOfNobody { return }
        guard let terms = store.terms else { return say("nobody signed the trust folder: it is as safe as the disk it lies on") }
        let roots = store.mdoc.trust.roots.count, documents = roots == 0 ? "" : ", \(Sentence.count(roots, "root")) of documents in phones"
        let definitions = store.anoncreds.definitions.count
        let proofs = definitions == 0 ? "" : ", \(Sentence.count(definitions, "credential definition"))"
        say("trust bundle \(terms.sequence), \(Sentence.count(store.issuers.count, "issuer"))\(documents)\(proofs)")
        if installed?.markState == .lost {
            say("the high-water mark was lost: bundle \(terms.sequence), which is installed, takes its place; look at the disk")
        }
        if case .unsure = clock(TrustSource.now) { say("the clock is behind a time that has passed: set it") }
    }
}

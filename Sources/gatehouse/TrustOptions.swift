import ArgumentParser
import Board
import Credentials
import Glibc

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

    /// Seconds since 1970 by the board's clock.
    static var now: Seconds { Seconds(clamping: Clock.wall() / 1_000_000_000) }

    /// What is believed, and the bundle it comes from; nil for a folder that nobody signed.
    struct Loaded {
        let store: TrustStore
        let installed: InstalledTrust?
    }

    /// - Parameter now: seconds since 1970 by the board's clock, or as of when to verify.
    func load(at now: Seconds) throws -> Loaded {
        guard let root = root ?? (access(Self.usualRoot, F_OK) == 0 ? Self.usualRoot : nil) else { return Loaded(store: try unsigned(), installed: nil) }
        let signers = try Trust.root(root)
        do throws(TrustInstallationError) {
            // An expired bundle is loaded: its store says why to every visitor, and `doctor` to whoever can help.
            let installed = try TrustInstallation(trust).load(root: signers, now: now, evenExpired: true)
            return Loaded(store: installed.store, installed: installed)
        } catch {
            throw ValidationError("--trust \(trust): \(error)")
        }
    }

    private func unsigned() throws -> TrustStore {
        // A bundle without a root file would be ignored in silence.
        guard access(trust + "/bundle.cose", F_OK) != 0 else { throw ValidationError("--trust \(trust): there is a bundle, and no --root to check it with") }
        do throws(TrustError) {
            return try TrustStore(folder: trust)
        } catch {
            throw ValidationError("--trust \(trust): \(error)")
        }
    }
}

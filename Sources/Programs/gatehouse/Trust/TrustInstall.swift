import Appliance
import ArgumentParser
import Envelopes
import Trust

struct TrustInstall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Check a signed bundle and put it where the gate takes it from.",
        discussion: """
            Refused are a bundle that too few of the root's signers signed, one that is not valid at this time, and one that is older than what \
            the gate has had. A power cut at any moment leaves the old bundle or the new one.
            """)

    @Argument(help: "The signed bundle.")
    var file: String

    @Option(help: ArgumentHelp("The root file: who signs, and how many have to.", valueName: "file"))
    var root: String

    @Option(help: ArgumentHelp("The folder the gate takes its bundle from; it has to exist.", valueName: "folder"))
    var into: String

    @Option(help: ArgumentHelp("Judge as of this time, RFC 3339.  (default: now)", valueName: "time"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "The lowest number a trust bundle may have here: the number, or a file that holds it.  (default: /usr/share/gatehouse/lowest-bundle, if that exists)",
            valueName: "number"))
    var lowestBundle: String?

    @OptionGroup var silent: SilentLists

    func run() throws {
        let root = try TrustSource.signers(root)
        let now = try TrustCommand.time("--at", at)
        let bytes = try NamedFile.read(file, most: TrustBundle.largest)
        // What is no bundle, or not signed, is refused below by its own name. A clock that was never set says nothing about a list's age.
        let signed = try? SignedTrustBundle(bytes).verify(root)
        let installation = TrustInstallation(into, lowest: try LowestBundle(lowestBundle).number(), patience: TrustSource.patience)
        if let signed, !Self.isWithoutTrust(installation, root, now) {
            try silent.checkAtGate(signed.contents, at: max(now, signed.created))
        }
        do throws(TrustInstallationError) {
            let outcome = try installation.install(bytes, root: root, now: now)
            let installed = try installation.load(root: root, now: now)
            say("bundle \(installed.bundle.sequence) \(outcome == .installed ? "installed" : "was installed already")", to: 1)
            if let signed { SilentLists.tell(signed.contents, at: max(now, signed.created)) }
        } catch {
            throw TrustCommand.refuse("\(error.isOfFile ? file : into): \(error)")
        }
    }

    /// Whether nobody at all is let in before this installation: then any bundle is better than none.
    private static func isWithoutTrust(_ installation: TrustInstallation, _ root: TrustRoot, _ now: Seconds) -> Bool {
        do throws(TrustInstallationError) {
            let number = try installation.load(root: root, now: now).bundle.sequence
            return DataPartition.anewAbove.map { number <= $0 } ?? false
        } catch {
            // What the disk refuses now, it may not refuse in a moment.
            switch error {
            case .notInstalled, .bundle, .rolledBack, .sequenceTaken, .belowImage: return true
            default: return false
            }
        }
    }
}

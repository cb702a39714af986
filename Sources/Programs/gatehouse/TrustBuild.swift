import Appliance
import ArgumentParser
import Trust

struct TrustBuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Make an unsigned bundle from a trust folder.",
        discussion: """
            The folder holds the issuers' files, contexts.json, lists.json, and bundle.json: \
            {"gatehouse-bundle":1,"sequence":7,"notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z","clock":"reject"}. \
            The same folder with the same --created gives the same octets.
            """)

    @Argument(help: "The trust folder.")
    var source: String

    @Option(help: ArgumentHelp("Where the unsigned bundle goes.", valueName: "file"))
    var out: String

    @Option(help: ArgumentHelp("The sequence number, instead of the one in bundle.json.", valueName: "number"))
    var sequence: Int64?

    @Option(help: ArgumentHelp("When it was made, RFC 3339.  (default: now)", valueName: "time"))
    var created: String?

    @OptionGroup var silent: SilentLists

    func run() throws {
        let created = try TrustCommand.time("--created", created)
        let settings = try NamedFile.read(source + "/" + BundleSettings.file, most: TrustStore.largestFile)
        let bundle: TrustBundle
        let encoded: [UInt8]
        do {
            bundle = try TrustBundle(
                source: TrustContents(folder: source), settings: BundleSettings(settings), sequence: sequence, created: created)
            encoded = try bundle.encoded()
        } catch let error as TrustError {
            throw TrustCommand.refuse(error)
        } catch let error as TrustBundleError {
            throw TrustCommand.refuse(error)
        }
        try silent.checkAtDesk(bundle)
        try write(encoded, to: out)
        say("bundle \(bundle.sequence): \(encoded.count) octets, SHA-256 \(fingerprint(encoded)); not signed yet", to: 1)
    }
}

import Appliance
import ArgumentParser
import Envelopes
import Trust

struct TrustBuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Make an unsigned bundle from a trust folder.",
        discussion: """
            The folder holds the issuers' files, contexts.json, lists.json, and bundle.json: \
            {"gatehouse-bundle":1,"sequence":7,"notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z","clock":"reject"}. \
            With --sequence and --valid-for or --until it needs no bundle.json; a clock in doubt then lets nobody in. The same folder with \
            the same --created gives the same octets.
            """)

    @Argument(help: "The trust folder.")
    var source: String

    @Option(help: ArgumentHelp("Where the unsigned bundle goes.", valueName: "file"))
    var out: String

    @Option(help: ArgumentHelp("The sequence number, instead of the one in bundle.json.", valueName: "number"))
    var sequence: Int64?

    @Option(help: ArgumentHelp("When it was made, RFC 3339.  (default: now)", valueName: "time"))
    var created: String?

    @OptionGroup var validity: ValidityOptions

    @OptionGroup var silent: SilentLists

    func run() throws {
        let created = try TrustCommand.time("--created", created)
        let bundle: TrustBundle
        let encoded: [UInt8]
        do {
            bundle = try TrustBundle(
                source: TrustContents(folder: source), settings: settings(created), sequence: sequence, created: created)
            encoded = try bundle.encoded()
        } catch let error as TrustError {
            throw TrustCommand.refuse(error)
        } catch let error as TrustBundleError {
            throw TrustCommand.refuse(error)
        }
        try silent.checkAtDesk(bundle)
        try write(encoded, to: out)
        say("bundle \(bundle.sequence): \(encoded.count) octets, SHA-256 \(fingerprint(encoded)); not signed yet", to: 1)
        let report = BundleReport(bundle)
        say("valid \(report.time(bundle.notBefore)) until \(report.time(bundle.notAfter))", to: 1)
    }

    /// Those of the folder, with the times of the options in place of its own.
    private func settings(_ created: Seconds) throws -> BundleSettings {
        let path = source + "/" + BundleSettings.file, end = try validity.end(from: created)
        let isThere = try NamedFile.exists(path)
        guard let end else {
            guard isThere else {
                throw ValidationError(
                    "\(path) is not there: say the bundle's number and end (--sequence; --valid-for or --until), or write it")
            }
            return try BundleSettings(NamedFile.read(path, most: TrustStore.largestFile))
        }
        guard isThere else {
            guard sequence != nil else { throw ValidationError("--sequence: say the bundle's number, or write it into \(path)") }
            return BundleSettings(sequence: nil, notBefore: created, notAfter: end, clock: .reject)
        }
        let found = try BundleSettings(NamedFile.read(path, most: TrustStore.largestFile))
        return BundleSettings(sequence: found.sequence, notBefore: created, notAfter: end, clock: found.clock)
    }
}

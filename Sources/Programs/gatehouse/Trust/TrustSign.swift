import ArgumentParser
import Trust

struct TrustSign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Add one signature to a bundle.",
        discussion: """
            The key is an Ed25519 key in PEM, as `gatehouse trust keygen` writes it. Look at the bundle first \
            (`gatehouse trust inspect`, `gatehouse trust diff`): the signature says that you did.
            """)

    @Argument(help: "The bundle: as `build` wrote it, or already signed by others.")
    var file: String

    @OptionGroup var signer: SignerOptions

    @Option(help: ArgumentHelp("Where the signed bundle goes; it may be the same file.", valueName: "file"))
    var out: String

    @OptionGroup var silent: SilentLists

    func run() throws {
        let bundle = try TrustFile(file)
        let report = BundleReport(bundle.content), latest = SignerOptions.latest
        guard bundle.content.created <= latest else {
            throw TrustCommand.refuse(
                "the bundle was made at \(report.time(bundle.content.created)): a time in the future by this computer's clock")
        }
        if let list = bundle.content.contents.lists.first(where: { $0.fetched > latest }) {
            throw TrustCommand.refuse(
                "the list \(list.url) was fetched at \(report.time(list.fetched)): a time in the future by this computer's clock")
        }
        let mdoc = bundle.content.contents.mdoc
        if let fetched = (mdoc.revocations.map(\.fetched) + mdoc.tokens.map(\.fetched)).max(), fetched > latest {
            throw TrustCommand.refuse(
                "a list of documents in phones was fetched at \(report.time(fetched)): a time in the future by this computer's clock")
        }
        let proofs = bundle.content.contents.proofTimes
        if let fetched = proofs.max(), fetched > latest {
            throw TrustCommand.refuse(
                "a list of AnonCreds or of revoked addresses was fetched at \(report.time(fetched)): a time in the future by this computer's clock"
            )
        }
        try silent.checkAtDesk(bundle.content)
        let key = try signer.signingKey()
        let signed: SignedTrustBundle
        do throws(TrustBundleError) {
            switch bundle {
            case .payload(let payload): signed = try SignedTrustBundle(signing: payload, as: signer.kid, with: key)
            case .signed(let before, _): signed = try before.signed(as: signer.kid, with: key)
            }
        } catch {
            throw TrustCommand.refuse(error)
        }
        try write(signed.octets, to: out)
        say("bundle \(bundle.content.sequence): signed by \(signed.signerIDs.map(printable).joined(separator: " "))", to: 1)
    }
}

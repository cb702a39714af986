import Appliance
import ArgumentParser
import Desk
import Trust

struct ProvisionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision",
        abstract: "Make the signed site files of a row of boards, a label for each, and a list of both, by a plan.",
        discussion: """
            The plan is a JSON file (docs/provisioning.md): a template, the gates by their ids, and what is different with each. \
            The folder has site-ID.cose and label-ID.svg for each gate, and manifest.json. It is there whole or not at all, and \
            nothing that is there already is overwritten. The same plan, signed with the same key, makes the same files.

            Where the root wants several signatures, each signer runs this with the plan: the second with --cosign and the folder \
            of the first, and so on.

            Exit code: 0 made, 1 the plan is refused, 2 unusable options or files.
            """)

    @Argument(help: "The plan.")
    var plan: String

    @Option(help: ArgumentHelp("Where everything goes: a folder that is not there yet.", valueName: "folder"))
    var out: String

    @OptionGroup var signer: SignerOptions

    @Option(
        help: ArgumentHelp(
            "The folder of an earlier run of this plan by another signer: its site files get one signature more.", valueName: "folder"))
    var cosign: String?

    func run() throws {
        let octets = try NamedFile.read(plan, most: ProvisioningPlan.largest)
        let root = try signer.root.map { try TrustSource.signers($0) }
        let key = try signer.signingKey()
        let made: ProvisionedGates
        do throws(ProvisioningError) {
            made = try ProvisionedGates(
                ProvisioningPlan(parsing: octets), signedBy: signer.kid, with: key, latest: SignerOptions.latest, after: cosign, root: root)
            try made.write(to: out)
        } catch {
            switch error {
            case .isThere, .output: throw ValidationError("\(out): \(error)")
            case .earlier: throw ValidationError("--cosign \(cosign ?? ""): \(error)")
            default: throw TrustCommand.refuse(error)
            }
        }
        let gates = Sentence.count(made.gates.count, "gate"), names = made.signerIDs.map(printable).joined(separator: " ")
        say("\(printable(out)): \(gates), site file number \(made.plan.number), signed by \(names)", to: 1)
        if let root, made.isTaken == false {
            say("\(root.threshold) of the root's signers have to sign: no gate takes them before others did too (--cosign)", to: 1)
        }
    }
}

import Appliance
import ArgumentParser

/// Whom the gate believes.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The trust folder: a bundle put there by `gatehouse trust install`, or, where there is no root file, one JSON file for each issuer (docs/specifications/trust-format.md).",
            valueName: "folder"))
    var trust = TrustSource.usualFolder

    @Option(
        help: ArgumentHelp(
            "The root file: who signs trust bundles. Where it exists, nothing but a signed bundle is believed.  (default: /etc/gatehouse/root.json, if that exists)",
            valueName: "file"))
    var root: String?

    @Option(
        help: ArgumentHelp(
            "The lowest number a trust bundle may have here: the number, or a file that holds it. Where the installed bundle is below it, `run` installs the one beside that file, `bundle.cose`, if there is one.  (default: /usr/share/gatehouse/lowest-bundle, if that exists)",
            valueName: "number"))
    var lowestBundle: String?

    var source: TrustSource { TrustSource(trust, root: root, lowestBundle: lowestBundle) }
}

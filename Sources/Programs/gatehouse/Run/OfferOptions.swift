import Appliance
import ArgumentParser
import Presentation

/// What the gate offers by codes of its own, and what it asks for a proof of.
struct OfferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the gate offers by codes of its own: tuvali (a credential over Tuvali), aries (a proof by AnonCreds in a DIDComm message), trustedkey (an answer of a Trusted Key wallet), or several of them separated by commas, whose codes take turns on the screen.  (default: what the site file says; without, tuvali, and whatever else is configured)",
            valueName: "kinds"))
    var offer: String?

    @Option(
        help: ArgumentHelp(
            "How long the code of each of several kinds stands on the screen at a time, 2 to 60.  (default: what the site file says; without, \(OfferSettings().turn / 1000))",
            valueName: "seconds"))
    var codeTurn: Double?

    @Option(
        help: ArgumentHelp(
            "A JSON object that says what is asked of AnonCreds credentials (docs/site.md); with it they are asked, by a code in turn with the gate's others. Whose credentials is in the trust bundle.  (default: what the site file says; without, nobody is asked)",
            valueName: "file"))
    var proofs: String?

    var configuration: OfferConfiguration { OfferConfiguration(words: offer, turn: codeTurn, proofs: proofs) }
}

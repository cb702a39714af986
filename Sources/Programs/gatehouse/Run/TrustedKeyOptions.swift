import Appliance
import ArgumentParser

/// What Trusted Key wallets are asked by the code on the screen.
struct TrustedKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A JSON object that says where Trusted Key wallets take their answers; with it they are asked, by a code in turn with the gate's others (docs/site.md). What is asked for is in the trust bundle.  (default: what the site file says; without, nothing)",
            valueName: "file"))
    var trustedKey: String?

    var configuration: TrustedKeyConfiguration { TrustedKeyConfiguration(file: trustedKey) }
}

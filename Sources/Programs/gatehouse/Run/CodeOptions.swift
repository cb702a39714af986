import Appliance
import ArgumentParser

/// Whether codes held before the camera are read, and what they are worth.
struct CodeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When the camera looks for codes held before it: always (ten times a second), motion (twice a second until something moves), button (the camera is off until the door's input `code` is pressed, then on for 30 s) or off.  (default: what the site file or the board profile says; without, always, on a battery motion, and off where there is no camera or no code could be accepted)",
            valueName: "when"))
    var codes: String?

    @Option(
        name: .customLong("codes-without-face"), parsing: .singleValue,
        help: ArgumentHelp(
            "A type of credential, as verify prints it, whose code is taken where --face asks for no face, although whoever has a copy of the code is let in then; may be repeated, * for all.  (default: what the site file says; without, none)",
            valueName: "type"))
    var withoutFace: [String] = []

    @Option(
        name: .customLong("code-prefix"),
        help: ArgumentHelp(
            "What issuers write before PixelPass in a code, such as the address of a page, not mdoc: or openid4vp:; plain PixelPass is read as well.  (default: what the site file says; without, nothing)",
            valueName: "text"))
    var prefix: String?

    func configuration(_ trustedKey: TrustedKeyOptions) -> CodeConfiguration {
        CodeConfiguration(codes: codes, withoutFace: withoutFace, prefix: prefix, hasAnswers: trustedKey.trustedKey != nil)
    }
}

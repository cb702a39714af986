import Appliance
import ArgumentParser

/// How little the running gate may do.
struct ConfinementOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The ordinary user to become when started as root, with its groups. Everything is then read and opened as this user; a data folder that is made, is made for it.  (default: stay who it is)",
            valueName: "name"))
    var user: String?

    @Option(
        help: ArgumentHelp(
            "What becomes of a gate whose capabilities or system calls cannot be confined: required (it does not start), as-possible (it says so), or off (nothing is confined). Landlock is taken as far as the kernel has it.",
            valueName: "how"))
    var confine = "required"

    var configuration: ConfinementConfiguration { ConfinementConfiguration(user: user, word: confine) }
}

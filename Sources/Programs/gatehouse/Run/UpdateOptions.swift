import Appliance
import ArgumentParser
import Cryptography

/// What updates of the system are verified by.
struct UpdateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The certificates that updates of the system are verified by (PEM). Nothing is verified here: that the last of them ends is said in days before, because what renews it is an update.  (default: \(UpdateRoot.usualPath), if that exists)",
            valueName: "file"))
    var updateRoot: String?

    var source: UpdateSource { UpdateSource(updateRoot) }
}

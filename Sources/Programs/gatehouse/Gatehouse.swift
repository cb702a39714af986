import Appliance
import ArgumentParser
import Cryptography
import Glibc
import Linux

@main
struct Gatehouse: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract:
            "The firmware of a gate: verifies, offline, what a phone sends by Bluetooth LE or a code shows the camera, and turns a light on.",
        discussion: """
            A wallet finds the gate by the QR code on its screen and sends a credential with the Tuvali protocol. Or a code is held \
            before the camera: it holds a credential, or leads to a document in a phone (mdoc, ISO/IEC 18013-5). \
            Believed are JSON-LD, SD-JWT and CWT credentials of the issuers in the trust bundle, documents in phones under its roots, \
            and nothing else. With a camera, the visitor's face is compared with the signed photo; without, whoever has a copy of a \
            credential is let in (see `gatehouse run --help`, --face). Nothing in this version tells a living face from a picture of it.

            Start with `gatehouse doctor`: it says what this board lacks and what to do about it.
            """,
        version: VersionText.text,
        subcommands: [
            Run.self, Verify.self, TrustCommand.self, OrderCommand.self, TimeCommand.self, SiteCommand.self, ProvisionCommand.self,
            ResetCommand.self, DoctorCommand.self,
            ScreenCommand.self,
            AuditCommand.self,
            SelfTestCommand.self, PanelButton.self,
            Lamps.self, Calibrate.self, FaceCommand.self,
        ])

    /// Exit codes: 2 for options nobody can use, whichever command they were for.
    static func main() {
        // A reader that has heard enough ends no command in the middle of what it does.
        signal(SIGPIPE, SIG_IGN)
        // Before anything else makes libcrypto allocate.
        Arena.install()
        do {
            var command = try parseAsRoot()
            do {
                try command.run()
            } catch let error as ValidationError {
                // The options were well-formed; the usage of all commands would say nothing about what is wrong.
                say("Error: \(error.message)")
                end(2)
            } catch let error as ConfigurationError {
                say("Error: \(error)")
                end(2)
            }
        } catch {
            let code = exitCode(for: error)
            let text = fullMessage(for: error)
            if !text.isEmpty { say(text, to: code.isSuccess ? 1 : 2) }
            end(code == .validationFailure ? 2 : code.rawValue)
        }
        end(0)
    }

    /// Ends with the words that are left to say, as far as somebody reads them.
    private static func end(_ code: Int32) -> Never {
        Words.errors.finish(patience: 250)
        Glibc.exit(code)
    }
}

/// Writes one line to a descriptor: to standard error without ever waiting, because a gate at work says its words with this too.
func say(_ text: String, to descriptor: Int32 = 2) {
    if descriptor == 2 { return Words.errors.write(text + "\n") }
    var octets = Array((text + "\n").utf8)[...]
    while !octets.isEmpty {
        let count = octets.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        octets = octets.dropFirst(count)
    }
}

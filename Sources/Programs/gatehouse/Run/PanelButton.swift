import Appliance
import ArgumentParser
import Devices

struct PanelButton: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "panel-button",
        abstract: "Say whether somebody holds the panel's button while the board starts.",
        discussion: """
            For the service manager of an image, where nothing else begins the install mode of gatehouse-osdp (docs/osdp.md). The button is \
            the board profile's `panelButton`. Exit code: 0 where it was held for ten seconds and let go within ten more, 1 where it was not, \
            is not there or cannot be looked at, 2 for unusable options.
            """)

    @Option(help: ArgumentHelp("The board profile.", valueName: "file"))
    var board: String

    func run() throws {
        let profile: BoardProfile
        do throws(BoardProfileError) {
            profile = try BoardProfile(contentsOf: board)
        } catch {
            throw ValidationError("--board \(board): \(error)")
        }
        guard let button = profile.panelButton, ButtonAtStart.panel.isHeld(button, report: { say($0) }) else { throw ExitCode(1) }
    }
}

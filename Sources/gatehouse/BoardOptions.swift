import ArgumentParser
import Board

/// Where the devices are: a board profile, and options that override it.
struct BoardOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "The board profile: a JSON file that names the board's devices (board/board.schema.json). Options override it.",
        valueName: "file"))
    var board: String?

    @Option(help: ArgumentHelp(
        "The Bluetooth controller: hci:0 (the kernel's user channel; needs CAP_NET_ADMIN, and bluetoothd stopped), serial:/dev/ttyAMA0,3000000 (H4), unix:PATH or tcp:ADDRESS:PORT (H4).  (default: hci:0)",
        valueName: "link"))
    var hci: String?

    @Option(help: ArgumentHelp(
        "The lamps: gpio:gpiochip0/accept=17,reject=27,ready=22,busy=23,fault=24,look=25[,active-low] (lines by offset or name; the last four are optional), log: or terminal:.  (default: log:)",
        valueName: "link"))
    var lights: String?

    @Option(help: ArgumentHelp(
        "Where the QR code is shown: fb:/dev/fb0, terminal: or none:. Without the code no wallet can find the gate.  (default: terminal:)",
        valueName: "link"))
    var screen: String?

    @Option(help: ArgumentHelp(
        "The camera for face matching: v4l2:/dev/video0, cmd:rpicam-vid ... (a program that writes MJPEG), dir:FOLDER, file:PATH or stdin:.  (default: none)",
        valueName: "link"))
    var camera: String?

    /// The devices named, options first, then the profile, then the defaults.
    struct Devices {
        var hci: HCIMoniker
        var lights: LightsMoniker
        var screen: ScreenMoniker
        var audit: String?
        var camera: CameraMoniker?
        /// What was read; options may have overridden it.
        var profile: BoardProfile?
    }

    func devices() throws -> Devices {
        var devices = Devices(hci: .userChannel(index: 0), lights: .log, screen: .terminal, audit: nil)
        if let board {
            do throws(BoardProfileError) {
                let profile = try BoardProfile(contentsOf: board)
                devices = Devices(hci: profile.hci, lights: profile.lights, screen: profile.screen, audit: profile.audit, camera: profile.camera, profile: profile)
            } catch {
                throw ValidationError("\(board): \(error)")
            }
        }
        if let hci { devices.hci = try Self.read("--hci", hci) { text throws(MonikerError) in try HCIMoniker(text) } }
        if let lights { devices.lights = try Self.read("--lights", lights) { text throws(MonikerError) in try LightsMoniker(text) } }
        if let screen { devices.screen = try Self.read("--screen", screen) { text throws(MonikerError) in try ScreenMoniker(text) } }
        if let camera { devices.camera = try Self.read("--camera", camera) { text throws(MonikerError) in try CameraMoniker(text) } }
        return devices
    }

    private static func read<Value>(
        _ option: String, _ text: String, _ make: (String) throws(MonikerError) -> Value
    ) throws(ValidationError) -> Value {
        do throws(MonikerError) { return try make(text) } catch { throw ValidationError("\(option) \(text): \(error)") }
    }
}

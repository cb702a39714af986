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

    /// What a gate is called by wallets, and speaks, where nobody says otherwise.
    static let usualName = "GATEHOUSE", usualWire = "0.5"

    /// The devices named, options first, then the profile, then the defaults.
    struct Devices {
        var hci: HCIMoniker
        var lights: LightsMoniker
        var screen: ScreenMoniker
        var audit: String?
        var camera: CameraMoniker?
        /// What was read; options may have overridden it.
        var profile: BoardProfile?
        var site = LoadedSite()
        /// The camera is named by an option or the site file.
        var isCameraAdded = false
    }

    /// - Parameter site: what comes after the options and before the profile.
    func devices(_ site: LoadedSite = LoadedSite()) throws -> Devices {
        var devices = Devices(hci: .userChannel(index: 0), lights: .log, screen: .terminal, audit: nil, site: site)
        if let board {
            do throws(BoardProfileError) {
                devices.profile = try BoardProfile(contentsOf: board)
            } catch {
                throw ValidationError("\(board): \(error)")
            }
        }
        let profile = devices.profile, settings = site.settings
        devices.audit = profile?.audit
        let hci = try hci.map { try Self.read("--hci", $0) { text throws(MonikerError) in try HCIMoniker(text) } }
        if let value = hci ?? settings?.hci ?? profile?.hci { devices.hci = value }
        let lights = try lights.map { try Self.read("--lights", $0) { text throws(MonikerError) in try LightsMoniker(text) } }
        if let value = lights ?? settings?.lights ?? profile?.lights { devices.lights = value }
        let screen = try screen.map { try Self.read("--screen", $0) { text throws(MonikerError) in try ScreenMoniker(text) } }
        if let value = screen ?? settings?.screen ?? profile?.screen { devices.screen = value }
        let camera = try camera.map { try Self.read("--camera", $0) { text throws(MonikerError) in try CameraMoniker(text) } }
        if let value = camera ?? settings?.camera ?? profile?.camera { devices.camera = value }
        devices.isCameraAdded = (camera ?? settings?.camera) != nil
        return devices
    }

    private static func read<Value>(
        _ option: String, _ text: String, _ make: (String) throws(MonikerError) -> Value
    ) throws(ValidationError) -> Value {
        do throws(MonikerError) { return try make(text) } catch { throw ValidationError("\(option) \(text): \(error)") }
    }
}

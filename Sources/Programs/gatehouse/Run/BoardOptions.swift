import Appliance
import ArgumentParser
import Devices

/// Where the devices are: a board profile, and options that override it.
struct BoardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The board profile: a JSON file that names the board's devices (board/board.schema.json). Options override it.",
            valueName: "file"))
    var board: String?

    @Option(
        help: ArgumentHelp(
            "The Bluetooth controller: hci:0 (the kernel's user channel; needs CAP_NET_ADMIN, and bluetoothd stopped), serial:/dev/ttyAMA0,3000000 (H4), unix:PATH or tcp:ADDRESS:PORT (H4).  (default: hci:0)",
            valueName: "link"))
    var hci: String?

    @Option(
        help: ArgumentHelp(
            "The lamps: gpio:gpiochip0/accept=17,reject=27,ready=22,busy=23,fault=24,look=25[,active-low] (lines by offset or name; the last four are optional), log: or terminal:.  (default: log:)",
            valueName: "link"))
    var lights: String?

    @Option(
        help: ArgumentHelp(
            "Where the QR code is shown: fb:/dev/fb0, terminal: or none:. Without the code no wallet can find the gate.  (default: terminal:)",
            valueName: "link"))
    var screen: String?

    @Option(
        help: ArgumentHelp(
            "The camera for faces and codes: v4l2:/dev/video0, cmd:rpicam-vid ... (a program that writes MJPEG), dir:FOLDER, file:PATH or stdin:.  (default: none)",
            valueName: "link"))
    var camera: String?

    @Option(
        help: ArgumentHelp(
            "The door: gpio:gpiochip0/lock=5[:low][,second=6][,contact=7:pull-up][,tamper=8][,exit=9][,emergency=10][,supervisor=11][,list=12][,code=13], or log:.  (default: none)",
            valueName: "link"))
    var door: String?

    @Option(
        help: ArgumentHelp(
            "What sounds: gpio:gpiochip0/buzzer=13[:low], pwm:/sys/class/pwm/pwmchip0/pwm0 or log:.  (default: none)",
            valueName: "link"))
    var sound: String?

    @OptionGroup var wordOptions: WordOptions

    /// The devices of a gate with this site file.
    func links(_ site: LoadedSite = LoadedSite()) throws -> DeviceLinks {
        var profile: BoardProfile?
        if let board {
            do throws(BoardProfileError) {
                profile = try BoardProfile(contentsOf: board)
            } catch {
                throw ValidationError("\(board): \(error)")
            }
        }
        var named = DeviceLinks.Named()
        named.hci = try hci.map { try Self.read("--hci", $0) { text throws(MonikerError) in try HCIMoniker(text) } }
        named.lights = try lights.map { try Self.read("--lights", $0) { text throws(MonikerError) in try LightsMoniker(text) } }
        named.screen = try screen.map { try Self.read("--screen", $0) { text throws(MonikerError) in try ScreenMoniker(text) } }
        named.camera = try camera.map { try Self.read("--camera", $0) { text throws(MonikerError) in try CameraMoniker(text) } }
        named.door = try door.map { try Self.read("--door", $0) { text throws(MonikerError) in try DoorMoniker(text) } }
        named.sound = try sound.map { try Self.read("--sound", $0) { text throws(MonikerError) in try SounderMoniker(text) } }
        (named.languages, named.wordFolder) = (wordOptions.languages, wordOptions.words)
        return DeviceLinks(named, site, profile)
    }

    private static func read<Value>(
        _ option: String, _ text: String, _ make: (String) throws(MonikerError) -> Value
    ) throws(ValidationError) -> Value {
        do throws(MonikerError) { return try make(text) } catch { throw ValidationError("\(option) \(text): \(error)") }
    }
}

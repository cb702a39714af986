import Devices
import Glibc
import Linux

/// The least a running gate needs, and everything else given up: capabilities, files, system calls.
///
/// It is put on when everything is open that is opened once (the audit log) and every library has read its settings. What is opened again
/// later stays possible: the controller after a fault, lamps, door, sounder and screen that come back, the camera for a visit, the trust
/// folder on SIGHUP. A PWM channel that comes back needs Landlock: without it no file is opened to be written.
public struct Confinement {
    /// What happens where something cannot be had.
    public enum Strictness: String, Sendable {
        /// The gate does not start. Landlock is taken as far as the kernel has it.
        case required
        /// It is done without.
        case asPossible = "as-possible"
        /// Nothing is given up.
        case off
    }

    private let link: HCIMoniker
    private let lights: LightsMoniker
    private let screen: ScreenMoniker
    private let camera: CameraMoniker?
    private let door: DoorMoniker?
    private let sound: SounderMoniker?
    private let readable: [String]
    private let writable: [String]
    private let notifySocket: String?

    /// - Parameters:
    ///   - link: it may be opened again at any time.
    ///   - lights, screen, camera, door, sound: so may they.
    ///   - readable: folders and files that are read again later. A folder or file that is replaced by another of its name stays readable
    ///   where it
    ///     lies in a folder of its own, not at the top of the file system.
    ///   - writable: folders in which files are made and changed.
    public init(
        link: HCIMoniker, lights: LightsMoniker = .log, screen: ScreenMoniker = .none, camera: CameraMoniker? = nil,
        door: DoorMoniker? = nil, sound: SounderMoniker? = nil, readable: [String], writable: [String]
    ) {
        self.link = link
        self.lights = lights
        self.screen = screen
        self.camera = camera
        self.door = door
        self.sound = sound
        self.readable = readable
        self.writable = writable
        notifySocket = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
    }

    /// What has to be raised to open the link.
    public static func capabilities(of link: HCIMoniker) -> Capabilities {
        if case .userChannel = link { .networkAdministration } else { [] }
    }

    /// Gives everything else up, for good.
    ///
    /// - Throws: what could not be had, of `required`; some is given up then.
    public func apply(_ strictness: Strictness) throws(ConfinementError) -> ConfinementReport {
        var missing: [ConfinementError] = []
        func attempt(_ step: () throws(ConfinementError) -> Void) throws(ConfinementError) -> Bool {
            do throws(ConfinementError) {
                try step()
                return true
            } catch {
                guard strictness == .asPossible else { throw error }
                missing.append(error)
                return false
            }
        }
        var landlock = 0, isFiltered = false, capabilities = Capabilities.current.permitted
        if strictness != .off {
            _ = try attempt(Self.refuseThreads)
            _ = try attempt { () throws(ConfinementError) in try Self.capabilities(of: link).keepOnly() }
            capabilities = Capabilities.current.permitted
            let isBound = try attempt(Self.giveUpPrivileges)
            let version = FileRules.version
            if isBound, version > 0, try attempt({ () throws(ConfinementError) in try fileRules.apply(version: version) }) {
                landlock = version
            }
            if isBound { isFiltered = try attempt { () throws(ConfinementError) in try systemCalls(hasFileRules: landlock > 0).apply() } }
        }
        return ConfinementReport(
            strictness: strictness, user: geteuid(), capabilities: capabilities, landlock: landlock, isFiltered: isFiltered,
            missing: missing)
    }

    /// Capabilities and Landlock are a thread's, not the process's.
    private static func refuseThreads() throws(ConfinementError) {
        guard !OwnProcess.hasOtherThreads else { throw .otherThreads }
    }

    /// No limit of a file's size: the audit log grows as long as the gate works, and the limit would end that.
    private static func giveUpPrivileges() throws(ConfinementError) {
        try OwnProcess.giveUpPrivileges()
        try OwnProcess.limit(files: 128)
    }

    private func systemCalls(hasFileRules: Bool) -> SystemCalls {
        SystemCalls(
            link: link, camera: camera, isSupervised: notifySocket != nil, hasGPIO: hasGPIO, hasFramebuffer: hasFramebuffer,
            hasFileRules: hasFileRules)
    }

    private var hasGPIO: Bool {
        if case .gpio = lights { return true }
        if case .gpio = door { return true }
        if case .gpio = sound { return true }
        return false
    }
    private var hasFramebuffer: Bool { if case .framebuffer = screen { true } else { false } }

    private var fileRules: FileRules {
        var rules = FileRules()
        rules.readable = readable.flatMap(Self.withPlace)
        rules.writable = writable
        switch link {
        case .userChannel:
            rules.devices.append("/dev/rfkill")
            // Whose switch is whose; the names in the class are links to the devices.
            rules.readable += ["/sys/class/rfkill", "/sys/devices"]
        case .serial(let path, _): rules.devices.append(Self.isPluggable(path) ? "/dev" : path)
        case .tcp(_, let port): rules.port = port
        case .unix: break
        }
        switch camera {
        case .video(let path, _): rules.devices.append(Self.isPluggable(path) ? "/dev" : path)
        case .folder(let path, _), .file(let path, _): rules.readable += Self.withPlace(path)
        case .command, .standardInput, nil: break
        }
        // A chip or a framebuffer that comes back is another file, which nobody can name beforehand: only the folder lasts. The file's own
        // mode, and the list of requests, hold there.
        if hasGPIO || hasFramebuffer { rules.devices.append("/dev") }
        // Looked for by its label, the chip is one of those listed; libgpiod asks the kernel whether it is one.
        if hasGPIO { rules.readable += ["/dev", "/sys/bus/gpio", "/sys/devices"] }
        if hasFramebuffer { rules.readable += ["/sys/class/vtconsole", "/sys/devices"] }
        // A channel lies below its chip's device, which may come after the gate, and come back as another. The files' own modes hold there,
        // and what the unit leaves to be written.
        if case .pwm(let channel) = sound { rules.devices += [channel, "/sys/devices"] }
        rules.reachesAbstractSockets = notifySocket?.utf8.first == UInt8(ascii: "@")
        return rules
    }

    /// A path, and the folders that it and what it leads to lie in: what takes its place there later is another file to the kernel. Not so
    /// at the top of the file system, where such a folder holds everything.
    static func withPlace(_ path: String) -> [String] {
        var paths = [path]
        for name in [path, real(path)].compactMap({ $0 }) {
            guard let slash = name.lastIndex(of: "/"), let place = real(String(name[..<slash])) else { continue }
            if place.utf8.count(where: { $0 == UInt8(ascii: "/") }) > 1 { paths.append(place) }
        }
        return paths
    }

    /// Whether the device's file comes and goes: then only its folder lasts.
    private static func isPluggable(_ path: String) -> Bool {
        guard let name = real(path)?.split(separator: "/").last else { return true }
        return ["ttyUSB", "ttyACM", "video"].contains { name.hasPrefix($0) }
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}

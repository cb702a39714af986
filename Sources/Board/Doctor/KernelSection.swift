import Devices
import Glibc
import Linux

/// What the kernel has of Bluetooth, and who uses it. Looked at before the controller is opened, which lifts soft blocks.
///
/// Nothing here is a trouble of its own: what keeps the gate from its controller is said where opening it fails.
public struct KernelSection {
    public let folders: SystemFolders
    /// Whether `socket(AF_BLUETOOTH)` works.
    let hasBluetooth: Bool
    /// Whether controller hciN is up; nil where the kernel does not say.
    let isUp: (UInt16) -> Bool?
    /// Other processes with Bluetooth sockets.
    let users: () -> [String]

    /// The kernel this runs on.
    public init() {
        self.init(folders: SystemFolders(), hasBluetooth: Self.makesSockets(), isUp: UserChannel.isUp, users: ControllerUsers.processes)
    }

    init(folders: SystemFolders, hasBluetooth: Bool, isUp: @escaping (UInt16) -> Bool?, users: @escaping () -> [String]) {
        self.folders = folders
        self.hasBluetooth = hasBluetooth
        self.isUp = isUp
        self.users = users
    }

    public func examine() -> DoctorReport.Section {
        var section = DoctorReport.Section("kernel")
        section.add("release", SystemFolders.line(folders.proc + "/sys/kernel/osrelease") ?? "unknown")
        if hasBluetooth {
            section.add("AF_BLUETOOTH", "yes")
        } else {
            section.note("AF_BLUETOOTH", "no", .init("Load it", "modprobe bluetooth"))
        }
        listControllers(&section)
        listSwitches(&section)
        listUsers(&section)
        return section
    }

    private func listControllers(_ section: inout DoctorReport.Section) {
        let folder = folders.sys + "/class/bluetooth"
        // A connection is listed too, as hci0:64.
        let controllers = SystemFolders.names(folder).compactMap { name in
            name.hasPrefix("hci") ? UInt16(name.dropFirst(3)) : nil
        }
        if controllers.isEmpty { return section.add("controllers", "none") }
        for index in controllers.sorted() {
            let device = "\(folder)/hci\(index)/device"
            let bus = SystemFolders.linkName(device + "/subsystem") ?? "virtual"
            let driver = SystemFolders.linkName(device + "/driver").map { ", driver \($0)" } ?? ""
            let state = isUp(index).map { $0 ? ", up" : ", down" } ?? ""
            section.add("hci\(index)", "on \(bus)\(driver)\(state)")
        }
    }

    private func listSwitches(_ section: inout DoctorReport.Section) {
        let folder = folders.sys + "/class/rfkill"
        for name in SystemFolders.names(folder) {
            guard SystemFolders.line("\(folder)/\(name)/type") == "bluetooth" else { continue }
            let title = "rfkill \(SystemFolders.line("\(folder)/\(name)/name") ?? name)"
            let number = name.hasPrefix("rfkill") ? String(name.dropFirst(6)) : "bluetooth"
            switch (SystemFolders.line("\(folder)/\(name)/soft"), SystemFolders.line("\(folder)/\(name)/hard")) {
            case (_, "1"):
                section.note(
                    title, "blocked by a hardware switch", .init("Turn the switch on the case, then look", "rfkill list \(number)"))
            case ("1", _): section.note(title, "blocked", .init("Unblock it", "rfkill unblock \(number)"))
            case ("0", "0"): section.add(title, "not blocked")
            default: section.note(title, "cannot be read", .init("Look", "rfkill list \(number)"))
            }
        }
    }

    private func listUsers(_ section: inout DoctorReport.Section) {
        // The kernel does not say which of them has a user channel.
        let users = users()
        if users.isEmpty {
            section.add("Bluetooth sockets of others", "none seen")
        } else {
            section.note(
                "Bluetooth sockets of others", users.joined(separator: ", "),
                .init("Stop what should not have one", "systemctl mask --now bluetooth"))
        }
        let daemons = SystemFolders.names(folders.proc).filter {
            Int32($0) != nil && SystemFolders.line("\(folders.proc)/\($0)/comm") == "bluetoothd"
        }
        if daemons.isEmpty {
            section.add("bluetoothd", "not running")
        } else {
            section.note(
                "bluetoothd", "running (\(daemons.joined(separator: ", "))): it takes controllers for itself",
                .init("Stop it for good", "systemctl mask --now bluetooth"))
        }
    }

    private static func makesSockets() -> Bool {
        do throws(LinkError) {
            close(try UserChannel.makeSocket())
        } catch {
            return error != .noBluetoothInKernel
        }
        return true
    }
}

import Bluetooth
import Devices

/// The controller: how its bring-up went, what it is, what it can, and what follows from what it lacks.
public enum ControllerSection {
    /// Opens the controller for a moment.
    public static func examine(_ moniker: HCIMoniker) -> DoctorReport.Section {
        do throws(LinkError) {
            return section(try BringUpReport(moniker.makeLink()))
        } catch {
            return section(error)
        }
    }

    static func section(_ report: BringUpReport) -> DoctorReport.Section {
        var section = DoctorReport.Section("controller")
        for (step, result) in report.steps { section.add("\(BringUp.row(step).name)", text(result)) }
        let isKnown = report.steps.contains { $0.step == .version && $0.result == .done(.success) }
        if isKnown { describe(report.controller, in: &section) }
        if report.fault == nil {
            listMissing(report, in: &section)
            describeBuffers(report.controller, in: &section)
        }
        section.add(
            "dropped packets", report.drops.isEmpty ? "none" : report.drops.map { "\($0.name) \($0.count)" }.joined(separator: ", "))
        if let fault = report.fault {
            section.trouble(
                "controller", code(fault), fault.sentence, .init("Unplug and plug it, or restart the board", "systemctl reboot"))
        }
        return section
    }

    static func section(_ error: LinkError) -> DoctorReport.Section {
        var section = DoctorReport.Section("controller")
        section.trouble("controller", "controller-\(code(error))", error.sentence, remedy(error))
        return section
    }

    private static func describe(_ controller: Controller, in section: inout DoctorReport.Section) {
        section.add("HCI version", ControllerNames.version(controller.version))
        section.add("manufacturer", ControllerNames.manufacturer(controller.manufacturer))
        section.add("subversion", "0x" + ControllerNames.hexadecimal(UInt64(controller.subversion), digits: 4))
        let address = ControllerNames.address(controller.address)
        if ControllerNames.isDefault(controller.address) {
            section.note("address", "\(address), a default that many have: no harm, the gate advertises random ones")
        } else {
            section.add("address", address)
        }
        for feature in ControllerNames.features {
            section.add(feature.name, controller.leFeatures >> feature.bit & 1 != 0 ? "yes" : "no")
        }
    }

    /// Commands a gate does without.
    private static func listMissing(_ report: BringUpReport, in section: inout DoctorReport.Section) {
        for (step, result) in report.steps where result != .done(.success) {
            guard let consequence = consequence(of: step, report.controller) else { continue }
            section.note("without \(BringUp.row(step).name)", consequence)
        }
        let controller = report.controller
        if controller.hasDataLengthExtension, !controller.supports(octet: 33, bit: 6) {
            section.note("without LE Set Data Length", "long packets only where the phone asks for them")
        }
        if controller.has2MPHY, !controller.supports(octet: 35, bit: 6) {
            section.note("without LE Set PHY", "2M PHY only where the phone asks for it")
        }
    }

    /// What follows where an optional step was not taken or was refused; nil where nothing does.
    private static func consequence(of step: BringUp.Step, _ controller: Controller) -> String? {
        switch step {
        case .leHostSupport where controller.isDualMode: "the controller is expected to be ready for LE on its own"
        case .leFeatures: "neither long packets nor 2M PHY: visits take several times as long"
        case .address: "its own address is not known, and not needed"
        case .suggestedDataLength where controller.hasDataLengthExtension: "long packets are asked for on each link"
        case .defaultPHY where controller.has2MPHY: "2M PHY is asked for on each link"
        default: nil
        }
    }

    private static func describeBuffers(_ controller: Controller, in section: inout DoctorReport.Section) {
        let text = "\(controller.dataLength) octets x \(controller.dataPackets)"
        if controller.dataLength <= 27 {
            section.note("LE ACL", "\(text): short packets, so what the gate sends is slow")
        } else {
            section.add("LE ACL", text)
        }
    }

    private static func text(_ result: BringUp.Result) -> String {
        switch result {
        case .pending: "not reached"
        case .skipped: "not there, not needed"
        case .done(let status): status == .success ? "ok" : "refused, status 0x" + String(status.rawValue, radix: 16)
        case .timedOut: "no answer"
        case .malformed: "answer cut off"
        }
    }

    private static func code(_ fault: ControllerFault) -> String {
        switch fault {
        case .hardwareError: "controller-hardware-error"
        case .commandTimeout: "controller-no-answer"
        case .bringUpRefused: "controller-refuses"
        case .bringUpMalformed: "controller-malformed-answer"
        case .versionTooOld: "controller-too-old"
        case .noPeripheral: "controller-no-peripheral"
        case .advertisingRefused: "controller-refuses-advertising"
        case .scanningRefused: "controller-refuses-scanning"
        case .initiatingRefused: "controller-refuses-connecting"
        case .connectionLost: "controller-connection-lost"
        case .disconnectionLost: "controller-disconnection-lost"
        }
    }

    private static func code(_ error: LinkError) -> String {
        switch error {
        case .noBluetoothInKernel: "no-bluetooth"
        case .notPermitted: "not-permitted"
        case .noSuchController: "absent"
        case .controllerBusy: "busy"
        case .controllerTaken: "taken"
        case .radioBlocked(hard: false): "blocked"
        case .radioBlocked(hard: true): "switched-off"
        case .controllerFailed: "failed"
        case .notFound: "link-not-found"
        case .refused: "link-refused"
        case .timedOut: "link-timed-out"
        case .unsupportedSpeed: "link-speed"
        case .badAddress: "link-address"
        case .unplugged: "unplugged"
        case .ended, .lostFraming, .truncatedPacket, .badPacket, .writePending, .notOpen: "link-broken"
        case .system: "system"
        }
    }

    private static func remedy(_ error: LinkError) -> DoctorReport.Remedy {
        switch error {
        case .controllerBusy: .init("Stop what uses it", "systemctl mask --now bluetooth")
        case .controllerTaken: .init("Stop the gate or whatever has it", "systemctl stop gatehouse")
        case .notPermitted: .init("Run as root, or with AmbientCapabilities=CAP_NET_ADMIN in the unit", "systemctl edit gatehouse")
        case .radioBlocked(hard: false): .init("Unblock it", "rfkill unblock bluetooth")
        case .radioBlocked(hard: true): .init("Turn the switch on the case, then look", "rfkill list bluetooth")
        case .noBluetoothInKernel: .init("Load it, or name another link with --hci", "modprobe bluetooth")
        case .noSuchController, .unplugged: .init("Look which there are", "ls /sys/class/bluetooth")
        case .controllerFailed: .init("Its driver says why", "dmesg | grep -i bluetooth")
        case .notFound, .refused, .timedOut, .badAddress, .unsupportedSpeed:
            .init("Name the link as it is", "gatehouse doctor --hci hci:0")
        case .ended, .lostFraming, .truncatedPacket, .badPacket, .writePending, .notOpen, .system:
            .init("Look what the kernel says, and try again", "dmesg | tail")
        }
    }
}

/// The assigned numbers an engineer meets most (Bluetooth Assigned Numbers 2.1 and 7.1).
enum ControllerNames {
    /// HCI_Version, for example "5.2 (0x0B)".
    static func version(_ number: UInt8) -> String {
        let names = ["1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0", "6.1"]
        let name = Int(number) < names.count ? names[Int(number)] : "newer than this program"
        return "\(name) (0x\(hexadecimal(UInt64(number), digits: 2)))"
    }

    /// The company, for example "15 (Broadcom)".
    static func manufacturer(_ number: UInt16) -> String {
        let name: String? =
            switch number {
            case 2: "Intel"
            case 10: "CSR"
            case 13: "Texas Instruments"
            case 15: "Broadcom"
            case 29: "Qualcomm"
            case 70: "MediaTek"
            case 89: "Nordic Semiconductor"
            case 93: "Realtek"
            case 305: "Cypress"
            case 1521: "Linux Foundation"
            default: nil
            }
        return "\(number)" + (name.map { " (\($0))" } ?? "")
    }

    static func address(_ address: DeviceAddress) -> String {
        (0..<6).reversed().map { hexadecimal(UInt64(address.octet($0)), digits: 2) }.joined(separator: ":")
    }

    /// Addresses that many controllers have: nobody gave this one its own.
    static func isDefault(_ address: DeviceAddress) -> Bool {
        switch address.value {
        case 0, 0xFFFF_FFFF_FFFF, 0xAAAA_AAAA_AAAA, 0x4343_A112_1FAC, 0x4345_C000_1FAC, 0x4345_C500_0000, 0x4343_0000_0000,
            0x0020_7002_A000,
            0x2076_A000_5679, 0x4324_B300_0000, 0x4330_B100_0000, 0x4334_B000_0000, 0x4334_1B00_0000, 0x4335_4300_0000:
            true
        default: false
        }
    }

    static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Bits of the LE feature set (Core Vol 6 Part B 4.6).
    static let features: [(bit: UInt64, name: String)] = [
        (0, "LE encryption"), (1, "connection parameters request"), (2, "extended reject"), (3, "peripheral-initiated features exchange"),
        (4, "LE ping"),
        (5, "data length extension"), (6, "LL privacy"), (8, "2M PHY"), (11, "coded PHY"), (12, "extended advertising"),
        (13, "periodic advertising"),
        (14, "channel selection algorithm 2"),
    ]
}

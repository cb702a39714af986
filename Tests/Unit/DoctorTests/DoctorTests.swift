import Bluetooth
import BoardTestSupport
import Devices
import Foundation
import Linux
import Testing

@testable import Doctor

private typealias Section = DoctorReport.Section
private typealias Row = DoctorReport.Row

private extension DoctorReport.Section {
    subscript(_ name: String) -> DoctorReport.Row? { rows.first { $0.name == name } }
    var troubles: [DoctorReport.Row] { rows.filter { $0.state == .trouble } }
}

/// Copies of system folders, filled by a test.
private final class Fixture {
    let stage = Stage()
    var folders: SystemFolders { SystemFolders(proc: stage.path("proc"), sys: stage.path("sys"), dev: stage.path("dev")) }

    func write(_ path: String, _ text: String) throws {
        let file = stage.path(path)
        try FileManager.default.createDirectory(atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: false, encoding: .utf8)
    }

    func link(_ path: String, to target: String) throws {
        let file = stage.path(path)
        try FileManager.default.createDirectory(atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
    }
}

// MARK: kernel

private func kernel(_ fixture: Fixture, hasBluetooth: Bool = true, isUp: Bool? = nil, users: [String] = []) -> Section {
    KernelSection(folders: fixture.folders, hasBluetooth: hasBluetooth, isUp: { _ in isUp }, users: { users }).examine()
}

@Test("a kernel without anything is described, and is no trouble of its own")
func bareKernel() {
    let section = kernel(Fixture(), hasBluetooth: false)
    #expect(section.troubles == [])
    #expect(section["release"]?.value == "unknown")
    #expect(section["AF_BLUETOOTH"]?.state == .note && section["AF_BLUETOOTH"]?.remedy?.command == "modprobe bluetooth")
    #expect(section["controllers"]?.value == "none" && section["bluetoothd"]?.value == "not running")
}

@Test("controllers, switches and their holders are listed")
func fullKernel() throws {
    let fixture = Fixture()
    try fixture.write("proc/sys/kernel/osrelease", "6.12.0-test\n")
    try fixture.write("proc/412/comm", "bluetoothd\n")
    try fixture.write("proc/413/comm", "bluetoothd-not\n")
    try fixture.write("proc/self/comm", "bluetoothd\n")
    try fixture.link("sys/class/bluetooth/hci0/device/subsystem", to: "../../../bus/serial")
    try fixture.link("sys/class/bluetooth/hci0/device/driver", to: "../../drivers/hci_uart_bcm")
    try fixture.write("sys/class/bluetooth/hci10/uevent", "")
    try fixture.write("sys/class/bluetooth/hci0:64/uevent", "")
    for (index, type, name, soft, hard) in [
        (0, "bluetooth", "hci0", "1", "0"), (1, "bluetooth", "platform", "0", "1"), (2, "wlan", "phy0", "1", "0"),
        (3, "bluetooth", "hci10", "0", "0"), (4, "bluetooth", "hci11", "", ""),
    ] {
        for (file, text) in [("type", type), ("name", name), ("soft", soft), ("hard", hard)] {
            try fixture.write("sys/class/rfkill/rfkill\(index)/\(file)", text + "\n")
        }
    }
    let section = kernel(fixture, isUp: true, users: ["btmgmt (77)"])
    #expect(section["release"]?.value == "6.12.0-test")
    #expect(section["hci0"]?.value == "on serial, driver hci_uart_bcm, up")
    #expect(section["hci10"]?.value == "on virtual, up")
    #expect(section.rows.map(\.name).filter { $0.hasPrefix("hci") } == ["hci0", "hci10"])
    #expect(section["rfkill hci0"]?.remedy?.command == "rfkill unblock 0")
    #expect(section["rfkill platform"]?.remedy?.command == "rfkill list 1")
    #expect(section["rfkill phy0"] == nil)
    #expect(section["rfkill hci10"]?.state == .ok)
    #expect(section["rfkill hci11"]?.state == .note)
    #expect(section["Bluetooth sockets of others"]?.value == "btmgmt (77)")
    #expect(
        section["bluetoothd"]?.value.contains("(412)") == true && section["bluetoothd"]?.remedy?.command == "systemctl mask --now bluetooth"
    )
    #expect(section.troubles == [])
}

// MARK: process

private func process(_ status: String?, limits: String = "", needsController: Bool = true, fixture: Fixture = Fixture()) throws -> Section {
    if let status { try fixture.write("proc/self/status", status) }
    try fixture.write("proc/self/limits", limits)
    return ProcessSection(folders: fixture.folders, landlock: 4).examine(needsController: needsController)
}

private func status(effective: String) -> String {
    "Name:\tgatehouse\nUid:\t990\t991\t990\t990\nGid:\t980\t981\t980\t980\nGroups:\t44 997 \nCapPrm:\t\(effective)\nCapEff:\t\(effective)\nCapBnd:\t000001ffffffffff\nNoNewPrivs:\t1\nSeccomp:\t2\n"
}

@Test("what the process may do is told by name")
func processFacts() throws {
    let fixture = Fixture()
    try fixture.write("proc/self/cgroup", "0::/system.slice/gatehouse.service\n")
    try fixture.write("sys/fs/cgroup/system.slice/gatehouse.service/memory.max", "67108864\n")
    let limits =
        "Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 4096                 files\nMax address space         unlimited            unlimited            bytes\n"
    let section = try process(status(effective: "0000000000001000"), limits: limits, fixture: fixture)
    #expect(section["user"]?.value == "991, group 981, also 44 997")
    #expect(section["effective capabilities"]?.value == "CAP_NET_ADMIN" && section["bounding capabilities"]?.value == "41 of them")
    #expect(section["CAP_NET_ADMIN"]?.value == "yes" && section["surplus capabilities"] == nil)
    #expect(section["no_new_privs"]?.value == "yes" && section["seccomp"]?.value == "filter" && section["Landlock"]?.value == "version 4")
    #expect(section["memory limit"]?.value == "67108864 octets for its control group, address space unlimited")
    #expect(section["open file limit"]?.value == "1024")
}

@Test(
    "capabilities that are missing or too many are noted",
    arguments: [
        ("0000000000000000", true, DoctorReport.State.note, nil), ("0000000000000000", false, .ok, nil),
        ("0000000000001000", false, .ok, "CAP_NET_ADMIN"),
        ("0000000002001001", true, .ok, "CAP_CHOWN CAP_SYS_TIME"), ("000001ffffffffff", true, .ok, "40 of them"),
        ("8000000000001000", true, .ok, "63"),
    ] as [(String, Bool, DoctorReport.State, String?)])
func capabilities(effective: String, needsController: Bool, state: DoctorReport.State, surplus: String?) throws {
    let section = try process(status(effective: effective), needsController: needsController)
    #expect(section["CAP_NET_ADMIN"]?.state == state)
    #expect(section["surplus capabilities"]?.value == surplus)
    #expect(section.rows.allSatisfy { $0.state == .ok || $0.remedy != nil })
}

@Test(
    "a proc folder that is not there, or says nonsense, is survived",
    arguments: [nil, "", "CapEff:\nUid:\nSeccomp:\tx\n", "CapEff:\txyz\n\u{0}\n:::\n"] as [String?])
func strangeStatus(text: String?) throws {
    let section = try process(text)
    #expect(section.troubles == [])
    if text == nil { #expect(section["status"]?.state == .note) } else { #expect(section["effective capabilities"]?.value == "unknown") }
}

// MARK: controller

private func report(
    version: UInt8 = 0x0B, leFeatures: UInt64 = 0x120, commands: [(octet: Int, bit: Int)] = [],
    results: [BringUp.Step: BringUp.Result] = [:],
    dataLength: Int = 251, address: UInt64 = 0x0011_2233_4455, fault: ControllerFault? = nil
) -> Section {
    var controller = Controller()
    controller.version = version
    controller.manufacturer = 305
    controller.subversion = 0x2A0
    controller.leFeatures = leFeatures
    controller.dataLength = dataLength
    controller.dataPackets = 8
    controller.address = DeviceAddress(value: address)
    for (octet, bit) in commands { controller.commands[octet] |= 1 << UInt8(bit) }
    let steps = (0..<UInt8(BringUp.Step.count)).compactMap { BringUp.Step(rawValue: $0) }.map { ($0, results[$0] ?? .done(.success)) }
    return ControllerSection.section(BringUpReport(controller, steps: steps, fault: fault))
}

@Test("a controller is described by names")
func controllerNames() {
    let section = report(commands: [(33, 6), (35, 6)])
    #expect(
        section["HCI version"]?.value == "5.2 (0x0B)" && section["manufacturer"]?.value == "305 (Cypress)"
            && section["subversion"]?.value == "0x02A0")
    #expect(section["address"] == Row(name: "address", value: "00:11:22:33:44:55", state: .ok))
    #expect(section["data length extension"]?.value == "yes" && section["2M PHY"]?.value == "yes" && section["coded PHY"]?.value == "no")
    #expect(section["LE ACL"] == Row(name: "LE ACL", value: "251 octets x 8", state: .ok))
    #expect(section["dropped packets"]?.value == "none")
    #expect(section.rows.allSatisfy { $0.state == .ok })
}

@Test(
    "versions and makers that have no name keep their number",
    arguments: [(6, "4.0 (0x06)"), (0, "1.0b (0x00)"), (0xFF, "newer than this program (0xFF)")] as [(UInt8, String)])
func unknownVersion(number: UInt8, text: String) {
    #expect(ControllerNames.version(number) == text)
    #expect(ControllerNames.manufacturer(0xFFFF) == "65535")
    #expect([2, 10, 13, 15, 29, 70, 89, 93, 305, 1521].allSatisfy { ControllerNames.manufacturer($0).contains("(") })
}

@Test("what a controller lacks is noted with what follows from it")
func poorController() {
    let section = report(
        leFeatures: 0,
        results: [
            .leFeatures: .skipped, .address: .skipped, .suggestedDataLength: .skipped, .defaultPHY: .skipped, .leHostSupport: .skipped,
        ],
        dataLength: 27, address: 0)
    #expect(section["without LE Read Local Supported Features"]?.value.contains("several times as long") == true)
    #expect(section["without Read BD_ADDR"]?.state == .note)
    // Nothing follows where the feature itself is missing.
    #expect(section["without LE Set Default PHY"] == nil && section["without LE Set PHY"] == nil)
    #expect(section["LE ACL"]?.state == .note && section["address"]?.state == .note)
    #expect(section.troubles == [])
    let able = report(results: [.defaultPHY: .skipped, .suggestedDataLength: .done(HCIStatus(rawValue: 1))])
    for name in [
        "without LE Set Default PHY", "without LE Write Suggested Default Data Length", "without LE Set PHY", "without LE Set Data Length",
    ] {
        #expect(able[name]?.state == .note, "\(name)")
    }
}

@Test("a controller that does not come up is one trouble, and nothing is said that it did not say")
func brokenController() throws {
    let section = report(results: [.version: .timedOut, .commands: .pending], fault: .commandTimeout(.readLocalVersion))
    #expect(section.troubles.map(\.code) == ["controller-no-answer"])
    #expect(section["HCI version"] == nil && section["LE ACL"] == nil)
    #expect(section[BringUp.row(.version).name.description]?.value == "no answer")
}

@Test("every reason that a link does not open has a code and a command")
func linkTroubles() {
    let errors: [LinkError] = [
        .noBluetoothInKernel, .notPermitted, .noSuchController, .controllerBusy, .controllerTaken, .radioBlocked(hard: true),
        .radioBlocked(hard: false),
        .controllerFailed(errno: 5), .notFound, .refused, .timedOut, .unsupportedSpeed(1), .badAddress, .unplugged, .ended,
        .system(.bind, errno: 22),
    ]
    let rows = errors.flatMap { ControllerSection.section($0).rows }
    #expect(rows.count == errors.count)
    #expect(rows.allSatisfy { $0.state == .trouble && $0.remedy?.command.isEmpty == false })
    #expect(Set(rows.compactMap(\.code)).count == errors.count)
    #expect(ControllerSection.section(.radioBlocked(hard: false)).rows.first?.remedy?.command == "rfkill unblock bluetooth")
}

@Test("a controller nobody can reach")
func absentController() {
    let stage = Stage()
    #expect(ControllerSection.examine(.unix(path: stage.path("air"))).troubles.map(\.code) == ["controller-link-not-found"])
}

// MARK: lights, screen, profile

@Test("lamps are listed with their lines, and a chip that is missing is a trouble")
func lampLines() throws {
    let section = LightsSection.examine(
        try LightsMoniker("gpio:gpiochip0/accept=17,reject=LED,ready=22,active-low"), folders: Fixture().folders)
    #expect(section["accept"]?.value == "gpiochip0 line 17, active low" && section["reject"]?.value == "gpiochip0 line LED, active low")
    #expect(section["busy"]?.value == "not fitted" && section["fault"]?.value == "not fitted")
    #expect(section.troubles.map(\.code) == ["lights-no-chip"] && section.troubles.first?.remedy?.command == "gpiodetect")
    let log = LightsSection.examine(.log)
    #expect(log.summary == "ready busy accept reject fault look" && log.rows == [])
}

@Test("a line's name and consumer are read from what the kernel says of it")
func lineInformation() {
    func information(_ name: String, _ consumer: String, flags: UInt8) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: 256)
        octets.replaceSubrange(0..<name.utf8.count, with: name.utf8)
        octets.replaceSubrange(32..<(32 + consumer.utf8.count), with: consumer.utf8)
        octets[64] = 17
        octets[65] = 1
        octets[72] = flags
        return octets
    }
    let free = GPIOChip.Line(information("GPIO17", "", flags: 4))
    #expect(free?.offset == 273 && free?.name == "GPIO17" && free?.consumer == nil)
    #expect(GPIOChip.Line(information("", "spi0 CS0", flags: 1))?.consumer == "spi0 CS0")
    #expect(GPIOChip.Line(information("", "", flags: 1))?.consumer == "the kernel")
    // Names without an end.
    #expect(GPIOChip.Line([UInt8](repeating: 0x41, count: 256))?.name.count == 32)
    #expect(GPIOChip.Line([]) == nil && GPIOChip.Line([UInt8](repeating: 0, count: 255)) == nil)
    #expect(GPIOChip("gpiochip0", in: "/nowhere") == nil && GPIOChip("/dev/null", in: "/dev") == nil)
}

@Test(
    "a screen says how large a module of the code is on it",
    arguments: [
        (1920, 1080, DoctorReport.State.ok), (240, 240, .ok), (160, 160, .note), (128, 128, .trouble), (64, 64, .trouble),
        (16, 16, .trouble),
    ])
func screenSizes(width: Int, height: Int, state: DoctorReport.State) throws {
    var section = Section("screen")
    let geometry = try #require(FramebufferGeometry(width: width, height: height, stride: width * 2, bitsPerPixel: 16))
    ScreenSection.describe(geometry, in: &section)
    #expect(section["geometry"]?.value == "\(width) x \(height)" && section["depth"]?.value == "16 bits")
    let row = try #require(section.rows.last)
    #expect(
        row.state == state && row.value.contains("\(geometry.module(ofModules: ScreenSection.codeSide + 8, view: ScreenView())) pixels"))
    #expect(state == .ok || row.remedy != nil)
    #expect(section.troubles.allSatisfy { $0.code == "screen-too-small" })
}

@Test("the code for the longest name is measured, not guessed")
func longestCode() throws {
    #expect(ScreenSection.codeSide == 45)
    #expect(ScreenSection.examine(.terminal).summary == "no framebuffer")
    let words = ScreenSection.examine(.terminal, words: ["the screen lacks words: fr"])
    #expect(words.rows.map(\.name) == ["words"] && words.rows.first?.state == .note && words.rows.first?.remedy != nil)
    #expect(ScreenSection.examine(.framebuffer(path: "/nowhere")).troubles.map(\.code) == ["screen-not-found"])
}

@Test("a profile says what it leaves out")
func profileSection() throws {
    let profile = try BoardProfile(parsing: Array(#"{"name":"x","hci":"hci:0","lights":"log:","screen":"none:","face":"off"}"#.utf8))
    let section = ProfileSection.examine(profile)
    #expect(section.summary == "x" && section.rows.allSatisfy { $0.value.hasPrefix("absent") } && section.rows.count == 2)
    #expect(ProfileSection.examine(nil).rows == [])
}

// MARK: clock, space, audit

@Test("a clock that is in the past or behind is a trouble each")
func clocks() {
    let good = ClockSection.examine(1_800_000_000, trusted: nil, isSynchronised: true)
    #expect(good.troubles == [] && good.summary == "2027-01-15T08:00:00Z" && good["synchronised"]?.value == "yes")
    #expect(ClockSection.examine(1_767_225_599, trusted: nil, isSynchronised: nil).troubles.map(\.code) == ["clock-past"])
    let behind = ClockSection.examine(1_800_000_000, trusted: (.unsure(atLeast: 1_800_000_001), .reject), isSynchronised: false)
    #expect(behind.troubles.map(\.code) == ["clock-behind"] && behind.troubles.first?.value.hasSuffix("rejected meanwhile") == true)
    #expect(behind["synchronised"]?.state == .note)
    #expect(ClockSection.examine(1_800_000_000, trusted: (.sure(1), .reject), isSynchronised: true).troubles == [])
    #expect(ClockSection.examine(0, trusted: (.unsure(atLeast: 1), .accept), isSynchronised: true).troubles.count == 2)
}

@Test(
    "space that runs out is noted, then a trouble",
    arguments: [
        (128 << 20, nil, DoctorReport.State.ok, nil), (128 << 20 - 1, nil, .note, nil), (16 << 20, 1024, .note, nil),
        (16 << 20 - 1, nil, .trouble, "space-low"),
        (0, 0, .trouble, "space-low"), (1 << 40, 1024, .ok, nil), (1 << 40, 1023, .note, nil), (1 << 40, 15, .trouble, "files-low"),
    ] as [(UInt64, UInt64?, DoctorReport.State, String?)])
func space(octets: UInt64, files: UInt64?, state: DoctorReport.State, code: String?) {
    let section = SpaceSection.examine([("data", "/a b")]) { _ in .init(octets: octets, files: files) }
    #expect(section.rows.map(\.state) == [state] && section.rows.map(\.code) == [code])
    #expect(state == .ok || section.rows[0].remedy != nil)
}

@Test("space is measured where a folder is not there yet")
func spaceOfAbsentFolders() throws {
    let stage = Stage()
    let there = try #require(SpaceSection.measure(stage.folder))
    #expect(there.octets > 0)
    for path in [stage.path("a/b/c"), "/no/such", "nowhere", "", "/"] { #expect(SpaceSection.measure(path) != nil, "\(path)") }
    #expect(SpaceSection.measure(String(repeating: "a", count: 5000)) == nil)
    #expect(SpaceSection.examine([("data", "/x")]) { _ in nil }["data folder"]?.state == .note)
}

@Test("a path is one word of a command")
func wordsOfCommands() {
    #expect(DoctorReport.Remedy.word("/var/lib/gatehouse") == "/var/lib/gatehouse")
    #expect(DoctorReport.Remedy.word("a b; rm 'x'") == #"'a b; rm '\''x'\'''"#)
    #expect(DoctorReport.Remedy.word("") == "''")
    #expect(AuditSection.examine("/no such/log").summary == "none yet at /no such/log")
}

@Test("every trouble of a report has a code and a remedy")
func troublesAreWhole() {
    let sections = [
        ControllerSection.section(.notPermitted), TrustSection.unusable("x", folder: "a b"),
        ClockSection.examine(0, trusted: nil, isSynchronised: nil),
        SpaceSection.examine([("data", "/")]) { _ in .init(octets: 0, files: nil) }, LightsSection.examine(.log),
    ]
    let report = DoctorReport(sections)
    #expect(report.troubles.count == 4)
    #expect(report.troubles.allSatisfy { $0.code != nil && $0.remedy != nil })
    #expect(report.troubles[1].remedy?.command.hasSuffix("--into 'a b'") == true)
}

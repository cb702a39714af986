import BoardTestSupport
import Glibc
import Linux
import Testing

@testable import Doctor

/// What is said of the reader at a panel: nothing where there is none, and each thing that keeps it from working.
@Suite struct PanelSectionTests {
    private let stage = Stage()
    private static let options = "OSDP_OPTIONS=--line /dev/null --card accepted=17:4711\n"
    private static let key = "00112233445566778899aabbccddeeff"

    private func section(_ account: PanelSection.Account? = .init(user: getuid(), groups: [])) -> DoctorReport.Section {
        PanelSection(
            settings: stage.path("osdp"), state: stage.folder, folders: SystemFolders(sys: stage.path("sys")), account: account
        ).examine()
    }

    private func code(_ section: DoctorReport.Section, _ row: String) -> String? { section.rows.first { $0.name == row }?.code }
    private func row(_ section: DoctorReport.Section, _ name: String) -> DoctorReport.Row? { section.rows.first { $0.name == name } }

    /// The units that have processes, as the kernel says it.
    private func run(_ units: String...) throws {
        let slice = "sys/fs/cgroup/system.slice"
        var parent = stage.folder
        for name in slice.split(separator: "/").map(String.init) {
            try? File.makeFolder(name, in: parent)
            parent += "/" + name
        }
        for unit in ["gatehouse-osdp", "gatehouse-osdp-install"] {
            try? File.makeFolder(unit + ".service", in: parent)
            let text = "populated \(units.contains(unit) ? 1 : 0)\nfrozen 0\n"
            try stage.put(Array(text.utf8), "\(slice)/\(unit).service/cgroup.events")
        }
    }

    private func put(key: String?, mode: mode_t = 0o600) throws {
        try? stage.remove("key")
        guard let key else { return }
        try stage.put(Array(key.utf8), "key")
        #expect(chmod(stage.path("key"), mode) == 0)
    }

    @Test func nothingIsSaidWhereNothingIsSet() {
        #expect(section().rows.isEmpty && section().summary?.hasPrefix("not set up") == true)
    }

    @Test func allIsWell() throws {
        try stage.put(Array(Self.options.utf8), "osdp")
        try put(key: Self.key + "\n")
        try run("gatehouse-osdp")
        let section = section()
        #expect(
            section.rows.allSatisfy { $0.state == .ok }
                && section.rows.map(\.name) == ["line", "address", "key", "install mode", "process"])
        #expect(row(section, "install mode")?.value == "off" && row(section, "address")?.value.contains("address 0, 9600") == true)
        // Neither the key nor a card's number is anywhere in it.
        let said = "\(section)"
        #expect(!said.contains("aabb") && !said.contains("4711") && !said.contains("17:"))
    }

    @Test func whatKeepsTheKeyFromBeingOne() throws {
        try stage.put(Array(Self.options.utf8), "osdp")
        try run("gatehouse-osdp")
        #expect(code(section(), "key") == "panel-key-missing")
        for damaged in ["", Self.key, Self.key + "\n\n", Self.key.uppercased() + "\n", String(repeating: "x", count: 32) + "\n"] {
            try put(key: damaged)
            #expect(code(section(), "key") == "panel-key-damaged", "\(damaged)")
        }
        try put(key: Self.key + "\n", mode: 0o640)
        #expect(code(section(), "key") == "panel-key-open")
        try put(key: Self.key + "\n")
        #expect(code(section(.init(user: getuid() + 1, groups: [])), "key") == "panel-key-unreadable")
        #expect(code(section(), "key") == nil)
        try put(key: nil)
        #expect(symlink("/etc/passwd", stage.path("key")) == 0 && code(section(), "key") == "panel-key-unreadable")
    }

    @Test func theProcesses() throws {
        try stage.put(Array(Self.options.utf8), "osdp")
        try put(key: Self.key + "\n")
        #expect(row(section(), "process")?.state == .note)
        try run()
        #expect(code(section(), "process") == "panel-stopped" && row(section(), "install mode")?.value == "off")
        try run("gatehouse-osdp-install")
        #expect(row(section(), "install mode")?.state == .note && row(section(), "process")?.state == .ok)
        // Without a key it does not run, which the row of the key says.
        try put(key: nil)
        try run()
        #expect(section().rows.compactMap(\.code) == ["panel-key-missing"])
    }

    @Test func theLineIsADeviceThatItMayOpen() throws {
        try run("gatehouse-osdp")
        try put(key: Self.key + "\n")
        func line(_ path: String, _ account: PanelSection.Account = .init(user: getuid(), groups: [])) throws -> String? {
            try stage.put(Array("OSDP_OPTIONS=\"--card accepted=1:2 --line \(path)\"\n".utf8), "osdp")
            return code(section(account), "line")
        }
        #expect(try line("/dev/null") == nil)
        #expect(try line("/dev/ttyNONE") == "panel-line")
        #expect(try line(stage.folder) == "panel-line")
        var far: Int32 = -1, near: Int32 = -1
        #expect(openpty(&far, &near, nil, nil, nil) == 0)
        defer { for end in [far, near] { close(end) } }
        let path = String(cString: try #require(ttyname(near)))
        var facts = Glibc.stat()
        #expect(stat(path, &facts) == 0 && chmod(path, 0o660) == 0)
        #expect(try line(path, .init(user: facts.st_uid, groups: [])) == nil)
        #expect(try line(path, .init(user: facts.st_uid + 1, groups: [facts.st_gid])) == nil)
        #expect(try line(path, .init(user: facts.st_uid + 1, groups: [facts.st_gid + 1])) == "panel-line")
        #expect(section(nil).rows.map(\.code) == ["panel-user"])
    }

    @Test func whatAPanelHasSetComesFirst() throws {
        try stage.put(Array(Self.options.utf8), "osdp")
        try stage.put(Array("address 7 rate 38400\n".utf8), "line")
        #expect(row(section(), "address")?.value == "address 7, 38400 baud, which a panel has set")
        for damaged in ["address 127 rate 9600\n", "address 1 rate 1200\n", "nothing\n", ""] {
            try stage.put(Array(damaged.utf8), "line")
            #expect(row(section(), "address")?.state == .note, "\(damaged)")
        }
    }

    @Test func optionsAreReadAsTheProgramReadsThem() throws {
        func settings(_ options: String) throws(PanelSettings.Obstacle) -> PanelSettings {
            try PanelSettings(parsing: "OSDP_OPTIONS=\(options)")
        }
        let least = "--line /dev/a --card accepted=1:2"
        #expect(try settings(least).line == "/dev/a" && settings(least).cards.keys.sorted() == ["accepted"])
        #expect(try settings("'--line=/dev/a --card=accepted=0x11:010 --rate 38400 --addr 12' ").address == 12)
        #expect(try settings(least + " --bits 34 --card holder=65535:65535 --card rejected=0:0").cards.count == 3)
        #expect(try PanelSettings(parsing: "# x\nOSDP_OPTIONS=--line /a \\\n --card accepted=1:2\nOTHER=--install\n").line == "/a")
        #expect(try PanelSettings(parsing: "OSDP_OPTIONS=--install\nOSDP_OPTIONS=\(least)").line == "/dev/a")
        #expect(throws: PanelSettings.Obstacle.noOptions) { _ = try PanelSettings(parsing: "OPTIONS=\(least)\n") }
        #expect(throws: PanelSettings.Obstacle.installs) { _ = try settings(least + " --install") }
        let refused: [(String, PanelSettings.Obstacle)] = [
            ("", .missing("--line")), ("--line /a", .missing("--card accepted=")),
            ("--line /a --card holder=1:2", .missing("--card accepted=")),
            (least + " --nothing 3", .unknown("--nothing")), (least + " word", .unknown("word")), (least + " --in", .unknown("--in")),
            (least + " --rate", .withoutValue("--rate")), (least + " --rate 9601", .unusable("--rate")),
            (least + " --rate -1", .unusable("--rate")),
            (least + " --address 127", .unusable("--address")), (least + " --bits 30", .unusable("--bits")),
            (least + " --card holder=256:1", .unusable("--card")), (least + " --card holder=1", .unusable("--card")),
            (least + " --card other=1:1", .unusable("--card")), (least + " --card holder=1:65536", .unusable("--card")),
            (least + " --confine no", .unusable("--confine")), (least + " --priority 100", .unusable("--priority")),
        ]
        for (options, obstacle) in refused {
            #expect(throws: obstacle, "\(options)") { _ = try settings(options) }
        }
    }
}

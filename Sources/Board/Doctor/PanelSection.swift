import Appliance
import Glibc
import Linux

/// The reader at an access-control panel (`gatehouse-osdp`): whether it is set up, its line, its key and its processes. The key is looked
/// at and never said; how the panel is, the process says to systemd alone.
public struct PanelSection {
    /// Who opens the line and keeps the key.
    struct Account: Hashable {
        let user: uid_t
        let groups: [gid_t]
    }

    /// Of the options, and of the folder with the key.
    private let settings: String
    private let state: String
    private let folders: SystemFolders
    /// nil where there is no such user.
    private let account: Account?

    static let user = "gatehouse-osdp"
    private static let unit = "gatehouse-osdp", installUnit = "gatehouse-osdp-install"

    public init(settings: String, state: String) {
        self.init(settings: settings, state: state, folders: SystemFolders(), account: Self.account())
    }

    init(settings: String, state: String, folders: SystemFolders, account: Account?) {
        (self.settings, self.state, self.folders, self.account) = (settings, state, folders, account)
    }

    /// With the group of serial lines, which the units give it.
    private static func account() -> Account? {
        guard let user = try? User(named: user) else { return nil }
        return Account(user: user.id, groups: user.groups + (Group.id(named: "dialout").map { [$0] } ?? []))
    }

    public func examine() -> DoctorReport.Section {
        var section = DoctorReport.Section("panel")
        guard access(settings, F_OK) == 0 else {
            section.summary = "not set up: no settings in \(settings)"
            return section
        }
        let found: PanelSettings
        do throws(PanelSettings.Obstacle) {
            guard let text = SystemFolders.text(settings) else {
                section.note("settings", "\(settings) cannot be read", .init("Ask as root", "sudo gatehouse doctor"))
                return section
            }
            found = try PanelSettings(parsing: text)
        } catch {
            section.trouble(
                "settings", "panel-settings", "\(settings): \(error.sentence)",
                .init("Correct it", "\(Self.unit) --help; $EDITOR \(DoctorReport.Remedy.word(settings))"))
            return section
        }
        let cards = found.cards.keys.sorted().joined(separator: ", ")
        section.summary = "a reader at \(found.line), with cards of \(found.bits) bits for: \(cards)"
        if !found.isConfined {
            section.note("settings", "--confine as-possible: it runs also where it cannot be confined", .init("Look at why", "uname -r"))
        }
        guard let account else {
            section.trouble(
                "user", "panel-user", "there is no user \(Self.user)", .init("Make it", "useradd --system --user-group \(Self.user)"))
            return section
        }
        examineLine(found, account, in: &section)
        let state = found.state ?? self.state
        examineAddress(found, state, in: &section)
        let hasKey = examineKey(state, account, in: &section)
        examineProcesses(hasKey: hasKey, in: &section)
        return section
    }

    // MARK: the line

    private func examineLine(_ found: PanelSettings, _ account: Account, in section: inout DoctorReport.Section) {
        let word = DoctorReport.Remedy.word(found.line), look = DoctorReport.Remedy("Look at it", "ls -lL \(word)")
        var facts = Glibc.stat()
        guard stat(found.line, &facts) == 0 else {
            let overlay = DoctorReport.Remedy("A device tree's overlay makes it, or a converter that is plugged in", "ls -l \(word)")
            return section.trouble("line", "panel-line", "\(found.line) is not there (\(systemCause(errno)))", overlay)
        }
        guard facts.st_mode & S_IFMT == S_IFCHR else {
            return section.trouble("line", "panel-line", "\(found.line) is no device", look)
        }
        guard account.mayReadAndWrite(facts) else {
            return section.trouble(
                "line", "panel-line", "\(found.line) is not \(Self.user)'s to open, nor its groups'",
                .init("Give it to the group of serial lines", "chgrp dialout \(word) && chmod 660 \(word)"))
        }
        section.add("line", "\(found.line) is there, and \(Self.user) may open it")
    }

    /// What a panel has set comes before the options.
    private func examineAddress(_ found: PanelSettings, _ state: String, in section: inout DoctorReport.Section) {
        let asked = "address \(found.address), \(found.rate) baud"
        let path = state + "/line"
        guard access(path, F_OK) == 0 else { return section.add("address", asked + ", until a panel sets others") }
        let words = SystemFolders.text(path)?.split(separator: "\n").first?.split(separator: " ") ?? []
        guard words.count == 4, words[0] == "address", words[2] == "rate", let address = UInt64(words[1]), address <= 126,
            let rate = UInt64(words[3]), PanelSettings.rates.contains(rate)
        else {
            return section.note(
                "address", "what a panel set before cannot be read: \(asked)",
                .init("Have the panel set it again", "rm \(DoctorReport.Remedy.word(path))"))
        }
        section.add("address", "address \(address), \(rate) baud, which a panel has set")
    }

    // MARK: the key

    private static let keyDigits = 32

    /// - Returns: whether there is one that the device takes; nil where that cannot be told.
    private func examineKey(_ state: String, _ account: Account, in section: inout DoctorReport.Section) -> Bool? {
        let path = state + "/key", word = DoctorReport.Remedy.word(path)
        var facts = Glibc.stat()
        guard lstat(path, &facts) == 0 else {
            guard errno == ENOENT else {
                section.note("key", "\(path) cannot be looked at (\(systemCause(errno)))", .init("Ask as root", "sudo gatehouse doctor"))
                return nil
            }
            section.trouble("key", "panel-key-missing", "none is set: the device is off", Self.install)
            return false
        }
        // A link is never given to somebody: what it leads to would be theirs.
        guard facts.st_mode & S_IFMT == S_IFREG else {
            section.trouble(
                "key", "panel-key-unreadable", "\(path) is no file: the device is off",
                .init("Take it away, and set another", "rm -r \(word)"))
            return false
        }
        guard facts.st_uid == account.user else {
            section.trouble(
                "key", "panel-key-unreadable", "\(path) is no file of \(Self.user)'s: the device is off",
                .init("Give it back", "chown --no-dereference \(Self.user): \(word)"))
            return false
        }
        guard facts.st_mode & 0o077 == 0 else {
            section.trouble(
                "key", "panel-key-open", "others may read it: the device is off",
                .init("Set another, and close the file", "chmod 600 \(word)"))
            return false
        }
        guard let isWhole = Self.isKey(path) else {
            section.note("key", "\(path) cannot be read", .init("Ask as root", "sudo gatehouse doctor"))
            return nil
        }
        guard isWhole else {
            section.trouble("key", "panel-key-damaged", "its file is damaged: the device is off", Self.install)
            return false
        }
        section.add("key", "set")
        return true
    }

    private static var install: DoctorReport.Remedy {
        ProgramVersion().isImage
            ? .init("Set one from the panel in install mode: hold the panel button while the board starts (docs/osdp.md)", "reboot")
            : .init("Set one from the panel in install mode", "systemctl start \(installUnit)")
    }

    /// Whether a file is a key's, whose digits are forgotten; nil where it cannot be read.
    private static func isKey(_ path: String) -> Bool? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: keyDigits + 2, alignment: 1) { octets -> Bool? in
            defer { octets.baseAddress.map { explicit_bzero($0, octets.count) } }
            let count = read(descriptor, octets.baseAddress, octets.count)
            guard count >= 0 else { return nil }
            return count == keyDigits + 1 && octets[keyDigits] == 0x0A
                && octets[..<keyDigits].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }

    // MARK: the processes

    private func examineProcesses(hasKey: Bool?, in section: inout DoctorReport.Section) {
        guard access(folders.sys + "/fs/cgroup/system.slice", F_OK) == 0 else {
            return section.note("process", "there is no systemd to say whether it runs", .init("Look", "pgrep -a \(Self.unit)"))
        }
        let isInstalling = runs(Self.installUnit)
        if isInstalling {
            section.note(
                "install mode", "was begun: for ten minutes the panel on the line may set the key, whichever it is",
                .init("See whether it has (mode=secure)", "systemctl status \(Self.installUnit)"))
        } else {
            section.add("install mode", "off")
        }
        if isInstalling || runs(Self.unit) {
            let unit = isInstalling ? Self.installUnit : Self.unit
            section.add("process", "runs; whether the panel is there says systemctl status \(unit) (channel=up)")
        } else if hasKey != false {
            section.trouble(
                "process", "panel-stopped", "it does not run: the panel hears nothing", .init("Start it", "systemctl start \(Self.unit)"))
        }
    }

    /// Whether a unit has processes.
    private func runs(_ unit: String) -> Bool {
        let events = SystemFolders.text("\(folders.sys)/fs/cgroup/system.slice/\(unit).service/cgroup.events")
        return events?.split(separator: "\n").contains("populated 1") == true
    }
}

extension PanelSection.Account {
    func mayReadAndWrite(_ facts: Glibc.stat) -> Bool {
        if facts.st_uid == user { return facts.st_mode & 0o600 == 0o600 }
        return groups.contains(facts.st_gid) ? facts.st_mode & 0o060 == 0o060 : facts.st_mode & 0o006 == 0o006
    }
}

import Linux

/// What this process may do, and what holds it in.
public struct ProcessSection {
    public let folders: SystemFolders
    /// The version of Landlock; nil where the kernel has none.
    let landlock: Int?

    /// This process.
    public init() {
        let version = FileRules.version
        self.init(folders: SystemFolders(), landlock: version > 0 ? version : nil)
    }

    init(folders: SystemFolders, landlock: Int?) {
        self.folders = folders
        self.landlock = landlock
    }

    /// - Parameter needsController: the controller is the kernel's, which takes CAP_NET_ADMIN.
    public func examine(needsController: Bool) -> DoctorReport.Section {
        var section = DoctorReport.Section("process")
        guard let text = SystemFolders.text(folders.proc + "/self/status") else {
            section.note("status", "cannot be read", .init("Mount it", "mount -t proc proc /proc"))
            return section
        }
        let status = SystemFolders.members(of: text)
        section.add("user", Self.user(status))
        listCapabilities(status, needsController, &section)
        section.add("no_new_privs", status["NoNewPrivs"] == "1" ? "yes" : "no")
        section.add("seccomp", ["0": "off", "1": "strict", "2": "filter"][status["Seccomp"] ?? ""] ?? "unknown")
        section.add("Landlock", landlock.map { "version \($0)" } ?? "not in this kernel")
        section.add("memory limit", memoryLimit)
        section.add("open file limit", limit("Max open files"))
        return section
    }

    private static func user(_ status: [String: String]) -> String {
        // Real, effective, saved and file system ids.
        let ids = { (name: String) in (status[name] ?? "").split { $0 == "\t" || $0 == " " }.dropFirst().first.map(String.init) ?? "unknown"
        }
        let groups = (status["Groups"] ?? "").split(separator: " ").map(String.init)
        return "\(ids("Uid")), group \(ids("Gid")), also \(groups.isEmpty ? "none" : groups.joined(separator: " "))"
    }

    private func listCapabilities(_ status: [String: String], _ needsController: Bool, _ section: inout DoctorReport.Section) {
        for (name, member) in [("effective", "CapEff"), ("permitted", "CapPrm"), ("bounding", "CapBnd")] {
            section.add("\(name) capabilities", status[member].flatMap { Capabilities($0) }?.text ?? "unknown")
        }
        guard let effective = status["CapEff"].flatMap({ Capabilities($0) }) else { return }
        if effective.contains(.networkAdministration) {
            section.add("CAP_NET_ADMIN", "yes")
        } else if needsController {
            section.note("CAP_NET_ADMIN", "no", .init("Give it in the unit, AmbientCapabilities=CAP_NET_ADMIN", "systemctl edit gatehouse"))
        } else {
            section.add("CAP_NET_ADMIN", "no, not needed")
        }
        let surplus = needsController ? effective.subtracting(.networkAdministration) : effective
        if !surplus.isEmpty {
            section.note(
                "surplus capabilities", surplus.text,
                .init("A gate needs none of them, CapabilityBoundingSet=CAP_NET_ADMIN", "systemctl edit gatehouse"))
        }
    }

    /// Of the control group (version 2) and of the process, whichever is there.
    private var memoryLimit: String {
        let group = SystemFolders.text(folders.proc + "/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3)
        let own = limit("Max address space")
        if let group, let most = SystemFolders.line("\(folders.sys)/fs/cgroup\(group)/memory.max"), most != "max" {
            return "\(most) octets for its control group, address space \(own)"
        }
        return own == "unlimited" ? "none" : "address space \(own)"
    }

    /// The soft limit of a row of `/proc/self/limits`.
    private func limit(_ name: String) -> String {
        let rows = SystemFolders.text(folders.proc + "/self/limits")?.split(separator: "\n") ?? []
        guard let row = rows.first(where: { $0.hasPrefix(name + " ") }) else { return "unknown" }
        return row.dropFirst(name.count).split(separator: " ").first.map(String.init) ?? "unknown"
    }
}

/// Sets of capabilities as `/proc/PID/status` has them and as people read them (capabilities(7)).
extension Capabilities {
    /// Reads sixteen hexadecimal digits; nil where the text is something else.
    init?(_ text: String) {
        guard let mask = UInt64(text, radix: 16) else { return nil }
        self.init(rawValue: mask)
    }

    /// Names in the order of their numbers; a long list, such as root's, by how many there are.
    var text: String {
        if isEmpty { return "none" }
        let numbers = (0..<64).filter { rawValue >> UInt64($0) & 1 != 0 }
        if numbers.count > 12 { return "\(numbers.count) of them" }
        return numbers.map { $0 < Self.names.count ? "CAP_" + Self.names[$0] : "\($0)" }.joined(separator: " ")
    }

    private static let names = [
        "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "LINUX_IMMUTABLE",
        "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT",
        "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE",
        "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ",
        "PERFMON", "BPF", "CHECKPOINT_RESTORE",
    ]
}

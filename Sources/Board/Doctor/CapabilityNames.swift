import Linux

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

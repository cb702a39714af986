import Devices
import Glibc
import Linux

/// The system calls of a gate at work, as a trace of whole visits, faults and reloads shows them, with their siblings on other processors
/// and in other versions of the C library.
struct SystemCalls {
    let link: HCIMoniker
    let camera: CameraMoniker?
    /// A service manager is told how it goes.
    let isSupervised: Bool
    let hasGPIO: Bool
    let hasFramebuffer: Bool
    /// Landlock says which files may be written and made.
    let hasFileRules: Bool

    func apply() throws(ConfinementError) {
        let filter = try SystemCallFilter()
        for calls in [Self.files, Self.memory, Self.waiting, Self.process] { try filter.allow(calls) }
        try allowOpening(filter)
        try allowMemory(filter)
        try allowSockets(filter)
        try allowControl(filter)
        try allowCamera(filter)
        // Telling another process anything is not among the gate's affairs; ending itself is (abort).
        try filter.allow(["tgkill"], where: [.init(0, is: getpid())])
        try filter.allow(["prlimit64"], where: [.init(0, is: 0), .init(isNull: 2)])
        try filter.hide(["clone3"])
        try filter.kill(Self.hostile)
        for space in Self.namespaces { try filter.kill(["clone"], where: [.init(0, masked: space, is: space)]) }
        try filter.load()
    }

    // MARK: what anybody needs

    private static let files = [
        "read", "readv", "pread64", "write", "writev", "pwrite64", "lseek", "close", "stat", "lstat", "fstat", "newfstatat",
        "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "flock", "fsync", "fdatasync", "ftruncate",
        "fallocate", "statfs", "fstatfs",
        "fadvise64",
    ]
    private static let memory = ["brk", "munmap", "mremap", "madvise", "mincore"]
    /// Edges of a door's inputs need nothing more: libgpiod 1.6 has a descriptor for each line, which an epoll descriptor holds; 2.x polls
    /// its one; both read. A tone by PWM is `pwrite64` on files that are open.
    private static let waiting = [
        "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "timerfd_create", "timerfd_settime", "poll", "ppoll", "futex",
        "clock_gettime", "clock_getres",
        "gettimeofday",
        "clock_nanosleep", "nanosleep", "restart_syscall", "sched_yield", "recvfrom", "recvmsg",
    ]
    private static let process = [
        "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getrandom", "sysinfo", "sched_getaffinity", "rt_sigaction",
        "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "rseq", "set_robust_list", "exit", "exit_group",
    ]

    /// Without Landlock nothing can tell the data folder from another: then no file is made, removed or opened to be written, but a device
    /// the link, the lamps, the screen or the camera need. The audit log is open already; what is lost is the mark a reload would write.
    private func allowOpening(_ filter: borrowing SystemCallFilter) throws(ConfinementError) {
        if hasFileRules { return try filter.allow(["open", "openat", "rename", "renameat", "renameat2", "unlink", "unlinkat"]) }
        // With the bit that makes O_TMPFILE of O_DIRECTORY.
        let changing = UInt32(O_ACCMODE | O_CREAT | O_TRUNC | 0o20_000_000)
        var modes = [UInt32(O_RDONLY)]
        var hasDevice = false
        switch link {
        case .userChannel, .serial: hasDevice = true
        case .unix, .tcp: break
        }
        if case .video = camera { hasDevice = true }
        if hasGPIO || hasFramebuffer { hasDevice = true }
        if hasDevice { modes.append(UInt32(O_RDWR)) }
        for mode in modes {
            try filter.allow(["open"], where: [.init(1, masked: changing, is: mode)])
            try filter.allow(["openat"], where: [.init(2, masked: changing, is: mode)])
        }
    }

    private func allowMemory(_ filter: borrowing SystemCallFilter) throws(ConfinementError) {
        // Memory is data for good: nothing that came over the air can become code.
        try filter.allow(["mmap", "mprotect"], where: [.init(2, masked: UInt32(PROT_EXEC), is: 0)])
        for command in [F_GETFD, F_SETFD, F_GETFL] { try filter.allow(["fcntl"], where: [.init(1, is: command)]) }
    }

    // MARK: what the devices need

    private func allowSockets(_ filter: borrowing SystemCallFilter) throws(ConfinementError) {
        let stream = SocketType.stream
        switch link {
        case .userChannel:
            try allowSocket(filter, UserChannel.family, SocketType.raw, protocol: UserChannel.protocolNumber)
            try filter.allow(["bind"])
            // To raise the one capability there is.
            try filter.allow(["capget", "capset"])
        case .unix:
            try allowSocket(filter, AF_UNIX, stream)
            try filter.allow(["connect"])
        case .tcp(let host, _):
            try allowSocket(filter, host.utf8.contains(UInt8(ascii: ":")) ? AF_INET6 : AF_INET, stream)
            try filter.allow(["connect"])
        case .serial: break
        }
        if isSupervised {
            try allowSocket(filter, AF_UNIX, SocketType.datagram)
            try filter.allow(["sendto"])
        } else {
            // To whom the socket is connected, and to nobody else.
            try filter.allow(["sendto"], where: [.init(isNull: 4)])
        }
        let tcp = Int32(IPPROTO_TCP)
        let options = [
            (SOL_SOCKET, SO_RCVBUF), (SOL_SOCKET, SO_RCVBUFFORCE), (SOL_SOCKET, SO_SNDTIMEO), (tcp, TCP_NODELAY), (tcp, TCP_QUICKACK),
        ]
        for (level, option) in options { try filter.allow(["setsockopt"], where: [.init(1, is: level), .init(2, is: option)]) }
        try filter.allow(["getsockopt"], where: [.init(1, is: SOL_SOCKET), .init(2, is: SO_ERROR)])
    }

    private func allowSocket(
        _ filter: borrowing SystemCallFilter, _ family: Int32, _ type: Int32, protocol number: Int32 = 0
    ) throws(ConfinementError) {
        // The type shares its word with SOCK_CLOEXEC and SOCK_NONBLOCK.
        try filter.allow(["socket"], where: [.init(0, is: family), .init(1, masked: 0xF, is: UInt32(type)), .init(2, is: number)])
    }

    /// `ioctl` by request: one that puts octets into a terminal's input (TIOCSTI) is not among them.
    private func allowControl(_ filter: borrowing SystemCallFilter) throws(ConfinementError) {
        // What kind of terminal it is, and how large now.
        var requests: [UInt32] = [UInt32(TCGETS), UInt32(TIOCGWINSZ)]
        switch link {
        case .userChannel: requests += [UserChannel.getDeviceInfo, UserChannel.deviceDown].map { UInt32(truncatingIfNeeded: $0) }
        // With TCGETS2 and TCSETS2, which newer C libraries use for any speed.
        case .serial: requests += [UInt32(TIOCEXCL), UInt32(TCSETS), UInt32(TCFLSH), 0x802C_542A, 0x402C_542B]
        case .unix, .tcp: break
        }
        if hasFramebuffer { requests += FramebufferScreen.requests }
        for request in requests { try filter.allow(["ioctl"], where: [.init(1, masked: .max, is: request)]) }
        // Requests of GPIO lines carry 0xB4 in their second octet, in both versions of the interface.
        if hasGPIO { try filter.allow(["ioctl"], where: [.init(1, masked: 0xFF00, is: 0xB400)]) }
    }

    private func allowCamera(_ filter: borrowing SystemCallFilter) throws(ConfinementError) {
        guard case .video = camera else { return }
        for request in VideoCamera.requests { try filter.allow(["ioctl"], where: [.init(1, masked: .max, is: request)]) }
    }

    // MARK: what only an intruder calls

    private static let hostile = [
        "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
        "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
        "unshare", "setns", "open_by_handle_at", "quotactl", "swapon", "swapoff", "acct",
        "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "seccomp", "modify_ldt", "iopl",
        "ioperm",
        "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "keyctl", "add_key", "request_key",
    ]

    /// `CLONE_NEWTIME` to `CLONE_NEWNET` (clone(2)).
    private static let namespaces: [UInt32] = [0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]
}

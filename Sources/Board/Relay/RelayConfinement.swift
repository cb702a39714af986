import Glibc
import Linux

/// What a relay gives up before it reaches anybody: every file but the log, which it only reads, if at all, its own state, and what its
/// outlet needs; every program; every port but its outlet's. It reconnects for as long as it lives, so sockets stay: of two families, to
/// be connected.
package struct RelayConfinement {
    /// What becomes of a relay that cannot be confined.
    package enum Strictness: String, Hashable, Sendable, CaseIterable {
        /// It does not start.
        case required
        /// It says so.
        case asPossible = "as-possible"
        case off
    }

    private let needs: OutletNeeds
    private let log: String
    private let state: String

    /// - Parameters:
    ///   - log: the folder of the log.
    ///   - state: the folder of the outlet's state.
    package init(_ needs: OutletNeeds, log: String, state: String) { (self.needs, self.log, self.state) = (needs, log, state) }

    /// Descriptors: a connection or a few, segments, and those of a moment.
    private static let descriptors: UInt64 = 64

    /// What names are resolved by, with the port where a resolver listens.
    private static let resolving = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf", "/run/systemd/resolve", "/etc/localtime",
    ]
    private static let resolver: UInt16 = 53

    /// Gives it up for good, once libraries have read what they read when they are loaded.
    ///
    /// - Parameter say: hears what could not be had, where that is allowed.
    package func apply(_ strictness: Strictness, say: (String) -> Void) throws(ConfinementError) {
        guard strictness != .off else { return }
        guard !OwnProcess.hasOtherThreads else { throw .otherThreads }
        let isLenient = strictness == .asPossible
        try Self.step(isLenient, say) { () throws(ConfinementError) in try Capabilities().keepOnly() }
        try Self.step(isLenient, say) { () throws(ConfinementError) in try OwnProcess.giveUpPrivileges() }
        if !needs.startsThreads {
            try Self.step(isLenient, say) { () throws(ConfinementError) in try OwnProcess.limit(files: Self.descriptors) }
        }
        try Self.step(isLenient, say) { () throws(ConfinementError) in try OwnProcess.limit(furtherMemory: needs.memory) }
        try Self.step(isLenient, say) { () throws(ConfinementError) in try restrictFiles() }
        try Self.step(isLenient, say) { () throws(ConfinementError) in try filterCalls() }
    }

    private static func step(
        _ isLenient: Bool, _ say: (String) -> Void, _ body: () throws(ConfinementError) -> Void
    ) throws(ConfinementError) {
        do throws(ConfinementError) {
            try body()
        } catch {
            guard isLenient else { throw error }
            say("not confined as it should be: \(error)")
        }
    }

    private func restrictFiles() throws(ConfinementError) {
        let version = FileRules.version
        guard version > 0 else { return }
        var rules = FileRules()
        rules.readable = (needs.readsLog ? [log] : []) + needs.readable + (needs.ports.isEmpty ? [] : Self.resolving)
        rules.writable = [state] + needs.writable
        rules.ports = needs.ports + (needs.ports.isEmpty ? [] : [Self.resolver])
        rules.listens = needs.listens
        try rules.apply(version: version)
    }

    // MARK: system calls

    private func filterCalls() throws(ConfinementError) {
        let filter = try SystemCallFilter()
        for calls in [Self.thinking, Self.files, Self.talking] { try filter.allow(calls) }
        try filter.allow(["mmap", "mprotect"], where: [.init(2, masked: UInt32(PROT_EXEC), is: 0)])
        for family in [AF_INET, AF_INET6] where !needs.ports.isEmpty || needs.listens != nil {
            for type in [SocketType.stream, SocketType.datagram] {
                try filter.allow(["socket"], where: [.init(0, is: family), .init(1, masked: 0xF, is: UInt32(type))])
            }
        }
        if !needs.ports.isEmpty {
            // What addresses this board has (NETLINK_ROUTE): a resolver asks before it sorts what it found.
            try filter.allow(["socket"], where: [.init(0, is: AF_NETLINK), .init(2, is: 0)])
            try filter.allow(["connect", "bind"])
        }
        // Setting it takes a capability, which is gone.
        if needs.asksClock { try filter.allow(["adjtimex", "clock_adjtime"]) }
        if needs.listens != nil { try filter.allow(["bind", "listen", "accept4", "accept"]) }
        for (level, options) in Self.options {
            for option in options { try filter.allow(["setsockopt"], where: [.init(1, is: level), .init(2, is: option)]) }
        }
        // Of what it may only read it could take the lock, and the gate would not start: what was taken is let go of, and no more.
        try filter.allow(["flock"], where: [.init(1, is: LOCK_UN)])
        try filter.allow(["tgkill"], where: [.init(0, is: getpid())])
        try filter.allow(["prlimit64"], where: [.init(0, is: 0), .init(isNull: 2)])
        for command in [F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC] { try filter.allow(["fcntl"], where: [.init(1, is: command)]) }
        // TIOCOUTQ: what a socket has still to bring away.
        for request in [FIONREAD, FIONBIO, TCGETS, TIOCOUTQ] {
            try filter.allow(["ioctl"], where: [.init(1, masked: .max, is: UInt32(request))])
        }
        try filter.hide(["clone3"])
        if needs.startsThreads {
            // CLONE_THREAD (clone(2)); anything else that is made by it would be a process.
            try filter.allow(["clone"], where: [.init(0, masked: 0x1_0000, is: 0x1_0000)])
        } else {
            try filter.kill(["clone"])
        }
        try filter.kill(Self.hostile)
        try filter.load()
    }

    private static let thinking = [
        "brk", "munmap", "mremap", "madvise", "futex", "clock_gettime", "clock_getres", "gettimeofday", "time", "nanosleep",
        "clock_nanosleep",
        "restart_syscall", "sched_yield", "sched_getaffinity", "getrandom", "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid",
        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "sysinfo", "uname", "rseq", "set_robust_list", "exit",
        "exit_group",
    ]
    /// Landlock says which files; without it the mode of the log and of everything else does.
    private static let files = [
        "open", "openat", "read", "readv", "pread64", "write", "writev", "lseek", "close", "stat", "lstat", "fstat", "newfstatat", "statx",
        "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "fsync", "fdatasync", "ftruncate", "rename",
        "renameat", "renameat2", "unlink", "unlinkat", "fstatfs", "fadvise64",
    ]
    private static let talking = [
        "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "timerfd_create", "timerfd_settime", "poll", "ppoll", "select",
        "pselect6",
        "sendto", "recvfrom", "sendmsg", "sendmmsg", "recvmsg", "shutdown", "getsockname", "getpeername", "getsockopt",
        "eventfd2", "pipe2", "socketpair",
    ]

    /// No program is put on a socket (SO_ATTACH_FILTER). IP_RECVERR and IPV6_RECVERR are a resolver's.
    private static let options: [(Int32, [Int32])] = [
        (SOL_SOCKET, [SO_KEEPALIVE, SO_RCVTIMEO, SO_SNDTIMEO, SO_RCVBUF, SO_SNDBUF, SO_REUSEADDR, SO_LINGER]),
        (Int32(IPPROTO_TCP), [TCP_NODELAY, TCP_QUICKACK, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT]),
        (Int32(IPPROTO_IP), [IP_RECVERR, IP_TOS]), (Int32(IPPROTO_IPV6), [IPV6_RECVERR, IPV6_V6ONLY, IPV6_TCLASS]),
    ]

    /// What only an intruder calls.
    private static let hostile = [
        "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "kill",
        "tkill", "rt_sigqueueinfo", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount",
        "fspick", "mount_setattr", "unshare", "setns", "open_by_handle_at", "quotactl", "swapon", "swapoff", "acct", "setuid", "setgid",
        "setresuid", "setresgid", "setgroups", "capset", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
        "io_uring_register", "seccomp", "modify_ldt", "iopl", "ioperm", "init_module", "finit_module", "delete_module", "kexec_load",
        "kexec_file_load", "reboot", "keyctl", "add_key", "request_key",
    ]
}

import Glibc
import Linux

/// What a listener gives up: everything but one channel, one listening socket, and the connections that come through it. No file, no
/// program, no key, no other address: strangers write what it reads.
///
/// A module of its own, so that `confinement-check` can attack from within what the listener is confined by.
package struct ListenerConfinement {
    /// The process that has to be the parent's; nil for none, which refuses.
    private let parent: Int32?
    /// Does without the parts that this system does not have.
    private let isLenient: Bool

    /// The descriptors that are left open: of the gate, and of the one address.
    package static let channel: Int32 = 3
    package static let listener: Int32 = 4

    package init(parent: Int32?, isLenient: Bool = false) {
        self.parent = parent
        self.isLenient = isLenient
    }

    /// Descriptors: four connections, sixteen that are closing, and the few of its own.
    private static let files: UInt64 = 40
    /// Octets of address space: four requests of half a mebibyte, and this program.
    private static let memory: UInt64 = 256 << 20
    private static let stack: UInt64 = 8 << 20

    /// Gives it up for good, once what it needs is open. Whoever started it has become an ordinary user before.
    package func apply() throws(ConfinementError) {
        guard !OwnProcess.hasOtherThreads else { throw .otherThreads }
        // The listening socket stays where it was made, and so does what it accepts; a new socket would find no network around it. Refused
        // where the kernel or a container does not let it: the list of system calls has no other socket in any case.
        OwnProcess.leaveNetwork(byUserNamespace: geteuid() != 0)
        try Capabilities().keepOnly()
        // After the change of namespace, which takes it back.
        guard OwnProcess.followParent(with: SIGKILL), getppid() == parent else { throw .process(errno: ESRCH) }
        try OwnProcess.giveUpPrivileges()
        try OwnProcess.limit(files: Self.files, memory: Self.memory, stack: Self.stack)
        try leniently { () throws(ConfinementError) in
            let version = FileRules.version
            if version > 0 { try FileRules().apply(version: version) }
        }
        try leniently { () throws(ConfinementError) in try Self.filterCalls() }
    }

    private func leniently(_ body: () throws(ConfinementError) -> Void) throws(ConfinementError) {
        do throws(ConfinementError) { try body() } catch { if !isLenient { throw error } }
    }

    // MARK: system calls

    private static func filterCalls() throws(ConfinementError) {
        let filter = try SystemCallFilter()
        for calls in [thinking, talking] { try filter.allow(calls) }
        try filter.allow(["mmap", "mprotect"], where: [.init(2, masked: UInt32(PROT_EXEC), is: 0)])
        // From that one socket alone, and to whom a connection is.
        try filter.allow(["accept4"], where: [.init(0, is: listener)])
        try filter.allow(["sendto"], where: [.init(isNull: 4)])
        // The end of what is sent on a connection. In the other direction it would end the socket that the keeper lends every listener.
        try filter.allow(["shutdown"], where: [.init(1, is: Int32(SHUT_WR))])
        // Last words of a crash.
        try filter.allow(["write", "writev"], where: [.init(0, is: 2)])
        try filter.allow(["tgkill"], where: [.init(0, is: getpid())])
        try filter.allow(["prlimit64"], where: [.init(0, is: 0), .init(isNull: 2)])
        try filter.hide(["clone3"])
        try filter.kill(hostile)
        try filter.load()
    }

    private static let thinking = [
        "brk", "munmap", "mremap", "madvise", "futex", "clock_gettime", "clock_getres", "gettimeofday", "nanosleep", "clock_nanosleep",
        "restart_syscall", "sched_yield", "sched_getaffinity", "getrandom", "getpid", "gettid", "rt_sigaction", "rt_sigprocmask",
        "rt_sigreturn", "exit", "exit_group",
    ]
    /// `read` is of the loop's timer.
    private static let talking = [
        "read", "recvfrom", "close", "epoll_ctl", "epoll_wait", "epoll_pwait", "timerfd_settime", "poll", "ppoll",
    ]

    /// What only an intruder calls.
    private static let hostile = [
        "execve", "execveat", "fork", "vfork", "clone", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "kill",
        "tkill", "rt_sigqueueinfo", "socket", "socketpair", "connect", "bind", "listen", "sendmsg", "sendmmsg", "recvmsg", "recvmmsg",
        "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
        "unshare", "setns", "open_by_handle_at", "quotactl", "swapon", "swapoff", "acct", "setuid", "setgid", "setresuid", "setresgid",
        "setgroups", "capset", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
        "modify_ldt", "iopl", "ioperm", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "keyctl",
        "add_key", "request_key",
    ]
}

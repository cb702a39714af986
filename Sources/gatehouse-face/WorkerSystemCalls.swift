import Glibc
import Sandbox

/// The system calls of a worker. What is on no list fails with EPERM; what only an intruder calls ends the process.
enum WorkerSystemCalls {
    /// Reading a shared object and models. Sockets, threads and programs are refused, but trying is no crime yet: a library's own beginning may.
    static func whileLoading() throws(ConfinementError) {
        let filter = try SystemCallFilter()
        for calls in [thinking, reading] { try filter.allow(calls) }
        try filter.allow(["mmap", "mprotect"])
        // With the bit that makes O_TMPFILE of O_DIRECTORY.
        let changing = UInt32(O_ACCMODE | O_CREAT | O_TRUNC | 0o20_000_000)
        try filter.allow(["open"], where: [.init(1, masked: changing, is: UInt32(O_RDONLY))])
        try filter.allow(["openat"], where: [.init(2, masked: changing, is: UInt32(O_RDONLY))])
        for descriptor in [WorkerChannel.descriptor, 1, 2] { try filter.allow(["write", "writev"], where: [.init(0, is: descriptor)]) }
        // For what comes after loading: a process can only give up more by them.
        try filter.allow(["seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"])
        try filter.allow(["prctl"], where: [.init(0, is: 38 /* PR_SET_NO_NEW_PRIVS */)])
        try allowItself(filter)
        try filter.hide(["clone3"])
        try filter.kill(hostile)
        try filter.load()
    }

    /// Computing, and the channel.
    static func afterLoading() throws(ConfinementError) {
        let filter = try SystemCallFilter()
        try filter.allow(thinking)
        try filter.allow(["mmap", "mprotect"], where: [.init(2, masked: UInt32(PROT_EXEC), is: 0)])
        try filter.allow(["read", "write"], where: [.init(0, is: WorkerChannel.descriptor)])
        try allowItself(filter)
        try filter.hide(["clone3"])
        try filter.kill(hostile + outward)
        try filter.load()
    }

    private static let thinking = [
        "brk", "munmap", "mremap", "madvise", "futex", "clock_gettime", "clock_getres", "gettimeofday", "nanosleep", "clock_nanosleep",
        "restart_syscall", "sched_yield", "sched_getaffinity", "getrusage", "getrandom", "getpid", "gettid", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
        "exit", "exit_group",
    ]
    private static let reading = [
        "read", "readv", "pread64", "lseek", "close", "stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
        "readlink", "readlinkat", "getdents64", "fadvise64", "sysinfo", "uname", "getuid", "geteuid", "getgid", "getegid", "getppid", "sigaltstack",
        "mincore", "get_mempolicy", "mbind", "getcwd",
    ]

    /// Its own limit of processor time, and its own end (abort).
    private static func allowItself(_ filter: borrowing SystemCallFilter) throws(ConfinementError) {
        try filter.allow(["tgkill"], where: [.init(0, is: getpid())])
        try filter.allow(["prlimit64"], where: [.init(0, is: 0), .init(isNull: 2)])
        try filter.allow(["prlimit64"], where: [.init(0, is: 0), .init(1, is: Int32(RLIMIT_CPU.rawValue))])
    }

    // MARK: what only an intruder calls

    private static let hostile = [
        "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "kill", "tkill", "rt_sigqueueinfo",
        "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
        "unshare", "setns", "open_by_handle_at", "quotactl", "swapon", "swapoff", "acct", "setuid", "setgid", "setresuid", "setresgid", "setgroups",
        "capset", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "modify_ldt", "iopl", "ioperm",
        "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "keyctl", "add_key", "request_key",
    ]
    /// Once there is nothing left to load.
    private static let outward = [
        "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg", "recvmsg", "fork", "vfork",
        "clone",
    ]
}

import Glibc
import Linux

/// What a worker gives up: before it loads anything of the plug-in's almost everything, and once the models are read the rest. One that
/// loads nothing gives up all of it at once.
///
/// Memory is bounded as address space. What the machine has for all workers of a gate is the service manager's to say (`MemoryMax=`).
struct WorkerConfinement {
    let options: Options

    /// Octets of a thread's stack, and descriptors open at a time.
    private static let stack: UInt64 = 8 << 20
    private static let files: UInt64 = 64
    /// Seconds of processor time while loading. Each request gets its own anew.
    private static let secondsForLoading: UInt64 = 60
    private static let leastSecondsForRequest: UInt64 = 20

    /// What a shared object and the C library read when one is loaded. Nothing of it says anything about anybody.
    private static let libraries = [
        "/usr/lib", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/sys/devices/system/cpu", "/proc/cpuinfo", "/dev/null",
    ]

    func beforeLoading() throws(ConfinementError) {
        try becomeNobody(memory: options.memory)
        try OwnProcess.allow(seconds: Self.secondsForLoading)
        var rules = FileRules()
        rules.readable = Self.libraries + [options.models, options.plugin] + pluginFolder
        try apply(rules)
        try filter { () throws(ConfinementError) in try WorkerSystemCalls.whileLoading() }
    }

    func afterLoading() throws(ConfinementError) {
        try apply(FileRules())
        try filter { () throws(ConfinementError) in try WorkerSystemCalls.afterLoading() }
    }

    /// - Parameter memory: mebibytes of address space.
    func withoutLoading(memory: UInt64) throws(ConfinementError) {
        try becomeNobody(memory: memory)
        try afterLoading()
    }

    /// Another user without powers, alone, with little of everything.
    private func becomeNobody(memory: UInt64) throws(ConfinementError) {
        guard OwnProcess.close(from: WorkerChannel.descriptor + 1), !OwnProcess.hasOtherThreads else { throw .otherThreads }
        try becomeUser()
        // After the change of user and of namespace, which take it back.
        guard OwnProcess.followParent(with: SIGKILL), getppid() == options.parent else { throw .process(errno: ESRCH) }
        try OwnProcess.giveUpPrivileges()
        try OwnProcess.limit(files: Self.files, memory: memory << 20, stack: Self.stack)
    }

    /// A loop that nobody kills ends by itself, however many requests were served before.
    /// Whoever asks kills it long before, by the clock; where it gives the plug-in minutes, this has to be more than those.
    func beforeRequest() {
        let seconds = max(options.referenceTime, options.probeTime) / 1000 * 2
        try? OwnProcess.allow(seconds: max(Self.leastSecondsForRequest, seconds))
    }

    private func becomeUser() throws(ConfinementError) {
        let isRoot = geteuid() == 0
        // Refused where the kernel or a container does not let it: the filter of system calls has no sockets in any case.
        if isRoot { OwnProcess.leaveNetwork(byUserNamespace: false) }
        if let name = options.user { try User(named: name).become(keeping: []) }
        if !isRoot { OwnProcess.leaveNetwork(byUserNamespace: true) }
        try Capabilities().keepOnly()
    }

    /// A library of the plug-in's own lies beside it.
    private var pluginFolder: [String] {
        guard let slash = options.plugin.lastIndex(of: "/"), slash != options.plugin.startIndex else { return [] }
        return [String(options.plugin[..<slash])]
    }

    private func apply(_ rules: FileRules) throws(ConfinementError) {
        let version = FileRules.version
        guard version > 0 else { return }
        do throws(ConfinementError) { try rules.apply(version: version) } catch { if !options.isLenient { throw error } }
    }

    private func filter(_ body: () throws(ConfinementError) -> Void) throws(ConfinementError) {
        do throws(ConfinementError) { try body() } catch { if !options.isLenient { throw error } }
    }
}

/// The system calls of a worker. What is on no list fails with EPERM; what only an intruder calls ends the process.
enum WorkerSystemCalls {
    /// Reading a shared object and models. Sockets, threads and programs are refused, but trying is no crime yet: a library's own beginning
    /// may.
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
        let setNoNewPrivileges: Int32 = 38  // PR_SET_NO_NEW_PRIVS
        try filter.allow(["prctl"], where: [.init(0, is: setNoNewPrivileges)])
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
        "restart_syscall", "sched_yield", "sched_getaffinity", "getrusage", "getrandom", "getpid", "gettid", "rt_sigaction",
        "rt_sigprocmask", "rt_sigreturn",
        "exit", "exit_group",
    ]
    private static let reading = [
        "read", "readv", "pread64", "lseek", "close", "stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
        "readlink", "readlinkat", "getdents64", "fadvise64", "sysinfo", "uname", "getuid", "geteuid", "getgid", "getegid", "getppid",
        "sigaltstack",
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
        "unshare", "setns", "open_by_handle_at", "quotactl", "swapon", "swapoff", "acct", "setuid", "setgid", "setresuid", "setresgid",
        "setgroups",
        "capset", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "modify_ldt", "iopl",
        "ioperm",
        "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "keyctl", "add_key", "request_key",
    ]
    /// Once there is nothing left to load.
    private static let outward = [
        "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg", "recvmsg", "fork",
        "vfork",
        "clone",
    ]
}

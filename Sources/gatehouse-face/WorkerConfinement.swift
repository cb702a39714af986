import CConfinement
import CProcess
import Faces
import Glibc
import Sandbox

/// What a worker gives up: before it loads anything of the plug-in's almost everything, and once the models are read the rest.
///
/// Memory is bounded as address space. What the machine has for all workers of a gate is the service manager's to say (`MemoryMax=`).
struct WorkerConfinement {
    let options: Options

    /// Octets of a thread's stack, and descriptors open at a time.
    private static let stack: UInt64 = 8 << 20
    private static let files: UInt64 = 64
    /// Seconds of processor time while loading. Each request gets `secondsForRequest` anew.
    private static let secondsForLoading: UInt64 = 60
    private static let secondsForRequest: UInt64 = 20

    /// What a shared object and the C library read when one is loaded. Nothing of it says anything about anybody.
    private static let libraries = [
        "/usr/lib", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/sys/devices/system/cpu", "/proc/cpuinfo", "/dev/null",
    ]

    func beforeLoading() throws(ConfinementError) {
        guard process_close_from(WorkerChannel.descriptor + 1) == 0, process_has_other_threads() <= 0 else { throw .otherThreads }
        try becomeUser()
        // After the change of user and of namespace, which take it back.
        guard process_follow_parent(SIGKILL) == 0, getppid() == options.parent else { throw .process(errno: ESRCH) }
        var bounds = process_bounds(memory: options.memory << 20, stack: Self.stack, files: Self.files)
        for code in [
            process_set_no_new_privileges(), process_set_not_dumpable(), process_set_bounds(&bounds), process_allow_seconds(Self.secondsForLoading),
        ] where code != 0 { throw .process(errno: code) }
        var rules = FileRules()
        rules.readable = Self.libraries + [options.models, options.plugin] + pluginFolder
        try apply(rules)
        try filter { () throws(ConfinementError) in try WorkerSystemCalls.whileLoading() }
    }

    func afterLoading() throws(ConfinementError) {
        try apply(FileRules())
        try filter { () throws(ConfinementError) in try WorkerSystemCalls.afterLoading() }
    }

    /// A loop that nobody kills ends by itself, however many requests were served before.
    static func beforeRequest() {
        _ = process_allow_seconds(secondsForRequest)
    }

    private func becomeUser() throws(ConfinementError) {
        let isRoot = geteuid() == 0
        // Refused where the kernel or a container does not let it: the filter of system calls has no sockets in any case.
        if isRoot { _ = process_leave_network(0) }
        if let name = options.user { try User(named: name).become(keeping: []) }
        if !isRoot { _ = process_leave_network(1) }
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

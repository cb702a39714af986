import CLinux
import Glibc

/// What the running process gives up, and what it is bounded to (prctl(2), setrlimit(2)): for good.
package enum OwnProcess {
    /// Whether anybody but the caller runs in it; also false where that cannot be told.
    package static var hasOtherThreads: Bool { process_has_other_threads() > 0 }

    /// No program it becomes may more than it, and nobody but root looks into it.
    package static func giveUpPrivileges() throws(ConfinementError) {
        for code in [process_set_no_new_privileges(), process_set_not_dumpable()] where code != 0 { throw .process(errno: code) }
    }

    /// No core file, no further process, at most so many descriptors.
    package static func limit(files: UInt64) throws(ConfinementError) {
        let code = process_set_limits(files)
        guard code == 0 else { throw .process(errno: code) }
    }

    /// So many octets of address space besides what it has.
    package static func limit(furtherMemory octets: UInt64) throws(ConfinementError) {
        let page = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
        let pages = SystemFolders.line("/proc/self/statm")?.split(separator: " ").first.flatMap { UInt64($0) }
        guard let pages else { throw .process(errno: ENOENT) }
        let code = process_set_memory(pages * page + octets)
        guard code == 0 else { throw .process(errno: code) }
    }

    /// The same, no file to be written and no memory to be locked; bytes of address space and of a stack.
    package static func limit(files: UInt64, memory: UInt64, stack: UInt64) throws(ConfinementError) {
        var bounds = process_bounds(memory: memory, stack: stack, files: files)
        let code = process_set_bounds(&bounds)
        guard code == 0 else { throw .process(errno: code) }
    }

    /// So many seconds of processor time from now on, then SIGXCPU. May be asked for again and again.
    package static func allow(seconds: UInt64) throws(ConfinementError) {
        let code = process_allow_seconds(seconds)
        guard code == 0 else { throw .process(errno: code) }
    }

    /// A network of its own, with nothing in it; false where the kernel or a container does not let it.
    ///
    /// - Parameter byUserNamespace: for who may have one only in a user namespace: all users are nobody in it.
    @discardableResult
    package static func leaveNetwork(byUserNamespace: Bool) -> Bool { process_leave_network(byUserNamespace ? 1 : 0) == 0 }

    /// Closes every descriptor from this one on.
    package static func close(from descriptor: Int32) -> Bool { process_close_from(descriptor) == 0 }

    /// The signal that comes when the process that started this one is gone.
    package static func followParent(with signal: Int32) -> Bool { process_follow_parent(signal) == 0 }

    /// Blocks SIGTERM, SIGINT, SIGHUP and SIGPIPE, and makes SIGCHLD and SIGUSR1 something to read: a descriptor, or nil.
    package static func watchChildren() -> Int32? {
        let descriptor = signals_open()
        return descriptor < 0 ? nil : descriptor
    }

    /// Takes everything there is to read of `watchChildren`.
    package static func drain(_ signals: Int32) { signals_drain(signals) }
}

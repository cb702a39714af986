import CLinux
import Glibc

/// A list of the system calls the process may still make (seccomp(2)), put into force by libseccomp.
///
/// What is on no list fails with EPERM, so that a library which only tries something finds another way; what only an intruder would call
/// ends the process. So does a call by the rules of another processor.
package struct SystemCallFilter: ~Copyable {
    /// What an argument has to be: `argument & mask == value`.
    package struct Condition {
        let index: UInt32
        let mask: UInt64
        let value: UInt64

        /// For an `int`: the kernel ignores the upper half of the register, and so does the condition.
        package init(_ index: UInt32, is value: Int32) {
            self.init(index, masked: .max, is: UInt32(bitPattern: value))
        }

        package init(_ index: UInt32, masked mask: UInt32, is value: UInt32) {
            self.index = index
            self.mask = UInt64(mask)
            self.value = UInt64(value)
        }

        /// For a pointer: NULL.
        package init(isNull index: UInt32) {
            self.index = index
            mask = .max
            value = 0
        }
    }

    /// Whether the kernel, and a container around it, would take a filter that can end the process.
    package static var isOffered: Bool { call_filter_refusal() == 0 }

    private let filter: OpaquePointer

    package init() throws(ConfinementError) {
        guard let filter = call_filter_new(EPERM) else { throw .systemCalls(errno: ENOMEM) }
        self.filter = filter
    }

    deinit {
        call_filter_free(filter)
    }

    /// Allows calls by name; a name this processor or this libseccomp does not have is passed over.
    ///
    /// - Parameter conditions: have to be true all together. Allowing a call again adds an alternative.
    package func allow(_ names: [String], where conditions: [Condition] = []) throws(ConfinementError) {
        for name in names { try add(CALL_ALLOWED, name, conditions) }
    }

    /// Calls that end the process.
    package func kill(_ names: [String], where conditions: [Condition] = []) throws(ConfinementError) {
        for name in names { try add(CALL_KILLS, name, conditions) }
    }

    /// Calls that fail as on a kernel without them.
    package func hide(_ names: [String]) throws(ConfinementError) {
        for name in names { try add(Int(ENOSYS), name, []) }
    }

    /// Puts the filter into force, for good. The process has to have given up new privileges before.
    package func load() throws(ConfinementError) {
        try Self.check(call_filter_load(filter))
    }

    private func add(_ action: Int, _ name: String, _ conditions: [Condition]) throws(ConfinementError) {
        let list = conditions.map { call_condition(argument: $0.index, mask: $0.mask, value: $0.value) }
        try Self.check(call_filter_add(filter, Int32(action), name, list, UInt32(list.count)))
    }

    private static func check(_ code: Int32) throws(ConfinementError) {
        guard code == 0 else { throw .systemCalls(errno: code) }
    }
}

extension SystemCallFilter {
    /// Of the libseccomp that is loaded.
    package static var libraryVersion: String {
        var numbers: [UInt32] = [0, 0, 0]
        seccomp_library_version(&numbers)
        return numbers.map { "\($0)" }.joined(separator: ".")
    }
}

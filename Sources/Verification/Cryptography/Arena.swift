import COpenSSL

/// The fixed memory libcrypto works in. See `arena.h` for how it allocates.
///
/// Measured with OpenSSL 3.0 on x86-64: libcrypto with its default provider loaded holds 390 KiB of the 2 MiB, the
/// contexts of the visit path 40 KiB more. One visit (a fresh key pair, an agreement, two keys by HKDF, one message
/// opened) makes 88 allocations, has at most 6 KiB more in use than the idle state, and gives back every byte: after
/// 1,000 visits the numbers are those after one (`ArenaTests`). None of it reaches the system's malloc.
public enum Arena {
    /// Counters since installation. Sizes are in bytes and include each block's 16-byte header.
    public struct Statistics: Hashable, Sendable {
        /// Size of the region.
        public var capacity: UInt64
        /// Part of the region that was ever handed out. It never shrinks; when it stops growing, the state is steady.
        public var bytesReserved: UInt64
        /// Bytes in live blocks.
        public var bytesInUse: UInt64
        /// The highest value `bytesInUse` had.
        public var peak: UInt64
        /// Requests served, fallbacks included.
        public var allocations: UInt64
        /// Blocks given back, fallbacks included.
        public var frees: UInt64
        /// Requests the arena could not serve and the system's malloc did. Anything but zero deserves a look.
        public var fallbacks: UInt64
    }

    /// Makes libcrypto ready and reports whether it allocates from the arena.
    ///
    /// Every type of this module does this on first use; call it first thing in `main` so that no other library can
    /// make libcrypto allocate before. Without the arena everything still works, on the system's malloc.
    @discardableResult
    public static func install() -> Bool {
        Library.shared.arenaInstalled
    }

    public static var statistics: Statistics {
        let read = gatehouse_arena_read()
        return Statistics(
            capacity: read.capacity, bytesReserved: read.reserved, bytesInUse: read.in_use, peak: read.peak,
            allocations: read.allocations, frees: read.frees, fallbacks: read.fallbacks)
    }
}

extension Arena {
    /// `OpenSSL 3.0.17`: the libcrypto that is loaded, without its date.
    public static var libraryVersion: String {
        let words = OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? ""
        return words.split(separator: " ").prefix(2).joined(separator: " ")
    }
}

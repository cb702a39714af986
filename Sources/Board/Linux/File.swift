import CLinux
import Glibc

/// What is read, kept room for and brought to the disk of a file as a whole.
package enum File {
    /// The bytes of a file, from its beginning.
    ///
    /// - Throws: `SystemError.fileTooLarge` where there are more than `most`.
    package static func read(_ path: String, most: Int) throws(SystemError) -> [UInt8] {
        // Non-blocking, so that a FIFO of that name cannot hold the gate up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        defer { close(descriptor) }
        return try read(descriptor, most: most)
    }

    /// The bytes from where the descriptor stands.
    package static func read(_ descriptor: Int32, most: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(errno: errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= most else { throw .fileTooLarge }
        }
    }

    /// Writes all of it where the descriptor stands.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(errno: count == 0 ? ENOSPC : errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The same, from where they lie.
    package static func write(_ bytes: Span<UInt8>, to descriptor: Int32) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(errno: count == 0 ? ENOSPC : errno) }
            done += count
        }
    }

    /// Has the file system set aside room for the first `length` bytes (fallocate(2)); the file's length stays. 0, or the errno:
    /// EOPNOTSUPP where the file system has no such thing.
    package static func reserve(_ descriptor: Int32, _ length: Int64) -> Int32 { system_reserve(descriptor, length) }

    /// Waits until all of a descriptor's file system is on its medium (syncfs(2)). 0, or the errno.
    package static func syncAll(_ descriptor: Int32) -> Int32 { system_sync_all(descriptor) }
}

import Glibc

/// Opens what is named by `dir:` and `file:`, and nothing that could hold the gate up: no pipe, no device.
enum PictureFile {
    /// - Parameter folder: a descriptor that `path` is relative to.
    /// - Returns: a plain file to read, with its octets.
    static func open(_ path: UnsafePointer<CChar>, in folder: Int32 = AT_FDCWD) throws(CameraError) -> (descriptor: Int32, octets: Int) {
        let file = openat(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { throw .opening(errno) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .wrongKind
        }
        return (file, Int(facts.st_size))
    }

    /// Reads until `buffer` is full or the file ends.
    static func fill(_ buffer: UnsafeMutableRawBufferPointer, from file: Int32) throws(CameraError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = read(file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .system(.read, errno: errno) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}

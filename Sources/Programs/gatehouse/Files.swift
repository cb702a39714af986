import ArgumentParser
import Glibc
import Linux

/// Writes a file whole, so that it may also take the place of the one it was made from.
func write(_ octets: [UInt8], to path: String) throws {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw ValidationError("\(path): cannot be written (\(systemCause(errno)))") }
    defer { close(descriptor) }
    var rest = octets[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure(path, temporary) }
        rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure(path, temporary) }
}

private func failure(_ path: String, _ temporary: String) -> ValidationError {
    let code = errno
    unlink(temporary)
    return ValidationError("\(path): cannot be written (\(systemCause(code)))")
}

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

/// Makes a file that must not be there yet. Where that fails nothing is left of it.
func create(_ octets: Span<UInt8>, at path: String, mode: mode_t) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else {
        let code = errno
        throw ValidationError(
            code == EEXIST ? "\(path): is there already, and is not overwritten" : "\(path): cannot be written (\(systemCause(code)))")
    }
    defer { close(descriptor) }
    var done = 0
    while done < octets.count {
        // Where they lie: a copy of a private key would stay behind.
        let count = octets.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure(path, path) }
        done += count
    }
    guard fsync(descriptor) == 0 else { throw failure(path, path) }
}

/// Takes back what was made a moment ago.
func discard(_ path: String) { unlink(path) }

private func failure(_ path: String, _ temporary: String) -> ValidationError {
    let code = errno
    unlink(temporary)
    return ValidationError("\(path): cannot be written (\(systemCause(code)))")
}

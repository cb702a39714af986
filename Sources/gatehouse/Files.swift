import ArgumentParser
import Glibc
import Sandbox

/// The octets of a file named on the command line; `-` is standard input.
///
/// - Parameters:
///   - most: octets; whole MiB.
///   - option: that named the file, for a refusal; nil for an argument.
func octets(of path: String, most: Int, named option: String? = nil) throws -> [UInt8] {
    let name = option.map { "\($0) \(path)" } ?? path
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ValidationError("\(name): cannot be read (\(systemCause(errno)))") }
    defer { if descriptor != 0 { close(descriptor) } }
    var octets: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw ValidationError("\(name): cannot be read (\(systemCause(errno)))") }
        if count == 0 { return octets }
        octets.append(contentsOf: chunk.prefix(count))
        guard octets.count <= most else { throw ValidationError("\(name): longer than \(most >> 20) MiB") }
    }
}

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

import ArgumentParser
import Glibc
import Linux

/// Writes a file whole, so that it may also take the place of the one it was made from: a kill or a power cut at any moment leaves the old
/// file or the new one.
///
/// - Parameter isShared: it belongs to the folder's owner, and anybody may read it, whoever writes it under whatever umask.
func write(_ octets: [UInt8], to path: String, isShared: Bool = false) throws {
    let (folder, name) = try place(of: path)
    do throws(SystemError) {
        try DurableFolder(folder, exclusively: false, isShared: isShared).replace(name, with: octets)
    } catch {
        throw ValidationError("\(path): cannot be written (\(error.cause))")
    }
}

/// Makes a file that must not be there yet. It has its name only when it is whole and on the disk; where that fails nothing is left of it.
func create(_ octets: Span<UInt8>, at path: String, mode: mode_t) throws {
    let (folder, name) = try place(of: path)
    do throws(SystemError) {
        try DurableFolder(folder, exclusively: false).create(name, octets, mode: mode)
    } catch {
        let code = error.errno
        throw ValidationError(
            code == EEXIST ? "\(path): is there already, and is not overwritten" : "\(path): cannot be written (\(error.cause))")
    }
}

/// Takes back what was made a moment ago.
func discard(_ path: String) { unlink(path) }

/// The folder of a file, and its name there.
private func place(of path: String) throws -> (folder: String, name: String) {
    let slash = path.lastIndex(of: "/")
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    guard !["", ".", ".."].contains(name) else { throw ValidationError("\(path): no name of a file") }
    return (slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".", name)
}

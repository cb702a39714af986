import Glibc
import Linux

/// Files that options and board profiles name.
package enum NamedFile {
    /// The bytes of a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - most: bytes; whole MiB.
    ///   - option: that named the file, for a refusal; nil for an argument.
    package static func read(_ path: String, most: Int, named option: String? = nil) throws(ConfigurationError) -> [UInt8] {
        let name = option.map { "\($0) \(path)" } ?? path
        // It may wait: for a person who types, or a program that is not done yet.
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ConfigurationError("\(name): cannot be read (\(systemCause(errno)))") }
        defer { if descriptor != 0 { close(descriptor) } }
        do throws(SystemError) {
            return try File.read(descriptor, most: most)
        } catch .fileTooLarge {
            throw ConfigurationError("\(name): longer than \(most >> 20) MiB")
        } catch {
            throw ConfigurationError("\(name): cannot be read (\(error.cause))")
        }
    }

    /// Whether there is something of that name. What cannot be told is not taken for no: that would drop a root file in silence.
    package static func exists(_ path: String) throws(ConfigurationError) -> Bool {
        // A link that leads nowhere, because a disk is not there, is something too.
        var facts = stat()
        if lstat(path, &facts) == 0 { return true }
        let error = SystemError(errno: errno)
        guard error.kind == .notFound else { throw ConfigurationError("\(path): cannot be looked for (\(error.cause))") }
        return false
    }
}

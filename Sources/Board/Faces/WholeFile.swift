import Glibc

/// A file that is small enough to be read at once.
public enum WholeFile {
    /// Its octets; nil where it cannot be read, or has more.
    public static func octets(_ path: String, most: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return octets }
            octets.append(contentsOf: chunk.prefix(count))
            guard octets.count <= most else { return nil }
        }
    }
}

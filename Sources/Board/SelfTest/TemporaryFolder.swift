import Glibc

/// A folder of its own under another one. With this value it goes, and everything in it.
public final class TemporaryFolder {
    public let path: String

    public init(in parent: String = "/tmp") throws(RehearsalFailure) {
        var template = Array("\(parent)/gatehouse-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .noPlace(errno: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        // A link to a folder is removed, and never gone through.
        guard unlink(path) != 0, let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { remove(path + "/" + name) }
        }
        closedir(folder)
        rmdir(path)
    }
}

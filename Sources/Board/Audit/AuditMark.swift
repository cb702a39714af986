import Glibc
import JSON
import Linux

/// Up to where somebody has a copy of the log. The exporting program writes it, the gate reads it: what it names may go when room is
/// needed.
struct AuditMark: Hashable {
    /// The last segment that was copied.
    let segment: UInt32
    /// It was set aside as damaged.
    var isDamaged = false
    /// `AuditReport.digest(of:)` of it: the mark belongs to the log it was made of.
    let digest: String

    /// Octets of the file, whatever it says: it can be written again where it is, on a disk that is full.
    private static let length = 256

    static func read(_ folder: AuditFolder) -> AuditMark? {
        guard let descriptor = try? folder.file(folder.mark, O_RDONLY) else { return nil }
        defer { Glibc.close(descriptor) }
        guard let octets = try? AuditLines.read(descriptor, from: 0, count: 1024), let document = try? JSONDocument(parsing: octets),
            let segment = document.root["segment"]?.int64.flatMap({ UInt32(exactly: $0) }), let digest = document.root["digest"]?.string
        else { return nil }
        return AuditMark(segment: segment, isDamaged: document.root["damaged"]?.bool == true, digest: digest)
    }

    var octets: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("segment", UInt64(segment))
        if isDamaged { writer.member("damaged", true) }
        writer.member("digest", digest)
        writer.endObject()
        return Self.padded(writer.bytes)
    }

    private static func padded(_ octets: [UInt8]) -> [UInt8] {
        octets + [UInt8](repeating: UInt8(ascii: " "), count: max(0, length - 1 - octets.count)) + [UInt8(ascii: "\n")]
    }

    /// Makes a mark that names nothing, where there is none. One that cannot be made now is made at another time.
    static func keepRoom(_ folder: AuditFolder) {
        guard let descriptor = try? folder.file(folder.mark, O_WRONLY | O_CREAT) else { return }
        defer { Glibc.close(descriptor) }
        guard lseek(descriptor, 0, SEEK_END) < length else { return }
        let octets = padded(Array("{}".utf8))
        if pwrite(descriptor, octets, octets.count, 0) == octets.count { fsync(descriptor) }
    }

    /// Replaces the mark; on a full disk it is written where it is. Half of it names nothing.
    func store(in folder: AuditFolder) throws(SystemError) {
        do throws(SystemError) {
            try DurableFolder(folder.path, exclusively: false, isShared: true).replace(folder.mark, with: octets)
        } catch {
            guard error.kind == .diskFull, let descriptor = try? folder.file(folder.mark, O_WRONLY) else { throw error }
            defer { Glibc.close(descriptor) }
            guard pwrite(descriptor, octets, octets.count, 0) == octets.count, ftruncate(descriptor, off_t(octets.count)) == 0,
                fsync(descriptor) == 0
            else { throw error }
        }
    }
}

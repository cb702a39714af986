import Glibc
import JSON

/// Up to where somebody has a copy of the log. The exporting program writes it, the gate reads it: what it names may go when room is needed.
struct AuditMark: Hashable {
    /// The last segment that was copied.
    let segment: UInt32
    /// Digest of its last line: the mark belongs to the log it was made of.
    let digest: String

    static func read(_ folder: AuditFolder) -> AuditMark? {
        guard let descriptor = try? folder.file(folder.mark, O_RDONLY) else { return nil }
        defer { Glibc.close(descriptor) }
        guard let octets = try? AuditLines.read(descriptor, from: 0, count: 1024), let document = try? JSONDocument(parsing: octets),
            let segment = document.root["segment"]?.int64.flatMap({ UInt32(exactly: $0) }), let digest = document.root["digest"]?.string
        else { return nil }
        return AuditMark(segment: segment, digest: digest)
    }

    var octets: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("segment", UInt64(segment))
        writer.member("digest", digest)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}

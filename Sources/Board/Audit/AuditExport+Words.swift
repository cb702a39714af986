import Glibc
import JSON

/// What an export says: on the medium, of its copies, and to the gate, of the segment that is still written.
extension AuditExport {
    var manifest: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("gatehouse-audit-export", 1)
        writer.member("to", UInt64(marked))
        writer.member("digest", digest)
        writer.name("segments")
        writer.beginArray()
        for copy in copies {
            writer.beginObject()
            writer.member("name", copy.name)
            writer.member("segment", UInt64(copy.segment))
            writer.member("octets", copy.octets)
            writer.member("sha256", copy.sha256)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Asks the running gate to seal its current segment, which it does within five seconds; true when it has.
    ///
    /// - Parameter milliseconds: how long to wait.
    public static func seal(_ path: String, milliseconds: Int = 12_000) throws(AuditExportError) -> Bool {
        let folder = AuditFolder(of: path)
        return try log { () throws(AuditError) in
            try folder.open()
            close(try folder.file(folder.request, O_WRONLY | O_CREAT))
            for _ in 0..<max(1, milliseconds / 50) {
                if !folder.exists(folder.request) { return true }
                usleep(50_000)
            }
            try folder.remove(folder.request)
            return false
        }
    }
}

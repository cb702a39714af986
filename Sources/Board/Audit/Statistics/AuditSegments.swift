import Glibc

/// The segments of a log for whoever reads it beside the gate that writes it: takes no lock, and nothing that is sealed or let go meanwhile
/// is read twice.
final class AuditSegments {
    let folder: AuditFolder
    /// Those that are not written any more, the oldest first; of damaged ones, what was set aside.
    let parts: [AuditFolder.Part]
    /// Descriptor of the one that is written, or was when this was made; nil where there is none, as in a copy. Closed with this value.
    let current: Int32?
    /// The number of that one; without it, of the last part.
    let number: UInt32

    /// - Parameter path: the log's current segment.
    init(of path: String) throws(AuditError) {
        let folder = AuditFolder(of: path)
        try folder.open()
        // First of all: a segment that is sealed meanwhile keeps its octets and changes its name.
        let current = try folder.existing(folder.current)
        let all: [AuditFolder.Part]
        do throws(AuditError) {
            all = try folder.parts()
            guard current != nil || !all.isEmpty else { throw .notFound }
        } catch {
            if let current { Glibc.close(current) }
            throw error
        }
        (self.folder, self.current) = (folder, current)
        guard let current else {
            (parts, number) = (all, all.last?.number ?? 1)
            return
        }
        let own = Self.inode(of: current)
        if let sealed = all.first(where: { folder.identity(folder.name(of: $0))?.inode == own }) {
            // What came after it is for another look.
            (parts, number) = (all.filter { $0.number < sealed.number }, sealed.number)
        } else {
            (parts, number) = (all, Self.firstLine(of: current)?.segment ?? (all.last?.number ?? 0) + 1)
        }
    }

    deinit { if let current { Glibc.close(current) } }

    /// Opens a part; nil where it went since.
    func open(_ part: AuditFolder.Part) throws(AuditError) -> Int32? { try folder.existing(folder.name(of: part)) }

    /// Which file a descriptor is of; nil where the system does not say.
    static func inode(of descriptor: Int32) -> UInt64? {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }

    /// The first record of a segment, behind what is damaged; nil where there is none.
    static func firstRecord(of descriptor: Int32) throws(AuditError) -> AuditLine? {
        if let line = firstLine(of: descriptor) { return line }
        var reader = AuditReader(descriptor: descriptor, passesDamage: true)
        while let next = try reader.next() {
            if case .whole(let range) = next, let line = AuditLine(reader.buffer[range]) { return line }
        }
        return nil
    }

    /// The first line of a segment; nil where it is none.
    static func firstLine(of descriptor: Int32) -> AuditLine? {
        var lines = AuditLines(descriptor: descriptor)
        guard let line = try? lines.next(), case .whole(let octets) = line else { return nil }
        return AuditLine(octets[...])
    }
}

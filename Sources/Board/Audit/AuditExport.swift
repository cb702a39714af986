import Glibc
import JSON
import Linux

/// Copies what is sealed of an audit log, reads every copy back, and tells the gate that those segments may go when it needs room.
///
/// It runs beside the gate: sealed segments are not written any more, and the gate reads the mark.
public struct AuditExport {
    /// A segment that was copied, or was there already.
    public struct Copy: Hashable, Sendable {
        public let name: String
        public let segment: UInt32
        public let octets: Int64
        /// 64 digits.
        public let sha256: String
    }

    public private(set) var copies: [Copy] = []
    /// The last segment that may go now; 0 for none.
    public private(set) var marked: UInt32 = 0
    /// Digest of its last line, 64 digits.
    public private(set) var digest = ""
    /// Segments that nobody has a copy of and that were left out, as what is wanted begins behind them. Where there are any, the gate is
    /// told nothing: a mark says that everything up to it is copied.
    public private(set) var leftOut: ClosedRange<UInt32>?

    private let destination: String
    private let folder: AuditFolder

    /// - Parameters:
    ///   - path: the log's current segment.
    ///   - destination: a folder; made where only the last part of its path is missing.
    public init(of path: String, into destination: String, _ choice: Choice = .waiting) throws(AuditExportError) {
        self.destination = destination
        folder = AuditFolder(of: path)
        let parts = try Self.log { () throws(AuditError) in
            try folder.open()
            return try folder.parts()
        }
        // Also where there is nothing to copy: it would be taken for done.
        guard !folder.isSame(destination) else { throw .ownFolder(destination) }
        let before = AuditReport.exported(AuditMark.read(folder), folder, parts)
        let wanted = choice.of(parts, exported: before, in: folder)
        guard let first = wanted.first, let last = wanted.last else { return }
        let skipped = parts.filter { $0.number > before && $0.number < first.number }
        if let first = skipped.first, let last = skipped.last { leftOut = first.number...last.number }
        if mkdir(destination, 0o700) != 0, errno != EEXIST { throw .destination(destination, errno: errno) }
        for part in wanted { copies.append(try copy(part)) }
        let mark = try mark(wanted, of: parts)
        try put(manifest, folder.manifest(first.number, last.number))
        try syncDestination()
        // A medium with less room than it says takes it from what was written first.
        for copy in copies where try readBack(destination + "/" + copy.name) != copy.sha256 {
            throw .notAsWritten(destination + "/" + copy.name)
        }
        try tellGate(mark, before)
    }

    // MARK: copies

    /// A segment as it is copied: of a damaged one, zeros stand for what cannot be read.
    private struct Source {
        let descriptor: Int32
        let part: AuditFolder.Part

        var identity: FileIdentity? {
            var facts = stat()
            return fstat(descriptor, &facts) == 0 ? FileIdentity(facts) : nil
        }

        func read(from offset: off_t) throws(AuditError) -> [UInt8] {
            guard part.isSetAside else { return try AuditLines.read(descriptor, from: offset, count: 65_536) }
            let count = Int(clamping: min(4096, part.octets - Int64(offset)))
            guard count > 0 else { return [] }
            do throws(AuditError) {
                return try AuditLines.read(descriptor, from: offset, count: count)
            } catch {
                guard error.isDamage else { throw error }
                return [UInt8](repeating: 0, count: count)
            }
        }
    }

    private func copy(_ part: AuditFolder.Part) throws(AuditExportError) -> Copy {
        let name = folder.name(of: part), target = destination + "/" + name
        let source: Source, sha256: String
        do throws(AuditError) {
            source = Source(descriptor: try folder.file(name, O_RDONLY), part: part)
        } catch {
            throw .source(name, error)
        }
        defer { close(source.descriptor) }
        do throws(AuditError) {
            sha256 = try AuditLines.digest { (offset) throws(AuditError) in try source.read(from: offset) }
        } catch {
            throw .source(name, error)
        }
        if try !isThere(target, source, sha256) {
            try write(target) { (descriptor) throws(AuditExportError) in try transfer(source, name, to: descriptor, target) }
            guard try readBack(target + ".partial") == sha256 else { throw .notAsWritten(target) }
            try settle(target)
        }
        return Copy(name: name, segment: part.number, octets: part.octets, sha256: sha256)
    }

    /// Whether the copy is there already. One that is only the beginning of it is made anew: a medium that lost its power may have cut it
    /// off, whatever was waited for. Any other file of that name is not ours to replace.
    private func isThere(_ target: String, _ source: Source, _ sha256: String) throws(AuditExportError) -> Bool {
        var facts = stat()
        guard lstat(target, &facts) == 0 else {
            if errno == ENOENT { return false }
            throw .destination(target, errno: errno)
        }
        let descriptor = open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0, fstat(descriptor, &facts) == 0 else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            throw code == ELOOP ? .otherFile(target) : .destination(target, errno: code)
        }
        defer { close(descriptor) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .otherFile(target) }
        // Another name of the same file is no copy.
        guard source.identity != FileIdentity(facts) else { throw .ownFolder(target) }
        if Int64(facts.st_size) >= source.part.octets {
            guard try readBack(target) == sha256 else { throw .otherFile(target) }
            return true
        }
        guard isBeginning(descriptor, of: source) else { throw .otherFile(target) }
        return false
    }

    /// What cannot be read is not taken for the beginning of anything.
    private func isBeginning(_ descriptor: Int32, of source: Source) -> Bool {
        var offset: off_t = 0
        do throws(AuditError) {
            while true {
                let octets = try source.read(from: offset)
                let found = try AuditLines.read(descriptor, from: offset, count: octets.count)
                guard octets.starts(with: found) else { return false }
                if found.count < octets.count || octets.isEmpty { return true }
                offset += off_t(octets.count)
            }
        } catch {
            return false
        }
    }

    private func transfer(_ source: Source, _ name: String, to descriptor: Int32, _ target: String) throws(AuditExportError) {
        var offset: off_t = 0
        while true {
            let octets: [UInt8]
            do throws(AuditError) { octets = try source.read(from: offset) } catch { throw .source(name, error) }
            if octets.isEmpty { return }
            offset += off_t(octets.count)
            try Self.write(octets, to: descriptor, target)
        }
    }

    /// A file that has its name only when it is whole and on the disk.
    private func write(_ target: String, _ body: (Int32) throws(AuditExportError) -> Void) throws(AuditExportError) {
        // Non-blocking: a stick may have a FIFO of that name.
        let descriptor = open(target + ".partial", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw .destination(target, errno: errno) }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw .destination(target, errno: EINVAL) }
        guard ftruncate(descriptor, 0) == 0 else { throw .destination(target, errno: errno) }
        try body(descriptor)
        guard fsync(descriptor) == 0 else { throw .destination(target, errno: errno) }
    }

    private func settle(_ target: String) throws(AuditExportError) {
        guard rename(target + ".partial", target) == 0 else { throw .destination(target, errno: errno) }
    }

    private func put(_ octets: [UInt8], _ name: String) throws(AuditExportError) {
        let target = destination + "/" + name
        try write(target) { (descriptor) throws(AuditExportError) in try Self.write(octets, to: descriptor, target) }
        try settle(target)
    }

    /// The digest of what the medium gives back, and not of what memory still holds of the writing.
    private func readBack(_ path: String) throws(AuditExportError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw .destination(path, errno: errno) }
        defer { close(descriptor) }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        do throws(AuditError) { return try AuditLines.digest(of: descriptor) } catch { throw .notAsWritten(path) }
    }

    private func syncDestination() throws(AuditExportError) {
        let descriptor = open(destination, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .destination(destination, errno: errno) }
        defer { close(descriptor) }
        // All of the medium: the folder itself may be new, and its name is its parent's.
        let code = File.syncAll(descriptor)
        guard code == 0 else { throw .destination(destination, errno: code) }
    }

    private static func write(_ octets: [UInt8], to descriptor: Int32, _ target: String) throws(AuditExportError) {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .destination(target, errno: count == 0 ? ENOSPC : errno) }
            rest = rest.dropFirst(count)
        }
    }

    // MARK: what is said of them

    /// Names the last of those that a mark can name.
    private mutating func mark(_ wanted: [AuditFolder.Part], of parts: [AuditFolder.Part]) throws(AuditExportError) -> AuditMark? {
        for part in wanted.reversed() {
            guard let digest = AuditReport.digest(of: part, folder, parts) else { continue }
            (marked, self.digest) = (part.number, digest)
            return AuditMark(segment: marked, isDamaged: part.isSetAside, digest: digest)
        }
        return nil
    }

    private func tellGate(_ mark: AuditMark?, _ before: UInt32) throws(AuditExportError) {
        guard leftOut == nil, let mark, mark.segment > before else { return }
        do throws(SystemError) { try mark.store(in: folder) } catch { throw .notMarked(error) }
    }

    static func log<Value>(_ body: () throws(AuditError) -> Value) throws(AuditExportError) -> Value {
        do throws(AuditError) { return try body() } catch { throw .log(error) }
    }
}

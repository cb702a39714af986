import Glibc
import Linux

/// The audit log: JSON lines, each naming the digest of the one before, each on the disk before `append` returns.
///
/// The lines are kept in segments (`AuditFolder`). A segment that has its size is sealed and never written again; the next one begins with
/// a record that names its number and, as any record does, the last digest of the one before, so that there is one chain. A kill or a power
/// cut at any moment leaves at most one torn line at the end. Opening cuts it off by writing a `repaired` record in its place, so the cut
/// itself is part of the chain. One process writes; a second one is refused.
public final class AuditLog {
    public let path: String
    /// As asked for, but that segments are shorter on a small disk, and that there is more room while other limits are on trial.
    public internal(set) var limits: AuditLimits
    /// The limits that a site file on trial sets, where they are narrower than those before.
    var onTrial: AuditLimits?
    /// Octets of torn lines that were removed; 0 when the log was whole.
    public internal(set) var removedOctets = 0
    /// Number of the last record; 0 in an empty log.
    public var sequence: UInt64 { chain.sequence }
    /// Whether the next record can be written. Nobody can enter while it is anything but `writable`.
    public internal(set) var state = AuditState.writable
    /// Number of the segment that is written.
    public internal(set) var segment: UInt32 = 1

    let folder: AuditFolder
    /// The current segment; nil while the log could not be opened.
    var file: AuditFile?
    /// The last line.
    var chain = AuditEnd()
    /// Segments that are not written any more.
    var parts: [AuditFolder.Part] = []
    /// The segments up to this one are exported.
    var exported: UInt32 = 0
    var lastMark: AuditMark?
    /// Room for the next segment is set aside on the disk.
    var hasSpare = false
    /// Why there is none.
    var spareRefusal: AuditError?
    /// Octets of the segment's first records: with nothing behind them there is nothing to seal.
    var preamble: Int64 = 0
    /// No file can be made or renamed: the segment goes on beyond its size.
    var cannotSeal = false
    /// Octets that the log may have, by its limits and by what the disk has.
    var bound: Int64
    /// The line whose way to the disk failed: it may be there all the same.
    var doubt: AuditEnd?
    /// Number of a record that is on the disk although its writer was told that it is not: to be called void.
    var owedVoid: UInt64?
    /// `doubt` is that call.
    var isVoidInDoubt = false
    /// Who asks for a seal, where the request can only be left in its place.
    var stuckRequest: AuditFolder.Identity?
    /// Records that are written before any other.
    var owed: [AuditRecord] = []
    var toldFill = 0
    private var news: [AuditNews] = []
    private var isClosed = false

    /// Opens or creates the log at `path`, with mode 0600, repairs its end, and sets aside what cannot be repaired.
    ///
    /// The file has to be a regular file in an existing folder; symbolic links are refused. A disk that is full, read-only or failing is
    /// no reason to throw: `state` says so, and `append` and `attend` try again.
    ///
    /// - Parameter before: where the limits are those of a site file on trial, the ones before it.
    public convenience init(_ path: String, limits: AuditLimits = AuditLimits(), before: AuditLimits? = nil) throws(AuditError) {
        try self.init(path, limits: limits, before: before, watch: nil)
    }

    init(_ path: String, limits: AuditLimits, before: AuditLimits? = nil, watch: AuditFolder.Watch?) throws(AuditError) {
        self.path = path
        self.limits = before.map { limits.holding($0) } ?? limits
        if let before, limits.isNarrower(than: before) { onTrial = limits }
        bound = self.limits.total
        folder = AuditFolder(of: path)
        folder.watch = watch
        do throws(AuditError) {
            try open()
            try findRoom()
            state = try judge()
        } catch {
            guard error.mayPass else {
                close()
                throw error
            }
            state = AuditState(error)
        }
    }

    deinit { close() }

    /// Records what is so whether or not it can be written, as that the gate has started: now, or before the first record there is room
    /// for.
    public func begin(_ record: AuditRecord) {
        owed.append(record)
        // Of a log that nobody can write for years, the first of them and what is so now.
        if owed.count > Self.mostOwed { owed.remove(at: 1) }
        attend()
    }

    static let mostOwed = 8

    /// Writes a record and waits until it is on the disk.
    ///
    /// - Throws: `diskFull` and `logFull` with the log as it was before; `system` when it is not known whether the record is on the disk.
    ///   The next call finds that out first, so a disk that comes back is used again.
    public func append(_ record: AuditRecord) throws(AuditError) {
        guard !isClosed else { throw .closed }
        do throws(AuditError) {
            try makeReady()
            try write(record)
            state = try judge()
        } catch {
            if error != .recordTooLong { state = AuditState(error) }
            throw error
        }
    }

    /// What is done between visits: a log that could not be written is tried again, so that `state` becomes `writable` without a visitor;
    /// room for the next segment is made; what others ask for by files is done.
    public func attend() {
        guard !isClosed else { return }
        do throws(AuditError) {
            try makeReady()
            measure()
            readMark()
            try findRoom()
            let next = try judge()
            if next == .writable, state != .writable {
                // By writing: a disk that can be read need not be one that can be written.
                var record = AuditRecord(event: "resumed")
                if case .failing = state { record.add("after", .code("failing")) } else { record.add("after", .code("full")) }
                try write(record)
            }
            try sealAsAsked()
            state = try judge()
        } catch {
            state = AuditState(error)
        }
        tellFill()
    }

    /// Closes the log and lets another process have it. Closing twice is allowed.
    public func close() {
        isClosed = true
        file = nil
        folder.close()
    }

    /// What happened since the last of these.
    public func takeNews() -> [AuditNews] {
        defer { news = [] }
        return news
    }

    func tell(_ event: AuditNews) { news.append(event) }

    // MARK: Writing

    /// Writes a record into the current segment, or the next one where this one has its size.
    func write(_ record: AuditRecord) throws(AuditError) {
        var line = try compose(record)
        if let file, file.end + Int64(line.count) + Self.lastWords > limits.segment, !cannotSeal {
            try rotate()
            line = try compose(record)
        }
        guard let file else { throw .closed }
        if cannotSeal, sealedOctets + file.end + Int64(line.count) > limits.total { throw .logFull }
        do throws(AuditError) {
            try add(line, to: file)
        } catch {
            // Room was kept for this: something else has filled the disk.
            guard error == .diskFull, file.refusal == ENOSPC, hasSpare, !file.isDoubtful else { throw error }
            try rotate()
            guard let file = self.file else { throw error }
            try add(try compose(record), to: file)
        }
    }

    func compose(_ record: AuditRecord) throws(AuditError) -> [UInt8] {
        try AuditLine.compose(record, sequence: chain.sequence + 1, previous: chain.digest, at: Clock.wall(), up: Clock.monotonic())
    }

    func add(_ line: [UInt8], to file: AuditFile, isRepair: Bool = false) throws(AuditError) {
        let end = AuditEnd(sequence: chain.sequence + 1, digest: try AuditLine.digest(line.dropLast()))
        do throws(AuditError) {
            try file.write(line, isRepair: isRepair)
        } catch {
            // Nobody relies on a repair.
            if file.isDoubtful, !isRepair { doubt = end }
            throw error
        }
        chain = end
    }
}

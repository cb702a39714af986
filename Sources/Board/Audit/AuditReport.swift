import Glibc

/// What checking a whole audit log found.
public struct AuditReport: Hashable, Sendable {
    /// Why a line is bad.
    public enum Fault: String, Hashable, Sendable {
        /// It has no newline: a write was cut short, and opening the log will repair it.
        case torn
        /// It is longer than a line can be.
        case tooLong
        /// It is not a record.
        case malformed
        /// Its number does not follow.
        case outOfSequence
        /// It does not name the digest of the line before it.
        case broken
    }

    /// Good lines from the beginning.
    public private(set) var records: UInt64 = 0
    /// How many of them are repairs.
    public private(set) var repairs: UInt64 = 0
    /// Digest of the last good line, 64 digits: kept elsewhere, it also proves that nothing was cut off the end.
    public private(set) var digest = AuditLine.firstPrevious
    /// The first bad line, counted from 1; nil when all are good.
    public private(set) var badLine: UInt64?
    public private(set) var fault: Fault?

    /// Reads the log at `path` from beginning to end, up to the first bad line. Takes no lock, so a running gate is not disturbed; a line it is
    /// just writing may look torn.
    public init(checking path: String) throws(AuditError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw AuditError(errno: errno) }
        defer { Glibc.close(descriptor) }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var line: [UInt8] = []
        line.reserveCapacity(AuditLine.capacity)
        while fault == nil {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw AuditError(errno: errno) }
            if count == 0 { break }
            var rest = chunk[..<count]
            while fault == nil, let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<newline]
                try check(line[...])
                line.removeAll(keepingCapacity: true)
                rest = rest[(newline + 1)...]
            }
            if fault == nil { line += rest }
            if line.count >= AuditLine.capacity { blame(.tooLong) }
        }
        if fault == nil && !line.isEmpty { blame(.torn) }
    }

    private mutating func check(_ octets: ArraySlice<UInt8>) throws(AuditError) {
        if octets.count >= AuditLine.capacity { return blame(.tooLong) }
        guard let line = AuditLine(octets) else { return blame(.malformed) }
        guard line.sequence == records + 1 else { return blame(.outOfSequence) }
        guard line.previous == digest else { return blame(.broken) }
        records += 1
        if line.event == "repaired" { repairs += 1 }
        digest = try AuditLine.digest(octets)
    }

    private mutating func blame(_ fault: Fault) {
        guard self.fault == nil else { return }
        self.fault = fault
        badLine = records + 1
    }
}

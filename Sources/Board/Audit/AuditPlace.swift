/// A place in an audit log: the last record that somebody has.
package struct AuditPlace: Hashable, Sendable {
    /// 0 before the first record.
    package let sequence: UInt64
    /// SHA-256 of that record's line, 64 digits.
    package let digest: String
    /// Of the line before it: where a record that could not be brought to the disk was written anew, this is the place still.
    package let previous: String

    package init(sequence: UInt64, digest: String, previous: String) {
        (self.sequence, self.digest, self.previous) = (sequence, digest, previous)
    }

    /// Digits of the digest that tell two records with the same number apart: those of an exchanged log, or of one that a power cut made
    /// shorter. By chance the same once in 2^64 of them.
    private static let identityDigits = 16

    /// What, with its number, tells this record from every other one of the gate: the digest's first 16 digits.
    package var identity: String { String(digest.prefix(Self.identityDigits)) }

    /// Before the first record.
    package static let beginning = AuditPlace(sequence: 0, digest: AuditLine.firstPrevious, previous: AuditLine.firstPrevious)

    /// Of a line, and its octets without the newline.
    init(_ line: AuditLine, _ octets: ArraySlice<UInt8>) throws(AuditError) {
        self.init(sequence: line.sequence, digest: try AuditLine.digest(octets), previous: line.previous)
    }

    /// Of a line without its newline; nil for one that is none.
    package init?(of octets: [UInt8]) {
        guard let line = AuditLine(octets[...]), let place = try? AuditPlace(line, octets[...]) else { return nil }
        self = place
    }

    /// What a line has to follow.
    init(before line: AuditLine) {
        self.init(sequence: line.sequence - 1, digest: line.previous, previous: "")
    }

    /// Whether a line is the next one.
    func isFollowed(by line: AuditLine) -> Bool { line.sequence == sequence + 1 && line.previous == digest }
}

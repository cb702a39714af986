import BoardTestSupport

@testable import Audit

/// A log that is made line by line, as a gate writes it, with times and damages of the test's choosing.
struct MadeLog {
    /// 2026-11-22T00:00:00Z.
    static let midnight: UInt64 = 1_795_305_600

    let stage = Stage()
    private(set) var sequence: UInt64 = 0
    private var previous = AuditLine.firstPrevious
    private var segment: UInt32 = 1
    private var octets: [UInt8] = []

    var path: String { stage.path("audit.jsonl") }

    /// - Parameter at: seconds since midnight.
    mutating func add(_ event: String, at: UInt64, _ members: KeyValuePairs<String, AuditValue> = [:]) throws {
        try add(event, at: at, pairs: members.map { ($0, $1) })
    }

    mutating func add(_ event: String, at: UInt64, pairs members: [(String, AuditValue)]) throws {
        var record = AuditRecord(event: event)
        for (name, value) in members { record.add(name, value) }
        let line = try AuditLine.compose(
            record, sequence: sequence + 1, previous: previous, at: (Self.midnight + at) * 1_000_000_000, up: at * 1000)
        sequence += 1
        previous = try AuditLine.digest(line.dropLast())
        octets += line
    }

    /// What stands between two lines, or behind the last one.
    mutating func damage(_ text: String) { octets += Array(text.utf8) }

    /// Ends the segment and begins the next one.
    mutating func seal(at: UInt64, isDamaged: Bool = false) throws {
        try stage.put(octets, "audit-0000000\(segment)." + (isDamaged ? "damaged" : "jsonl"))
        octets = []
        segment += 1
        try add("segment", at: at, ["segment": .number(Int64(segment))])
    }

    /// Writes the current segment.
    func close() throws { try stage.put(octets, "audit.jsonl") }
}

extension AuditStatistics.Table {
    /// As `name count` each.
    var texts: [String] { rows.map { "\($0.name) \($0.count)" } }
}

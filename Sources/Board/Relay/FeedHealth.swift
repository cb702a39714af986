import Audit
import JSON

/// What the log says of how the gate is: the newest of each.
package struct FeedHealth: Hashable, Sendable {
    /// The image's version and slot, and when the gate was started, by its clock.
    package private(set) var version: String?
    package private(set) var slot: String?
    package private(set) var started: UInt64?
    /// `sure`, `unsure` or `unsigned`.
    package private(set) var clock: String?
    /// The trust bundle's number, and when it ends, in seconds since 1970.
    package private(set) var bundle: Int64?
    package private(set) var bundleNotAfter: Int64?
    /// Number and time of the last record.
    package private(set) var sequence: UInt64 = 0
    package private(set) var at: UInt64 = 0
    /// What is wrong at the door now, by what its records say.
    package private(set) var door: Set<String> = []
    /// Of the last `dropped`: records went that nobody had a copy of.
    package private(set) var hasLost = false

    package init() {}

    /// Kinds that begin with one record and end with another.
    private static let ends = [
        "held-ended": "held", "tamper-ended": "tamper", "lines-back": "lines-lost", "emergency-ended": "emergency",
    ]

    /// Takes a record of the log: its line.
    package mutating func take(_ place: AuditPlace, _ octets: [UInt8]) {
        guard let root = (try? JSONDocument(parsing: octets))?.root else { return }
        (sequence, at) = (place.sequence, UInt64(max(0, root["at"]?.int64 ?? 0)))
        switch root["event"]?.string {
        case "started":
            (version, slot, clock, started) = (root["version"]?.string, root["slot"]?.string, root["clock"]?.string, at)
            door = []
            take(bundle: root)
        case "trust": take(bundle: root)
        case "visit": if let number = root["bundle"]?.int64 { bundle = number }
        case "dropped": if root["exported"]?.bool == false { hasLost = true }
        case "door":
            guard let what = root["what"]?.string else { return }
            if let begun = Self.ends[what] {
                door.remove(begun)
            } else if Self.ends.values.contains(what) {
                door.insert(what)
            }
        default: break
        }
    }

    private mutating func take(bundle root: JSONValue) {
        if let number = root["bundle"]?.int64 { bundle = number }
        if let end = root["bundleNotAfter"]?.int64 { bundleNotAfter = end }
    }
}

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
    /// Number, identity and time of the last record; without the two others where nothing may be said of a single one (`counted`).
    package private(set) var sequence: UInt64 = 0
    package private(set) var identity: String?
    package private(set) var at: UInt64 = 0
    /// Up to which record the other side has the log, by the cursor.
    package var delivered: UInt64 = 0
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
        (sequence, identity, at) = (place.sequence, place.identity, UInt64(max(0, root["at"]?.int64 ?? 0)))
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

    /// A record was handed out, so the log has it.
    package mutating func reach(_ place: AuditPlace, at: UInt64) {
        if place.sequence > sequence { (sequence, identity, self.at) = (place.sequence, place.identity, at) }
    }

    /// As it may be told where only counts leave: that a record came is the news of the stretch it is counted in, and of nothing else.
    ///
    /// - Parameter last: of the last stretch that was handed out.
    package func counted(upTo last: UInt64) -> FeedHealth {
        var told = self
        (told.sequence, told.identity, told.at) = (last, nil, 0)
        return told
    }

    private mutating func take(bundle root: JSONValue) {
        if let number = root["bundle"]?.int64 { bundle = number }
        if let end = root["bundleNotAfter"]?.int64 { bundleNotAfter = end }
    }
}

extension FeedHealth {
    /// The health as others read it: an object of codes and numbers (docs/feed.md).
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - delivered: up to which record the other side has the log, by this connection; by the cursor it may be further.
    package func octets(gate: String, now: UInt64, delivered: UInt64) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.beginObject()
        writer.member("feed", FeedComposer.version)
        writer.member("gate", gate)
        writer.member("at", now)
        writer.member("seq", sequence)
        if let identity { writer.member("id", identity) }
        writer.member("delivered", max(delivered, self.delivered))
        writer.member("trouble", hasTrouble(now))
        if at > 0 { writer.member("lastAt", at) }
        if let version { writer.member("version", version) }
        if let slot { writer.member("slot", slot) }
        if let started { writer.member("started", started) }
        if let clock { writer.member("clock", clock) }
        if let bundle { writer.member("bundle", bundle) }
        if let days = bundleDays(now) { writer.member("bundleDays", days) }
        writer.name("door")
        writer.beginArray()
        for what in door.sorted() { writer.string(what) }
        writer.endArray()
        if hasLost { writer.member("lost", true) }
        writer.endObject()
        return writer.bytes
    }

    /// Days until the trust bundle ends, rounded down; negative when it has ended.
    package func bundleDays(_ now: UInt64) -> Int64? {
        guard let bundleNotAfter, let now = Int64(exactly: now) else { return nil }
        let seconds = bundleNotAfter.subtractingReportingOverflow(now)
        guard !seconds.overflow else { return nil }
        return seconds.partialValue >= 0 ? seconds.partialValue / 86_400 : -((86_399 - seconds.partialValue) / 86_400)
    }

    /// Somebody should look: at the door, at the log, at the bundle.
    package func hasTrouble(_ now: UInt64) -> Bool { !door.isEmpty || hasLost || (bundleDays(now) ?? 7) < 7 }
}

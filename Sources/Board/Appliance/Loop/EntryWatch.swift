import Credentials
import Envelopes
import Trust

/// Whether anybody can enter, as far as that depends on whom the gate believes and on the time; and what ends within days.
public struct EntryWatch {
    /// Days before an end from which on it is told. A new certificate of updates comes by an update under the old one: an image is to be
    /// made, and to reach every gate, before.
    public static func notice(_ part: TrustEnd.Part) -> Int64 { part == .updateRoot ? 90 : 14 }
    /// Nanoseconds between two looks at the clock: somebody may set it at any time.
    static let pause: UInt64 = 5_000_000_000
    private static let day: UInt64 = 86_400_000_000_000
    /// How long what takes memory waits for visitors to be gone: somebody may stand there all day to keep a warning from being told.
    private static let patience: UInt64 = 3_600_000_000_000

    /// What a warning is made of: which of `ends`, and what is said of its time.
    private struct Mark: Equatable {
        let place: Int
        /// nil where it has ended.
        let days: Int64?
    }

    /// What is so for as long as the process lives, or until there is somebody to believe.
    private var standing: ClosedCauses
    private var trust: TrustStore
    /// What ends whoever is believed.
    private let others: [TrustEnd]
    private var ends: [TrustEnd] = []
    /// When `ends` is looked up again, which verifies every status list. 0: they are those of an earlier bundle.
    private var lookUpAt: UInt64 = 0
    /// What was told since then.
    private var told: Set<TrustEnd> = []
    /// What `warning` says, so that it is made only where it changes: once a day, as long as nobody sets the clock.
    private var said: [Mark] = []
    /// When nobody was served for the last time, in nanoseconds.
    private var quietAt: UInt64 = 0
    /// When `pass` wants to be called, in nanoseconds of the monotonic clock.
    public private(set) var nextLook: UInt64 = 0
    public private(set) var causes: ClosedCauses
    /// What ends within days, as the end of a line: of whoever is believed what ends first, which closes the gate, and that of updates:
    /// `trust ends in 6 days, the update root has ended`.
    public private(set) var warning: String?

    /// - Parameters:
    ///   - standing: what no reload and no time changes.
    ///   - others: what ends beside the trust store.
    public init(_ trust: TrustStore, standing: ClosedCauses = [], others: [TrustEnd] = []) {
        self.trust = trust
        self.others = others
        self.standing = standing
        causes = standing
    }

    /// Another bundle from now on.
    public mutating func believe(_ trust: TrustStore) {
        self.trust = trust
        if !trust.isOfNobody { standing.remove(ClosedCauses(.dataMadeAnew)) }
        lookUpAt = 0
        nextLook = 0
    }

    /// Looks at the clocks: `now` the monotonic one in nanoseconds, `wall` and `uptime` in seconds. `causes` are of this moment.
    ///
    /// Allocates nothing where `isServing` somebody: what ends is looked up, and told, as soon as the visitor is gone.
    ///
    /// - Returns: what to report: each thing that ends within days, once a day.
    public mutating func pass(_ now: UInt64, wall: Seconds, uptime: Seconds, isServing: Bool = false) -> [String] {
        if !isServing { quietAt = now }
        guard now >= nextLook else { return [] }
        causes = standing.union(ClosedCauses(trust: trust, at: wall, uptime: uptime))
        nextLook = now &+ pause(until: trust.terms?.notAfter, wall)
        let time = trust.terms?.clock(at: wall, uptime: uptime).now ?? wall
        let mayWait = isServing && lookUpAt != 0 && now &- quietAt < Self.patience
        return mayWait ? [] : tell(now, time)
    }

    private mutating func tell(_ now: UInt64, _ time: Seconds) -> [String] {
        if now >= lookUpAt {
            lookUpAt = now &+ Self.day
            ends = (trust.ends(at: time) + others).sorted { $0.time < $1.time }
            told = []
            said = []
            warning = nil
        }
        // At every pass: a clock may be set by years, also back.
        guard !isSaid(time) else { return [] }
        said = ends.indices.compactMap { mark($0, time) }
        let near = said.map { ends[$0.place] }
        let first = [near.first { $0.part != .updateRoot }, near.first { $0.part == .updateRoot }].compactMap(\.self)
        warning = first.isEmpty ? nil : first.map { "\($0.name) \(Self.words($0, time))" }.joined(separator: ", ")
        return near.filter { told.insert($0).inserted }.map { "\($0) \(Self.words($0, time)): \(Self.remedy($0, time))" }
    }

    /// nil where that end is far.
    private func mark(_ place: Int, _ time: Seconds) -> Mark? {
        let end = ends[place], days = end.days(from: time)
        guard days < Self.notice(end.part) else { return nil }
        return Mark(place: place, days: end.time > time ? days : nil)
    }

    /// Whether what `warning` says is so at that time. Allocates nothing.
    private func isSaid(_ time: Seconds) -> Bool {
        var known = 0
        for place in ends.indices {
            guard let mark = mark(place, time) else { continue }
            guard known < said.count, said[known] == mark else { return false }
            known += 1
        }
        return known == said.count
    }

    private static func remedy(_ end: TrustEnd, _ now: Seconds) -> String {
        guard end.part == .updateRoot else { return "make and install a new trust bundle" }
        return end.time > now
            ? "install an image with a newer one" : "no update can be installed, write the card anew with an image that has a newer one"
    }

    private func pause(until end: Seconds?, _ wall: Seconds) -> UInt64 {
        guard let end, end > wall, end - wall < 5 else { return Self.pause }
        return UInt64(end - wall) * 1_000_000_000
    }

    /// `ends in 6 days`, `has ended`.
    public static func words(_ end: TrustEnd, _ now: Seconds) -> String {
        guard end.time > now else { return "has ended" }
        return switch end.days(from: now) {
        case 0: "ends within a day"
        case 1: "ends in 1 day"
        case let days: "ends in \(days) days"
        }
    }
}

import Credentials

/// Whether anybody can enter, as far as that depends on whom the gate believes and on the time; and what ends within days.
public struct EntryWatch {
    /// Days before an end from which on it is told. A new certificate of updates comes by an update under the old one: an image is to be made, and to reach
    /// every gate, before.
    public static func notice(_ part: TrustEnd.Part) -> Int64 { part == .updateRoot ? 90 : 14 }
    /// Nanoseconds between two looks at the clock: somebody may set it at any time.
    static let pause: UInt64 = 5_000_000_000
    private static let day: UInt64 = 86_400_000_000_000

    /// What is so for as long as the process lives, or until there is somebody to believe.
    private var standing: ClosedCauses
    private var trust: TrustStore
    /// What ends whoever is believed.
    private let others: [TrustEnd]
    private var ends: [TrustEnd] = []
    private var tellAt: UInt64 = 0
    /// When `pass` wants to be called, in nanoseconds of the monotonic clock.
    public private(set) var nextLook: UInt64 = 0
    public private(set) var causes: ClosedCauses
    /// What ends first of all within days, as the end of a line: `trust ends in 6 days`.
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
        if !trust.issuers.isEmpty { standing.remove(ClosedCauses(.dataMadeAnew)) }
        tellAt = 0
        nextLook = 0
    }

    /// Looks at the clocks: `now` the monotonic one in nanoseconds, `wall` and `uptime` in seconds.
    ///
    /// - Returns: what to report, once a day: each thing that ends within days.
    public mutating func pass(_ now: UInt64, wall: Seconds, uptime: Seconds) -> [String] {
        guard now >= nextLook else { return [] }
        causes = standing.union(ClosedCauses(trust: trust, at: wall, uptime: uptime))
        nextLook = now &+ pause(until: trust.terms?.notAfter, wall)
        guard now >= tellAt else { return [] }
        tellAt = now &+ Self.day
        let time = trust.terms?.clock(at: wall, uptime: uptime).now ?? wall
        ends = (trust.ends(at: time) + others).sorted { $0.time < $1.time }
        let near = ends.filter { $0.days(from: time) < Self.notice($0.part) }
        warning = near.first.map { "\($0.name) \(Self.words($0, time))" }
        return near.map { "\($0) \(Self.words($0, time)): \(Self.remedy($0.part))" }
    }

    private static func remedy(_ part: TrustEnd.Part) -> String {
        part == .updateRoot ? "install an image with a newer one" : "make and install a new trust bundle"
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

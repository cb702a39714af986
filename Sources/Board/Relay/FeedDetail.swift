import JSON

/// How much of the log leaves.
public enum FeedDetail: String, Hashable, Sendable, CaseIterable {
    /// The lines of the log, octet for octet: their chain can be checked elsewhere.
    case all
    /// What was decided and why, and what happened at the door and to the gate; no issuer, and no time but the second.
    case verdicts
    /// How often, for a stretch of time.
    case counts
}

/// What all outlets have in common: the gate's name elsewhere, and how much leaves.
public struct FeedSettings: Hashable, Sendable {
    /// 1 to 32 of `a` to `z`, digits and hyphens.
    public let gate: String
    public let detail: FeedDetail
    /// Seconds that one record of `counts` is about.
    public let period: UInt64

    public init(gate: String, detail: FeedDetail = .verdicts, period: UInt64 = 300) {
        (self.gate, self.detail, self.period) = (gate, detail, max(1, period))
    }

    public init(_ settings: inout OutletSettings) throws(OutletSettingsError) {
        let gate = try settings.text("gate", most: 32)
        guard Self.isName(gate) else { throw .badMember("gate") }
        self.gate = gate
        detail = try settings.word("detail", else: FeedDetail.verdicts)
        period = UInt64(try settings.number("period", 10...86_400, else: 300))
    }

    /// Whether a text can be part of a topic, an id or a label.
    package static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}

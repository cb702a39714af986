/// A verdict as a guard may look it up: what came of it, why, and how long ago. Nothing of whom it was on.
public struct VerdictLine: Hashable, Sendable {
    public let isAccepted: Bool
    /// A code of reasons.md.
    public let code: String?
    /// Since then.
    public let seconds: UInt64

    public init(isAccepted: Bool, code: String? = nil, seconds: UInt64) {
        self.isAccepted = isAccepted
        self.code = code
        self.seconds = seconds
    }

    /// How long ago, in the unit that says enough: the symbols are read in every language.
    var age: String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    /// The same for a terminal.
    var text: String {
        "\((isAccepted ? Sign.Kind.accepted : .rejected).character) \(age): \(isAccepted ? "accepted" : "not accepted")"
            + (code.map { " (\($0))" } ?? "")
    }
}

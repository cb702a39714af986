/// The two versions of the present-proof protocol (RFC 0037, RFC 0454), and what things are called in each (aries.md section 3).
public enum ProofVersion: Int, Hashable, Sendable, CaseIterable {
    case one = 1, two = 2

    static let family = "present-proof"
    /// The name of the message that a presentation is in.
    static let presentation = "presentation"
    static let problemReport = "problem-report"
    /// The one attachment of version 1.0 that is a presentation.
    static let attachmentOfOne = "libindy-presentation-0"

    /// `@type` of a message of ours.
    func type(_ name: String) -> String { "\(MessageType.prefix)\(Self.family)/\(rawValue).0/\(name)" }
}

/// How version 2.0 names a request for a presentation, and the presentation. What is inside is the same.
public enum ProofFormat: String, Hashable, Sendable, CaseIterable {
    case anoncreds = "anoncreds/proof-request@v1.0"
    /// For definitions with Indy's ids, where a site chooses it.
    case indy = "hlindy/proof-req@v2.0"

    /// Of the presentation.
    public var presentation: String {
        switch self {
        case .anoncreds: "anoncreds/proof@v1.0"
        case .indy: "hlindy/proof@v2.0"
        }
    }
}

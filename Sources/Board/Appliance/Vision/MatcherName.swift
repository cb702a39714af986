import Devices

/// A face matcher as options, site files and board profiles name it: `dlib` is /usr/lib/gatehouse/face-dlib.so, its models are in
/// /usr/share/gatehouse/models/dlib.
public struct MatcherName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Nil unless it is 1 to 32 of `a` to `z`, digits and hyphens: it becomes part of a path.
    public init?(_ text: String) {
        guard BoardProfile.isMatcherName(text) else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    public static let usual = MatcherName(known: "dlib")

    public var plugin: String { "/usr/lib/gatehouse/face-\(text).so" }
    public var models: String { "/usr/share/gatehouse/models/\(text)" }
    public var description: String { text }
}

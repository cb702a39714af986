/// Why an object of the trust bundle cannot be used: which one, and which member of it (anoncreds.md section 8).
public struct ContextFault: Error, Hashable, Sendable {
    public enum Problem: String, Hashable, Sendable, CaseIterable {
        case missing
        case wrongType = "wrong-type"
        /// Not `0|[1-9][0-9]*` of at most 1200 digits.
        case notCanonical = "not-canonical"
        /// A modulus that is even, or of another size than 2047 to 2056 bits; a base outside 2 … n-1.
        case outOfRange = "out-of-range"
        case notCoprime = "not-coprime"
        /// `r` has other keys than the schema's views and `master_secret`.
        case wrongKeys = "wrong-keys"
        /// Not a point of its curve, infinity, or outside the subgroup; of `z`, not an element of order r.
        case notInGroup = "not-in-group"
        /// The same id twice, or two attributes with one view.
        case duplicate
        /// Names another object that is not there or does not belong to it.
        case unknown
        case tooMany = "too-many"
        /// libcrypto had no memory.
        case unavailable
    }

    /// The object's id.
    public let object: String
    /// The path of the member, as `primary.r.years`.
    public let member: String
    public let problem: Problem

    public init(_ object: String, _ member: String, _ problem: Problem) {
        self.object = object
        self.member = member
        self.problem = problem
    }
}

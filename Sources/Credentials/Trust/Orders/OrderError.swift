/// Why an order is not made, signed or followed. After any of these nothing of it is done.
public enum OrderError: Error, Hashable, Sendable {
    /// The signed file around it.
    case signature(CosignError)

    // Content
    case malformed(TrustError)
    /// Not in the form of RFC 8785, which is its one encoding.
    case notCanonical
    case kindUnknown(String)
    /// A number outside 1 to `TrustBundle.largestSequence`.
    case numberRefused
    /// A time before 1970 or after the year 9999.
    case timeRefused
    /// It ends before it was made.
    case windowRefused
    /// No gate, too many, one twice, or an id no gate has.
    case gatesRefused
    /// No JSON object, or too large.
    case contentRefused
    /// An order for the clock that may be used for longer than `TimeOrder.longestUse`, or for a time outside of its use.
    case useTooLong

    // For one gate
    case wrongKind(found: Order.Kind, wanted: Order.Kind)
    case forOthers(this: String)
    /// It names gates, and this one has no id.
    case noGateID
    case expired(at: Seconds)
}

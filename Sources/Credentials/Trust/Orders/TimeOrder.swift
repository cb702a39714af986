import JSON

/// The content of an order of the kind `time`: `{}`, or `{"time":"2026-11-23T09:00:00Z","turnBack":true}`.
public struct TimeOrder: Hashable, Sendable {
    /// Seconds from an order's making to its end at most. A file nobody used is a time somebody else can set once: not for long.
    public static let longestUse: Seconds = 31 * 86_400

    /// What the board's clock is set to, in seconds since 1970: the moment at which the order is expected to arrive, by itself the one at which it was made.
    public let time: Seconds
    /// Whether a clock that is ahead is turned back, also where that is more than clocks differ by anyway.
    public let mayTurnBack: Bool

    /// Throws `wrongKind`, `malformed`, `timeRefused`, `useTooLong`.
    public init(_ order: Order) throws(OrderError) {
        guard order.kind == .time else { throw .wrongKind(found: order.kind, wanted: .time) }
        do throws(TrustError) {
            let content = try TrustMember(file: "order", bytes: order.content), members = try content.object(known: ["time", "turnBack"])
            time = try members["time"].map { (member) throws(TrustError) in try member.time() } ?? order.created
            mayTurnBack = try members["turnBack"].map { (member) throws(TrustError) in
                guard let flag = member.value.bool else { throw member.fault(.wrongType) }
                return flag
            } ?? false
        } catch {
            throw .malformed(error)
        }
        guard order.notAfter - order.created <= Self.longestUse, order.created <= time, time < order.notAfter else { throw .useTooLong }
    }
}

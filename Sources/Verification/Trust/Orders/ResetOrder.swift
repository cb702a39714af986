import Envelopes

/// An order of the kind `reset`: for gates that it names, one by one, and not for long. What lies around for a year, or is good for every
/// gate there is, would be a way to silence them. Its content is `{}`.
public struct ResetOrder: Hashable, Sendable {
    /// Seconds from an order's making to its end at most.
    public static let longestUse: Seconds = TimeOrder.longestUse

    /// Throws `wrongKind`, `malformed`, `gatesRefused`, `useTooLong`.
    public init(_ order: Order) throws(OrderError) {
        guard order.kind == .reset else { throw .wrongKind(found: order.kind, wanted: .reset) }
        do throws(TrustError) {
            _ = try TrustMember(file: "order", bytes: order.content).object(known: [])
        } catch {
            throw .malformed(error)
        }
        guard case .these = order.gates else { throw .resetOfAll }
        guard order.notAfter - order.created <= Self.longestUse else { throw .useTooLong }
    }
}

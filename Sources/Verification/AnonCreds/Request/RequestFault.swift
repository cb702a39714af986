/// Why a request for a presentation cannot be used: a fault of the gate's own settings, never of a wallet's.
public struct RequestFault: Error, Hashable, Sendable {
    /// The path of the member, as `requested_attributes.name.names`.
    public let member: String

    init(_ member: String) { self.member = member }
}

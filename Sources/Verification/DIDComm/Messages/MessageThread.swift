import JSON

/// Which messages belong together: `~thread` of what answers a request (aries.md section 3).
public struct MessageThread: Hashable, Sendable {
    /// `@id` of the request.
    public let request: String
    /// `@id` of the invitation that the request was in.
    public let invitation: String

    public init(request: String, invitation: String) {
        self.request = request
        self.invitation = invitation
    }

    /// Compares octets. The request has to be named, the invitation may be.
    func check(_ message: JSONValue) throws(WalletMessageFault) {
        let thread = message["~thread"]
        guard let request = thread?["thid"], request.isString(self.request) else { throw .thread }
        guard let invitation = thread?["pthid"], !invitation.isNull else { return }
        guard invitation.isString(self.invitation) else { throw .parentThread }
    }

    /// The member of a message of ours.
    func write(to message: inout JSONWriter, withInvitation: Bool) {
        message.name("~thread")
        message.object { thread in
            thread.member("thid", request)
            if withInvitation { thread.member("pthid", invitation) }
        }
    }
}

/// What the keeper of the socket is told when it is started; nothing of it can be changed later, by anybody.
package struct ListenerSettings: Hashable, Sendable {
    package var address: ListenerAddress
    /// `gatehouse-http`; nil for the one beside the running program.
    package var program: String?
    /// Whom it becomes where root starts it; nil to stay root, without any of its powers.
    package var user: String?
    /// A listener does without the parts of its sandbox this system does not have.
    package var isLenient = false

    package init(address: ListenerAddress) {
        self.address = address
    }

    var arguments: [String] {
        var texts = ["gatehouse-http", "keeper", "--address", address.host, "--port", "\(address.port)"]
        if let user { texts += ["--user", user] }
        return isLenient ? texts + ["--lenient"] : texts
    }
}

import Linux

/// Whether anything is taken by network, as options and the site file say it. Off unless one of them names an address.
package struct ListenerConfiguration: Sendable {
    /// `ADDRESS:PORT`, of the option.
    package var address: String?

    package init(address: String? = nil) {
        self.address = address
    }

    /// What is listened on: by the option, or the site file; nil where neither names anything.
    package func wanted(_ links: DeviceLinks) throws(ConfigurationError) -> ListenerAddress? {
        guard let text = address ?? links.site.settings?.http else { return nil }
        return try ListenerAddress(text)
    }

    /// Starts what has the socket; nil where nothing is to be listened on.
    ///
    /// Before anything is given up: a port below 1024 may be root's.
    ///
    /// - Parameters:
    ///   - user: whom it becomes where root starts it.
    ///   - isLenient: does without the parts of the sandbox this system does not have.
    func makeDesk(
        _ links: DeviceLinks, user: String?, isLenient: Bool
    ) throws(ConfigurationError) -> ListenerDesk? {
        guard let address = try wanted(links) else { return nil }
        var settings = ListenerSettings(address: address)
        (settings.user, settings.isLenient) = (user, isLenient)
        return try opened("--http \(address)") { () throws(KeeperError) in try ListenerDesk(settings, report: say) }
    }
}

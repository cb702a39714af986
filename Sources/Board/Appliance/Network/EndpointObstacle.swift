/// Why nothing comes of the address at which wallets are told to post a proof (aries.md section 6).
package enum EndpointObstacle: Hashable, Sendable {
    /// Nothing is listened on.
    case unheard(endpoint: String)
    /// What is listened on is another address, port or path.
    case elsewhere(endpoint: String, heard: String)

    /// Nil where what is posted there arrives, as far as anybody can tell here. What ends TLS in front of the listener is not looked at,
    /// and whom a name leads to is for the network to say.
    ///
    /// - Parameters:
    ///   - endpoint: as the site says it, with its scheme.
    ///   - heard: nil where nothing is listened on.
    package init?(_ endpoint: String, heard: ListenerAddress?) {
        guard let heard else {
            self = .unheard(endpoint: endpoint)
            return
        }
        guard !Self.isHeard(endpoint, heard) else { return nil }
        self = .elsewhere(endpoint: endpoint, heard: heard.endpoint)
    }

    private static func isHeard(_ endpoint: String, _ heard: ListenerAddress) -> Bool {
        let scheme = "http://"
        guard endpoint.hasPrefix(scheme) else { return true }
        let rest = endpoint.dropFirst(scheme.count), end = rest.firstIndex(of: "/") ?? rest.endIndex
        guard rest[end...] == ListenerAddress.envelopePath else { return false }
        let authority = rest[..<end]
        // The colons of an IPv6 address stand in brackets.
        let colon = authority.lastIndex(of: ":").flatMap { place in authority.lastIndex(of: "]").map { $0 < place } ?? true ? place : nil }
        let port = colon.map { UInt16(authority[authority.index(after: $0)...]) } ?? 80
        guard port == heard.port else { return false }
        return heard.mayBe(String(authority[..<(colon ?? authority.endIndex)]))
    }

    /// For the operator.
    package var sentence: String {
        switch self {
        case .unheard(let endpoint): "wallets are told to post to \(endpoint), and nothing is listened on (--http)"
        case .elsewhere(let endpoint, let heard): "wallets are told to post to \(endpoint), and what is listened on is \(heard)"
        }
    }
}

extension OfferConfiguration {
    /// Why nothing comes of proofs that are posted; nil where none are to be, and where they arrive.
    package func endpointObstacle(
        _ links: DeviceLinks, _ network: ListenerConfiguration
    ) throws(ConfigurationError) -> EndpointObstacle? {
        let isOffered = try settings(links).kinds.contains(.aries)
        guard isOffered, let endpoint = try wishes(links, isOffered: true)?.endpoint else { return nil }
        return EndpointObstacle(endpoint, heard: try network.wanted(links))
    }
}

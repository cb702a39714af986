import Relay
import Webhook

/// Where records are posted, and the secret that signs them.
struct WebhookSettings {
    let feed: FeedSettings
    let server: HTTPSRequest.Server
    let port: UInt16
    let secret: WebhookSecret
    let clock: ClockWord
    /// Seconds for one attempt.
    let timeout: Int

    init(_ settings: inout OutletSettings, _ feed: FeedSettings) throws(OutletSettingsError) {
        self.feed = feed
        (server, port) = try HTTPSRequest.Server.read(&settings)
        guard var keys = try settings.secret("secretFile") else { throw .missingMember("secretFile") }
        defer { for index in keys.indices { keys[index] = 0 } }
        if let old = try settings.secret("oldSecretFile") { keys += [0x0A] + old }
        do throws(WebhookSecretError) { secret = try WebhookSecret(keys) } catch { throw .badMember("secretFile") }
        clock = try settings.word("clock", else: ClockWord.either)
        timeout = Int(try settings.number("timeout", 1...120, else: 15))
    }
}

extension HTTPSRequest.Server {
    /// `url`, `authorities`, `certificate` and `key`; the port too, for the confinement.
    static func read(_ settings: inout OutletSettings) throws(OutletSettingsError) -> (HTTPSRequest.Server, UInt16) {
        let url = try settings.text("url", most: 2048)
        guard let port = port(of: url) else { throw .badMember("url") }
        let own = try settings.ownCertificate(), authorities = try settings.optionalPath("authorities")
        return (HTTPSRequest.Server(url: url, authorities: authorities, certificate: own?.certificate, key: own?.key), port)
    }

    /// Nil for what is no https URL in plain ASCII, without a name, a password and a fragment.
    static func port(of url: String) -> UInt16? {
        guard url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), url.prefix(8).lowercased() == "https://", !url.contains("#") else { return nil }
        let authority = url.dropFirst(8).prefix { !"/?".contains($0) }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        // An IPv6 address has colons of its own, within its brackets.
        let afterHost = authority.hasPrefix("[") ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
        if afterHost.isEmpty { return authority.hasPrefix("[") && !authority.contains("]") ? nil : 443 }
        guard afterHost.first == ":", let port = UInt16(afterHost.dropFirst()), port > 0 else { return nil }
        return port
    }

    /// Files that are read for each connection.
    var files: [String] {
        [authorities, certificate, key].compactMap(\.self) + (authorities == nil ? ["/etc/ssl", "/usr/share/ca-certificates"] : [])
    }
}

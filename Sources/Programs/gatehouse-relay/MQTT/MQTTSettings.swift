import Relay

/// Where the broker is, who we are there, and whose word counts.
struct MQTTSettings {
    enum Confirm: String {
        /// The broker's: it has the record, and somebody reads it.
        case broker
        /// The collector's: it says how far it has the log.
        case collector
        /// Nobody's: what the broker takes counts, though nobody keeps it.
        case none
    }

    let feed: FeedSettings
    let host: String
    let port: UInt16
    /// Path of the certificates the broker's is judged by.
    let authorities: String
    let user: String
    let password: [UInt8]?
    /// Paths of a certificate and its key, in place of a password.
    let certificate: String?
    let key: String?
    let confirm: Confirm
    /// Seconds without the collector's word after which what waits for it is sent again.
    let confirmTimeout: UInt64
    /// Seconds.
    let keepAlive: Int32
    let healthEvery: UInt64
    let homeAssistant: Bool

    init(_ settings: inout OutletSettings, _ feed: FeedSettings) throws(OutletSettingsError) {
        self.feed = feed
        host = try settings.host()
        port = try settings.port(else: 8883)
        authorities = try settings.path("authorities")
        user = try settings.optionalText("user", most: 256) ?? feed.gate
        password = try settings.secret("passwordFile")
        let own = try settings.ownCertificate()
        (certificate, key) = (own?.certificate, own?.key)
        // Which of the two the broker is shown would be a matter of luck.
        guard own == nil || password == nil else { throw .conflict("certificate", "passwordFile") }
        confirm = try settings.word("confirm", else: Confirm.broker)
        confirmTimeout = UInt64(try settings.number("confirmTimeout", 1...3600, else: 60))
        keepAlive = Int32(truncatingIfNeeded: try settings.number("keepAlive", 10...3600, else: 30))
        healthEvery = UInt64(try settings.number("healthEvery", 10...86_400, else: 60))
        homeAssistant = try settings.flag("homeAssistant", else: false)
    }
}

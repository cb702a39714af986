import Relay
import Syslog

/// Where the receiver is, and who we are there.
struct SyslogSettings {
    let feed: FeedSettings
    let host: String
    let port: UInt16
    /// What its certificate has to be of.
    let name: String
    let authorities: String?
    let certificate: String?
    let key: String?
    let sender: SyslogMessage.Sender
    /// Records that are sent again after a connection that broke: nobody says what came of them.
    let rewind: Int
    /// What the unit's memory holds, with half as many again under way: some 400 octets each.
    private static let mostRewind: Int64 = 20_000
    /// Seconds without a new record after which the receiver is asked, by an end of the connection, whether it has all of them.
    let settle: UInt64

    init(_ settings: inout OutletSettings, _ feed: FeedSettings) throws(OutletSettingsError) {
        self.feed = feed
        host = try settings.host()
        port = try settings.port(else: 6514)
        name = try settings.optionalText("name", most: 253) ?? host
        authorities = try settings.optionalPath("authorities")
        let own = try settings.ownCertificate()
        (certificate, key) = (own?.certificate, own?.key)
        let number = try settings.number("enterprise", 1...Int64(UInt32.max), else: Int64(SyslogMessage.Sender.documentation))
        guard let sender = SyslogMessage.Sender(host: feed.gate, enterprise: UInt32(truncatingIfNeeded: number)) else {
            throw .badMember("gate")
        }
        self.sender = sender
        rewind = Int(try settings.number("rewind", 0...Self.mostRewind, else: 2000))
        settle = UInt64(try settings.number("settle", 1...3600, else: 30))
    }
}

import Testing

@testable import Relay

/// What an outlet's settings file may hold, and what each mistake is called.
@Suite struct OutletSettingsTests {
    private func settings(_ text: String) throws(OutletSettingsError) -> OutletSettings { try OutletSettings(parsing: Array(text.utf8)) }

    @Test func aFileHasWhatIsAskedForAndNothingElse() throws {
        var whole = try settings(#"{"$schema":"x","gate":"east-1","detail":"counts","period":60}"#)
        let feed = try FeedSettings(&whole)
        try whole.finish()
        #expect(feed == FeedSettings(gate: "east-1", detail: .counts, period: 60))

        var misspelt = try settings(#"{"gate":"east-1","detial":"all"}"#)
        _ = try FeedSettings(&misspelt)
        #expect(throws: OutletSettingsError.unknownMember("detial")) { try misspelt.finish() }
    }
}

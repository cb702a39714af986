import BoardTestSupport
import Glibc
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

    @Test func eachMistakeHasItsName() throws {
        for (text, wanted) in [
            ("", nil), ("[]", .notAnObject), (#"{"gate":"a","gate":"b"}"#, nil), (#"{}"#, .missingMember("gate")),
            (#"{"gate":""}"#, .wrongType("gate")), (#"{"gate":7}"#, .wrongType("gate")), (#"{"gate":"East"}"#, .badMember("gate")),
            (#"{"gate":"a/b"}"#, .badMember("gate")), (#"{"gate":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}"#, .badMember("gate")),
            (#"{"gate":"a+b"}"#, .badMember("gate")), (#"{"gate":"a","detail":"some"}"#, .badMember("detail")),
            (#"{"gate":"a","detail":true}"#, .wrongType("detail")), (#"{"gate":"a","period":"60"}"#, .wrongType("period")),
            (#"{"gate":"a","period":9}"#, .badMember("period")), (#"{"gate":"a","period":1.5}"#, .wrongType("period")),
        ] as [(String, OutletSettingsError?)] {
            do {
                var found = try settings(text)
                _ = try FeedSettings(&found)
                Issue.record("\(text) was taken")
            } catch let error as OutletSettingsError {
                if let wanted { #expect(error == wanted, "\(text)") }
            }
        }
    }

    @Test func hostsPathsAndLists() throws {
        for good in ["broker.example", "10.0.0.1", "fd00::1", "a-b"] {
            var found = try settings(#"{"host":"\#(good)"}"#)
            do {
                let value = try found.host()
                #expect(value == good)
            }
        }
        for bad in ["", "a b", "-a", ".a", "a/b", "a@b", "a\\u0000b"] {
            var found = try settings(#"{"host":"\#(bad)"}"#)
            #expect(throws: OutletSettingsError.self) { try found.host() }
        }
        for bad in ["relative", "/", "/folder/"] {
            var found = try settings(#"{"path":"\#(bad)"}"#)
            #expect(throws: OutletSettingsError.badMember("path")) { try found.path("path") }
        }
        var found = try settings(#"{"list":["a","b"],"path":"/a/b","flag":true,"port":65535}"#)
        do {
            let value = try found.texts("list", most: 2)
            #expect(value == ["a", "b"])
        }
        #expect(throws: OutletSettingsError.badMember("list")) { try found.texts("list", most: 1) }
        do {
            let value = try found.path("path")
            #expect(value == "/a/b")
        }
        do {
            let value = try found.flag("flag", else: false)
            #expect(value)
        }
        do {
            let value = try found.port(else: 1)
            #expect(value == 65_535)
        }
        try found.finish()
    }

    @Test func aSecretIsForOneUser() throws {
        let stage = Stage(), path = stage.path("secret")
        for (octets, mode, wanted) in [
            ("right\n", 0o600, nil), ("right\r\n", 0o440, nil), ("right", 0o400, nil), ("right\n", 0o604, .secretForAll(path)),
            ("", 0o600, .badSecret(path)), ("\n", 0o600, .badSecret(path)), ("a\nb\n", 0o600, .badSecret(path)),
            (String(repeating: "x", count: 1025), 0o600, .badSecret(path)), (String(repeating: "x", count: 9000), 0o600, .tooLong(path)),
        ] as [(String, mode_t, OutletSettingsError?)] {
            try stage.put(Array(octets.utf8), "secret")
            chmod(path, mode)
            var found = try settings(#"{"passwordFile":"\#(path)"}"#)
            do {
                do {
                    let value = try found.secret("passwordFile")
                    #expect(value == Array("right".utf8))
                }
                #expect(wanted == nil, "\(octets) \(mode)")
            } catch let error as OutletSettingsError {
                #expect(error == wanted, "\(octets) \(mode)")
            }
            chmod(path, 0o600)
        }
        var none = try settings(#"{"passwordFile":"/nowhere/at/all"}"#)
        #expect(throws: OutletSettingsError.unreadable("/nowhere/at/all", errno: ENOENT)) { try none.secret("passwordFile") }
    }
}

import Testing
import Trust

@testable import Appliance
@testable import Presentation

/// What a site says about requests to Trusted Key wallets (docs/site.md).
@Suite struct TrustedKeyFileTests {
    private func read(_ members: String) -> Result<TrustedKeySettings, TrustError> {
        Result { () throws(TrustError) in
            try TrustedKeySettings(TrustMember(file: "key", bytes: Array(#"{"gatehouse-trusted-key":1\#(members)}"#.utf8)))
        }
    }

    private func fault(_ members: String) -> String? {
        if case .failure(let error) = read(members) { error.member } else { nil }
    }

    @Test func whole() throws {
        let settings = try read(#","callback":"https://gate.local:8080/tk?lane=5&x=1","message":"North gate""#).get()
        #expect(settings.callback == "https://gate.local:8080/tk?lane=5&x=1" && settings.message == "North gate")
        #expect(String(decoding: settings.address, as: UTF8.self) == "https://gate.local:8080/tk")
        #expect(try read(#","callback":"http://g""#).get().message == nil)
        let long = "http://g/" + String(repeating: "x", count: 503)
        #expect(fault(#","callback":"\#(long)""#) == nil && fault(#","callback":"\#(long)x""#) == "callback")
        #expect(fault(#","callback":"http://g","message":"\#(String(repeating: "m", count: 200))""#) == nil)
    }

    @Test(
        "what cannot be is refused by its member",
        arguments: [
            ("", "callback"), (#","callback":1"#, "callback"), (#","callback":"""#, "callback"), (#","callback":"ftp://g/a""#, "callback"),
            (#","callback":"http:///a""#, "callback"), (#","callback":"http://g/a#b""#, "callback"),
            (#","callback":"http://g/ä""#, "callback"),
            (#","callback":"http://g","message":"""#, "message"), (#","callback":"http://g","message":7"#, "message"),
            (#","callback":"http://g","lane":5"#, "lane"),
        ])
    func refused(_ members: String, _ member: String) {
        #expect(fault(members) == member)
    }

    @Test func theMessageMayNotBeLonger() {
        #expect(fault(#","callback":"http://g","message":"\#(String(repeating: "m", count: 201))""#) == "message")
    }

    @Test func versions() {
        for (text, reason) in [
            ("{}", TrustError.Reason.missing), ("[]", .wrongType),
            (#"{"gatehouse-trusted-key":2,"callback":"http://g"}"#, .unsupportedVersion),
        ] {
            do {
                _ = try TrustedKeySettings(TrustMember(file: "key", bytes: Array(text.utf8)))
                Issue.record("\(text) was taken")
            } catch {
                #expect((error as? TrustError)?.reason == reason)
            }
        }
    }
}

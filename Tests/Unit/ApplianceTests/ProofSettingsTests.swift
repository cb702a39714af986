import JSON
import Presentation
import Testing
import Trust

@testable import Appliance

/// What a site asks of AnonCreds credentials (docs/site.md).
@Suite struct ProofSettingsTests {
    private func read(_ members: String) -> Result<ProofSettings, TrustError> {
        Result { () throws(TrustError) in
            try ProofSettings(TrustMember(file: "proofs", bytes: Array(#"{"gatehouse-proofs":1\#(members)}"#.utf8)))
        }
    }

    @Test("nothing but what the bundle demands, where nobody says more")
    func standard() throws {
        #expect(try read("").get() == .standard)
        #expect(try read("").get().wishes == ProofWishes())
    }

    @Test("each member is what it says")
    func members() throws {
        let wishes = try read(
            #","attributes":["full_name","zone"],"age":18,"predicates":[{"attribute":"floor","relation":">=","value":-3}],"definitions":["did:web:town.example/x"],"version":"1.0","format":"hlindy","service":"default","timeZone":"-02:30","endpoint":"http://192.168.7.1/didcomm""#
        ).get().wishes
        #expect(wishes.attributes == ["full_name", "zone"] && wishes.leastAge == 18)
        #expect(wishes.predicates == [ProofWishes.Predicate("floor", .atLeast, -3)] && wishes.definitions == ["did:web:town.example/x"])
        #expect(wishes.version == .one && wishes.format == .indy && wishes.service == .fixed && wishes.zone == -9_000)
        #expect(wishes.endpoint == "http://192.168.7.1/didcomm")
        #expect(try read(#","timeZone":"+14:00""#).get().wishes.zone == 50_400)
        #expect(try read(#","predicates":[{"attribute":"a","relation":"<","value":-2147483648}]"#).get().wishes.predicates[0].value == .min)
    }

    @Test("each fault names its member")
    func faults() {
        func expect(_ members: String, _ member: String, _ reason: TrustError.Reason) {
            #expect(read(members) == .failure(TrustError(file: "proofs", member: member, reason: reason)), "\(members)")
        }
        expect(#","attribute":["a"]"#, "attribute", .unknown)
        expect(#","attributes":[]"#, "attributes", .wrongType)
        expect(#","attributes":["a","a"]"#, "attributes[1]", .duplicate)
        expect(#","attributes":[1]"#, "attributes[0]", .wrongType)
        expect(#","attributes":[\#((0..<17).map { "\"a\($0)\"" }.joined(separator: ","))]"#, "attributes", .tooLarge)
        expect(#","attributes":["\#(String(repeating: "a", count: 257))"]"#, "attributes[0]", .tooLarge)
        expect(#","age":0"#, "age", .wrongValue)
        expect(#","age":100"#, "age", .wrongValue)
        expect(#","age":"18""#, "age", .wrongType)
        expect(#","predicates":{}"#, "predicates", .wrongType)
        expect(#","predicates":[{"attribute":"a","relation":"=","value":1}]"#, "predicates[0].relation", .wrongValue)
        expect(#","predicates":[{"attribute":"a","relation":">","value":2147483648}]"#, "predicates[0].value", .wrongValue)
        expect(#","predicates":[{"attribute":"a","relation":">","value":1.5}]"#, "predicates[0].value", .wrongType)
        expect(#","predicates":[{"attribute":"a","relation":">"}]"#, "predicates[0].value", .missing)
        for zone in ["02:00", "+2:00", "+02:60", "+14:01", "-12:01", "+0a:00", "Z"] {
            expect(#","timeZone":"\#(zone)""#, "timeZone", .wrongValue)
        }
        expect(#","version":"2""#, "version", .wrongValue)
        expect(#","service":"d2f195b6""#, "service", .wrongValue)
        expect(#","endpoint":"ble://x""#, "endpoint", .wrongValue)
        expect(#","endpoint":"http://a\"b""#, "endpoint", .wrongValue)
        #expect(
            Result { () throws(TrustError) in try ProofSettings(TrustMember(file: "proofs", bytes: Array(#"{"gatehouse-proofs":2}"#.utf8)))
            }
                == .failure(TrustError(file: "proofs", member: "gatehouse-proofs", reason: .unsupportedVersion)))
    }

    @Test("kinds are words, each once")
    func kinds() {
        #expect(OfferConfiguration.kinds("tuvali") == [.tuvali] && OfferConfiguration.kinds("aries,tuvali,trustedkey")?.count == 3)
        for text in ["", "aries,", "aries,aries", "Aries", "ble", "tuvali, aries"] {
            #expect(OfferConfiguration.kinds(text) == nil, "\(text)")
        }
    }
}

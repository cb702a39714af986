import JSON
import Testing
import Trust
import Visit

@testable import Appliance

/// What a site asks of documents in phones (docs/site.md).
@Suite struct DocumentSettingsTests {
    private static let licence = "org.iso.18013.5.1.mDL", identification = "eu.europa.ec.eudi.pid.1", photoID = "org.iso.23220.photoid.1"

    private func read(_ members: String) -> Result<DocumentSettings, TrustError> {
        Result { () throws(TrustError) in
            try DocumentSettings(TrustMember(file: "documents", bytes: Array(#"{"gatehouse-documents":1\#(members)}"#.utf8)))
        }
    }

    private func elements(_ document: DocumentSettings.Document) -> [String] {
        document.elements.map { "\($0.nameSpace)/\($0.name)\($0.isRequired ? "" : "?")" }
    }

    @Test("as little as the decision needs, where nobody says more")
    func standard() throws {
        let settings = try read("").get()
        #expect(settings == .standard && settings.documents.map(\.docType) == [Self.licence, Self.identification, Self.photoID])
        #expect(settings.documents.allSatisfy { $0.elements.isEmpty && $0.leastAge == nil })
    }

    @Test("a bar asks for an age, a door that lets in who is named for names")
    func wishes() throws {
        #expect(try read(#","age":18"#).get().documents.map(\.leastAge) == [18, 18, 18])
        let named = try read(#","name":true"#).get().documents
        #expect(elements(named[0]) == ["org.iso.18013.5.1/family_name", "org.iso.18013.5.1/given_name"])
        #expect(elements(named[1]) == ["eu.europa.ec.eudi.pid.1/family_name", "eu.europa.ec.eudi.pid.1/given_name"])
        #expect(elements(named[2]) == ["org.iso.23220.1/family_name_unicode", "org.iso.23220.1/given_name_unicode"])
    }

    @Test("what is asked of one document comes before what is asked of all")
    func documents() throws {
        let text =
            #","age":18,"ask":["\#(Self.identification)",{"docType":"\#(Self.licence)","age":21,"required":{"a":["b","c"]},"optional":{"d":["e"]}},{"docType":"org.example.badge","optional":{"org.example":["number"]}}]"#
        let settings = try read(text).get()
        #expect(settings.documents.map(\.docType) == [Self.identification, Self.licence, "org.example.badge"])
        #expect(settings.documents.map(\.leastAge) == [18, 21, 18])
        #expect(elements(settings.documents[1]) == ["a/b", "a/c", "d/e?"] && elements(settings.documents[2]) == ["org.example/number?"])
    }

    @Test("each fault names its member")
    func faults() {
        func expect(_ members: String, _ member: String, _ reason: TrustError.Reason) {
            #expect(read(members) == .failure(TrustError(file: "documents", member: member, reason: reason)), "\(members)")
        }
        expect(#","asks":[]"#, "asks", .unknown)
        // One phone is served at a time: nobody is to believe otherwise.
        expect(#","othersMeanwhile":true"#, "othersMeanwhile", .unknown)
        expect(#","age":0"#, "age", .wrongValue)
        expect(#","age":100"#, "age", .wrongValue)
        expect(#","age":"18""#, "age", .wrongType)
        expect(#","name":1"#, "name", .wrongType)
        expect(#","ask":[]"#, "ask", .wrongType)
        expect(#","ask":{}"#, "ask", .wrongType)
        expect(#","ask":[1]"#, "ask[0]", .wrongType)
        expect(#","ask":["a"]"#, "ask[0]", .wrongValue)
        expect(#","ask":["org.iso.7367.1.mVRC"]"#, "ask[0]", .wrongValue)
        expect(#","ask":["\#(Self.licence)","\#(Self.licence)"]"#, "ask[1]", .duplicate)
        expect(#","ask":[{"docType":"\#(Self.licence)","elements":{}}]"#, "ask[0].elements", .unknown)
        expect(#","ask":[{"docType":"\#(Self.licence)","required":{}}]"#, "ask[0].required", .wrongType)
        expect(#","ask":[{"docType":"\#(Self.licence)","required":{"a":[]}}]"#, "ask[0].required.a", .wrongType)
        expect(#","ask":[{"docType":"\#(Self.licence)","required":{"a":[1]}}]"#, "ask[0].required.a[0]", .wrongType)
        expect(#","ask":[{"docType":"\#(Self.licence)","required":{"a":["b","b"]}}]"#, "ask[0]", .wrongValue)
        expect(
            #","ask":[{"docType":"\#(Self.licence)","required":{"a":["age_over_18","age_over_21","age_over_65"]}}]"#, "ask[0]", .wrongValue)
        expect(#","age":18,"ask":[{"docType":"\#(Self.licence)","required":{"a":["age_over_21","age_over_65"]}}]"#, "ask[0]", .wrongValue)
        expect(
            #","ask":[{"docType":"\#(Self.photoID)","optional":{"org.iso.23220.dtc.1":["dtc_dg2"]}}]"#,
            "ask[0].optional.org.iso.23220.dtc.1", .unknown)
        expect(#","name":true,"ask":["eu.europa.ec.av.1"]"#, "ask[0]", .wrongValue)
        expect(#","age":18,"ask":[{"docType":"org.iso.7367.1.mVRC","required":{"a":["b"]}}]"#, "ask[0]", .wrongValue)
        expect(#","ask":[\#((0...8).map { #"{"docType":"\#($0)","required":{"a":["b"]}}"# }.joined(separator: ","))]"#, "ask", .tooLarge)
    }

    @Test("a document that shows nobody's face is no key to a door that wants a person")
    func faces() throws {
        let vehicle = try read(#","ask":[{"docType":"org.iso.7367.1.mVRC","required":{"org.iso.7367.1":["registration_number"]}}]"#).get()
        let age = try read(#","age":18,"ask":["eu.europa.ec.av.1"]"#).get()
        #expect(vehicle.obstacle(.required) != nil && vehicle.obstacle(.whenPhoto) != nil && vehicle.obstacle(.off) == nil)
        #expect(age.obstacle(.required) != nil && age.obstacle(.whenPhoto) == nil && age.obstacle(.off) == nil)
        #expect(DocumentSettings.standard.obstacle(.required) == nil)
    }
}

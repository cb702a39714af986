import JSON
import LinkedData
import Testing

@testable import Credentials
@testable import Trust

/// Pinned contexts of any size a bundle may have: those that credentials in the field name, and those that no credential could be read
/// under.
@Suite struct LargeContextTests {
    private static let url = "https://large.example/v1"

    enum Sample: CustomTestStringConvertible {
        /// A vocabulary of plain terms, as schema.org publishes its own, of about so many octets.
        case vocabulary(Int)
        /// So many types, each with a context of its own, as the traceability vocabulary has them.
        case types(Int)
        /// So many short terms, each with a context of its own.
        case hostile(Int)
        case text(String)

        var testDescription: String {
            switch self {
            case .vocabulary(let octets): "vocabulary of \(octets) octets"
            case .types(let count): "\(count) types"
            case .hostile(let count): "\(count) hostile terms"
            case .text(let text): text
            }
        }

        var text: String {
            switch self {
            case .vocabulary(let octets):
                let term = #""name00000": {"@id": "schema:name00000"}, "#
                let terms = (10_000..<10_000 + (octets - 200) / term.utf8.count).map { #""name\#($0)": {"@id": "schema:name\#($0)"}, "# }
                    .joined()
                return #"{"@context": {\#(terms)"schema": "https://schema.org/", "colour": "https://large.example/colour"}}"#
            case .types(let count):
                let types = (0..<count).map { type in
                    let terms = (0..<8).map { #""part\#($0)": {"@id": "https://large.example/type\#(type)/part\#($0)"}"# }.joined(
                        separator: ", ")
                    return #""Type\#(type)": {"@id": "https://large.example/Type\#(type)", "@context": {\#(terms)}}, "#
                }.joined()
                return #"{"@context": {"@version": 1.1, \#(types)"colour": "https://large.example/colour"}}"#
            case .hostile(let count):
                return #"{"@context": {"#
                    + (0..<count).map { #""t\#($0)":{"@id":"ex:\#($0)","@context":{"u":"ex:u"}}"# }.joined(separator: ",") + "}}"
            case .text(let text): return text
            }
        }
    }

    @Test(arguments: [Sample.vocabulary(65 << 10), .vocabulary(1 << 20), .types(150)]) func credentialUnderALargeContext(_ sample: Sample)
        throws
    {
        let context = sample.text
        #expect(context.utf8.count > 60 << 10)
        for suite in [LinkedProofSuite.eddsaRDFC2022, .ed25519Signature2020] {
            var credential = TestLinkedCredential(suite)
            // And one of the document's own on top, as MOSIP's have.
            credential.context =
                "[\(quoted(suite.isDataIntegrity ? TestLinkedCredential.v2 : TestLinkedCredential.v1)),\(quoted(Self.url)),{\"own\":\"urn:own\"}]"
            credential.pinned[Self.url] = context
            credential.set("credentialSubject", #"{"id":"urn:example:ann","fullName":"Ann","colour":"blue","own":"1"}"#)
            var issuers = TestIssuers()
            issuers.contexts.append(TrustContents.ContextDocument(url: Self.url, bytes: Array(context.utf8)))
            let verifier = try issuers.verifier(), octets = try credential.signed()
            // The second time the context is known.
            for _ in 0..<2 { #expect(verifier.verify(octets, at: TestCredential.now).credential?.claim(.fullName)?.string == "Ann") }
            let other = Array(String(decoding: octets, as: UTF8.self).replacing("blue", with: "grey").utf8)
            #expect(verifier.verify(other, at: TestCredential.now).reasons == [.signatureInvalid])
        }
    }

    private func refusal(_ contexts: [(String, String)]) throws -> TrustError? {
        do throws(TrustError) {
            try TrustContents(contexts: contexts.map { TrustContents.ContextDocument(url: $0.0, bytes: Array($0.1.utf8)) }).checkContexts()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        Sample.vocabulary(1 << 20), .types(150), .types(600), .text(#"{"@context":{}}"#), .text(#"{"@context":[]}"#),
        .text(#"{"@context":null}"#),
        .text(#"{"@context":"https://base.example/"}"#),
    ]) func bundledContext(_ sample: Sample) throws {
        #expect(try refusal([(Self.url, sample.text), ("https://base.example/", #"{"@context":{"a":"urn:a"}}"#)]) == nil)
    }

    @Test(
        arguments: [
            (.text("{}"), .invalidRemoteContext), (.text("[]"), .invalidRemoteContext), (.text(#"{"@context":1}"#), .invalidLocalContext),
            (.text(#"{"@context":"https://large.example/v1"}"#), .tooComplex),
            (.text(#"{"@context":"https://elsewhere.example/"}"#), .loadingDocumentFailed),
            (.text(#"{"@context":{"a":"b:x","b":"a:x"}}"#), .cyclicIRIMapping),
            (.text(#"{"@context":{"a":"nothing"}}"#), .invalidIRIMapping),
            (.text(#"{"@context":{"a":{"@id":"urn:a","@context":{"@import":"https://elsewhere.example/"}}}}"#), .loadingDocumentFailed),
            (.hostile(9_000), .tooComplex),
        ] as [(Sample, LinkedDataError)]) func contextNobodyCanUse(_ sample: Sample, _ error: LinkedDataError) throws
    {
        let contexts = [("https://a.example/", #"{"@context":{}}"#), (Self.url, sample.text)]
        #expect(try refusal(contexts) == TrustError(file: Self.url, reason: .unusableContext(error)))
    }

    /// A context that leans on the data model's is as good as one that stands alone; one that leans on another is not known to be of use.
    @Test func contextOnTopOfTheDataModel() throws {
        let base = (TestLinkedCredential.v1, #"{"@context":{"@vocab":"urn:base#"}}"#), leaning = (Self.url, #"{"@context":{"a":{}}}"#)
        #expect(try refusal([base, leaning]) == nil)
        #expect(try refusal([leaning])?.reason == .unusableContext(.invalidIRIMapping))
        #expect(try refusal([("urn:other", base.1), leaning])?.reason == .unusableContext(.invalidIRIMapping))
    }

    /// Two large contexts allow for no more together than all of a bundle's do for a credential.
    @Test(arguments: [(20_000, nil), (60_000, .tooComplex)] as [(Int, LinkedDataError?)]) func whatPassesHerePassesThere(
        _ terms: Int, _ error: LinkedDataError?
    ) throws {
        let base = #"{"@context":{"@vocab":"urn:base#"}}"# + String(repeating: " ", count: 1_000_000)
        let leaning = #"{"@context":{"# + (100_000..<100_000 + terms).map { #""\#($0)":{}"# }.joined(separator: ",") + "}}"
        #expect((try refusal([(TestLinkedCredential.v1, base), (Self.url, leaning)]) == nil) == (error == nil))
        let store = ContextStore([TestLinkedCredential.v1: Array(base.utf8), Self.url: Array(leaning.utf8)])
        var processor = LinkedDataProcessor(store: store), work = DocumentWork(limits: .standard, store: store), found: LinkedDataError?
        let document = try JSONDocument(parsing: Array("{\"@context\":[\(quoted(TestLinkedCredential.v1)),\(quoted(Self.url))]}".utf8))
        do throws(LinkedDataError) { _ = try processor.expand(document.root, work: &work) } catch { found = error }
        #expect(found == error)
    }

    @Test func buildingABundle() throws {
        let settings = try BundleSettings(
            Array(
                #"{"gatehouse-bundle":1,"sequence":1,"notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z","clock":"accept"}"#
                    .utf8))
        var contents = try TestBundle().contents()
        let url = contents.contexts[0].url
        contents.contexts[0].bytes = Array(Sample.types(150).text.utf8)
        #expect(throws: Never.self) { try TrustBundle(source: contents, settings: settings, created: settings.notBefore) }
        contents.contexts[0].bytes = Array(Sample.hostile(9_000).text.utf8)
        #expect(throws: TrustBundleError.contents(TrustError(file: url, reason: .unusableContext(.tooComplex)))) {
            try TrustBundle(source: contents, settings: settings, created: settings.notBefore)
        }
    }

    // MARK: Direction

    /// RDF drops the direction of a text; the text is signed. What was said of it is listed as unsigned, and is no claim.
    @Test(arguments: [
        (#"{"@value":"Ann","@direction":"rtl"}"#, "{}", "/credentialSubject/fullName/@direction"),
        (#""Ann""#, #"{"@direction":"rtl"}"#, "/credentialSubject/fullName"),
        (
            #""Ann""#, #"{"fullName":{"@id":"https://issuer.example/vocabulary#fullName","@direction":"ltr"}}"#,
            "/credentialSubject/fullName"
        ),
    ]) func direction(_ name: String, _ context: String, _ pointer: String) throws {
        var credential = TestLinkedCredential()
        credential.context = "[\(quoted(TestLinkedCredential.v2)),\(context)]"
        credential.set("credentialSubject", #"{"id":"urn:example:ann","fullName":\#(name)}"#)
        let octets = try credential.signed(), verdict = try TestIssuers().verifier().verify(octets, at: TestCredential.now)
        #expect(verdict.credential?.claim(.fullName)?.string == "Ann")
        #expect(verdict.credential?.uncovered.contains { $0.pointer == pointer && $0.reason == "direction" } == true)
        #expect(verdict.credential?.uncovered.allSatisfy { $0.reason == "direction" } == true)
        let other = Array(String(decoding: octets, as: UTF8.self).replacing("Ann", with: "Bob").utf8)
        #expect(try TestIssuers().verifier().verify(other, at: TestCredential.now).reasons == [.signatureInvalid])
    }

    /// Whoever adds one changes nothing that is believed; with anything else that makes no statement it is a loss as before.
    @Test func directionAddedLater() throws {
        let credential = TestLinkedCredential(), octets = String(decoding: try credential.signed(), as: UTF8.self)
        let verifier = try TestIssuers().verifier()
        func verdict(_ value: String) -> Verdict {
            verifier.verify(Array(octets.replacing(#""fullName":"Ann""#, with: #""fullName":\#(value)"#).utf8), at: TestCredential.now)
        }
        let added = verdict(#"{"@value":"Ann","@direction":"rtl"}"#).credential
        #expect(added?.claim(.fullName)?.string == "Ann")
        #expect(added?.uncovered == [UncoveredMember(DroppedTerm(.direction, at: "/credentialSubject/fullName/@direction"))])
        #expect(verdict(#"{"@value":"Ann","@direction":"rtl","@index":"admin"}"#).reasons == [.claimsUncovered])
        #expect(verdict(#"{"@value":"Ann","@direction":"up"}"#).reasons == [.linkedDataInvalid])
        #expect(verdict(#"{"@value":"Ann","@language":"ar","@direction":"rtl"}"#).reasons == [.signatureInvalid])
    }
}

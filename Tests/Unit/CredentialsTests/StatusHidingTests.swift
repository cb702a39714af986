import CBOR
import Foundation
import JSON
import Testing

@testable import Credentials

/// A sender whose credential was revoked, and who would rather not say so.
@Suite struct StatusHidingTests {
    private static let now = TestCredential.now

    /// Accepts doubt, so that every doubt that a sender could bring about shows.
    private func verifier(_ scheme: StatusScheme) throws -> CredentialVerifier {
        var issuers = TestIssuers(status: #"{"unknown":"accept"}"#)
        issuers.lists = [try TestStatusList { $0.values = [77: 1] }.document(scheme)]
        return try issuers.verifier()
    }

    // MARK: JSON-LD

    private func credential(_ scheme: StatusScheme) -> TestLinkedCredential {
        var credential = TestLinkedCredential(scheme.suite ?? .eddsaRDFC2022)
        credential.set("credentialStatus", TestStatusEntry().json(scheme))
        return credential
    }

    /// Contexts that give the same statements other names: the signature is as good as before, and so is the list's no.
    @Test(arguments: [StatusScheme.rdfc, .legacy]) func statusByAnotherName(_ scheme: StatusScheme) throws {
        let verifier = try verifier(scheme)
        let honest = credential(scheme), proof = try honest.signedProof()
        #expect(verifier.verify(Array(honest.text(proof: proof).utf8), at: Self.now).reasons == [.revoked])
        let entry = TestStatusEntry().json(scheme)
        func reasons(_ terms: String, _ change: (inout TestLinkedCredential) -> Void) -> [RejectReason] {
            var forged = honest
            forged.context = honest.context.dropLast() + ",\(terms)]"
            change(&forged)
            return verifier.verify(Array(forged.text(proof: proof).utf8), at: Self.now).reasons
        }
        let alias = #"{"x":{"@id":"cred:credentialStatus","@type":"@id"}}"#
        #expect(
            reasons(alias) {
                $0.set("credentialStatus", nil)
                $0.set("x", entry)
            } == [.revoked])
        #expect(
            reasons("{}") {
                $0.set("credentialStatus", nil)
                $0.set("cred:credentialStatus", entry)
            } == [.revoked])
        #expect(
            reasons("{}") {
                $0.set("credentialStatus", nil)
                $0.set("https://www.w3.org/2018/credentials#credentialStatus", entry)
            } == [.revoked])
        let exchanged = #"{"statusPurpose":"st:statusListIndex","statusListIndex":"st:statusPurpose"}"#
        #expect(
            reasons(exchanged) {
                $0.set(
                    "credentialStatus",
                    entry.replacing("statusPurpose", with: "X").replacing("statusListIndex", with: "statusPurpose").replacing(
                        "X", with: "statusListIndex"))
            } == [.revoked])
        let type = scheme == .legacy ? "StatusList2021Entry" : "BitstringStatusListEntry"
        #expect(reasons(#"{"Other":"st:\#(type)"}"#) { $0.set("credentialStatus", entry.replacing(type, with: "Other")) } == [.revoked])
        #expect(
            reasons("{}") {
                $0.set(
                    "credentialStatus",
                    #"{"@context":{"y":"st:statusListIndex"},"# + entry.dropFirst().replacing("statusListIndex", with: "y"))
            } == [.revoked])
        #expect(reasons("{}") { $0.set("credentialStatus", "[\(entry)]") } == [.revoked])
        #expect(reasons("{}") { $0.set("credentialStatus", "[\(entry),\(entry)]") } == [.revoked])
    }

    @Test(arguments: [StatusScheme.rdfc, .legacy]) func statusTakenAway(_ scheme: StatusScheme) throws {
        let verifier = try verifier(scheme)
        let honest = credential(scheme), proof = try honest.signedProof(), entry = TestStatusEntry().json(scheme)
        func check(_ terms: String?, _ allowed: [RejectReason], _ change: (inout TestLinkedCredential) -> Void = { _ in }) {
            var forged = honest
            if let terms { forged.context = honest.context.dropLast() + ",\(terms)]" }
            change(&forged)
            let verdict = verifier.verify(Array(forged.text(proof: proof).utf8), at: Self.now)
            #expect(!verdict.isAccept && verdict.reasons.first.map(allowed.contains) == true, "\(terms ?? ""): \(verdict.reasons)")
        }
        check(nil, [.signatureInvalid]) { $0.set("credentialStatus", nil) }
        check(nil, [.signatureInvalid, .claimsUncovered]) { $0.set("credentialStatus", "null") }
        check(nil, [.signatureInvalid, .claimsUncovered]) { $0.set("credentialStatus", "[]") }
        check(#"{"credentialStatus":null}"#, [.signatureInvalid, .claimsUncovered])
        // The terms were made of the prefix before: nothing has changed.
        check(#"{"st":"urn:other:"}"#, [.revoked])
        check(#"{"statusListIndex":null}"#, [.signatureInvalid, .claimsUncovered])
        check(#"{"statusPurpose":"urn:other"}"#, [.signatureInvalid])
        check(#"{"BitstringStatusListEntry":"urn:other","StatusList2021Entry":"urn:other"}"#, [.signatureInvalid])
        check(nil, [.signatureInvalid]) { $0.set("credentialStatus", entry.replacing("77", with: "78")) }
        check(nil, [.signatureInvalid]) { $0.set("credentialStatus", entry.replacing("revocation", with: "message")) }
        check(nil, [.signatureInvalid]) { $0.set("credentialStatus", "[\(entry),\(entry.replacing("77", with: "78"))]") }
        check(nil, [.signatureInvalid]) { $0.set("cred:credentialStatus", entry.replacing("77", with: "78")) }
        // Somewhere else than at the credential.
        check(nil, [.signatureInvalid]) {
            $0.set("credentialStatus", nil)
            $0.set("credentialSubject", #"{"id":"urn:example:ann","fullName":"Ann","face":"data:,x","credentialStatus":\#(entry)}"#)
        }
        // The name coverage looks at means nothing, another name carries the statements.
        check(
            #"{"credentialStatus":null,"x":{"@id":"cred:credentialStatus","@type":"@id"}}"#,
            [.claimsUncovered, .linkedDataInvalid, .signatureInvalid]
        ) { $0.set("x", entry) }
        check(#"{"x":{"@id":"cred:credentialStatus","@type":"@id"}}"#, [.claimsUncovered, .signatureInvalid]) {
            $0.set("credentialStatus", #"{"other":1}"#)
            $0.set("x", entry)
        }
        // Twice by one name.
        var twice = honest
        twice.members.append(("credentialStatus", entry.replacing("77", with: "78")))
        #expect(verifier.verify(Array(twice.text(proof: proof).utf8), at: Self.now).reasons == [.messageMalformed])
    }

    /// Where JSON is signed, a name is what it was.
    @Test func signedJSON() throws {
        let verifier = try verifier(.jcs), honest = credential(.jcs), proof = try honest.signedProof()
        #expect(verifier.verify(Array(honest.text(proof: proof).utf8), at: Self.now).reasons == [.revoked])
        for change: (inout TestLinkedCredential) -> Void in [
            { $0.set("credentialStatus", nil) }, { $0.set("credentialStatus", "null") }, { $0.set("status", "{}") },
            { $0.context = $0.context.dropLast() + #",{"credentialStatus":null}]"# },
        ] {
            var forged = honest
            change(&forged)
            #expect(!verifier.verify(Array(forged.text(proof: proof).utf8), at: Self.now).isAccept)
        }
        // An issuer's array of types.
        var listed = honest
        listed.set(
            "credentialStatus",
            TestStatusEntry().json(.jcs).replacing(quoted("BitstringStatusListEntry"), with: list(["urn:x", "BitstringStatusListEntry"])))
        #expect(verifier.verify(try listed.signed(), at: Self.now).reasons == [.revoked])
    }

    // MARK: SD-JWT

    private func token(_ change: (inout TestCredential) -> Void) throws -> Verdict {
        var credential = TestCredential()
        credential.header["kid"] = quoted(TestLinkedCredential.method)
        change(&credential)
        return try verifier(.jose).verify(credential.message, at: Self.now)
    }

    @Test func disclosedStatusIsRefused() throws {
        let status = TestStatusEntry().json(.jose), entry = TestStatusEntry().json(.rdfc)
        #expect(try token { $0.set("status", status) }.reasons == [.revoked])
        #expect(try token { $0.disclose([#"["c2FsdA","status",\#(status)]"#]) }.reasons == [.claimNameRefused])
        #expect(try token { $0.disclose([#"["c2FsdA","credentialStatus",\#(entry)]"#]) }.reasons == [.claimNameRefused])
    }

    /// Parts that the holder may keep back make the status unreadable whether they are kept back or not: never read without them.
    @Test func partlyDisclosedStatusIsUnknown() throws {
        let list = #"["c2FsdA","status_list",{"idx":78,"uri":"\#(TestStatusEntry.url)"}]"#
        let size = #"["c2FsdA","statusSize",2]"#
        let element = #"["c2FsdA",\#(TestStatusEntry().json(.rdfc))]"#
        for isDisclosed in [true, false] {
            func unknown(_ name: String, _ disclosure: String, _ status: (String) -> String) throws {
                let verdict = try token {
                    let text = base64URL(disclosure)
                    $0.set(name, status(digest(text)))
                    if isDisclosed { $0.disclosures.append(text) }
                }
                #expect(verdict.credential?.status.fault == .entryUnreadable, "\(verdict.reasons)")
            }
            try unknown("status", list) { #"{"_sd":["\#($0)"]}"# }
            try unknown("credentialStatus", size) { TestStatusEntry().json(.rdfc).dropLast() + #","_sd":["\#($0)"]}"# }
            try unknown("credentialStatus", element) { #"[{"...":"\#($0)"}]"# }
        }
    }

    // MARK: CWT

    @Test func tokenWithTwoStatuses() throws {
        let verifier = try verifier(.cose)
        let entry = try CBORWriter.encode {
            $0.map {
                $0.entry("status_list") {
                    $0.map { map in
                        map.entry("idx") { $0.unsigned(77) }
                        map.entry("uri") { $0.text(TestStatusEntry.url) }
                    }
                }
            }
        }
        let other = try CBORWriter.encode { $0.map { _ in } }
        let plain = try TestToken().claims()
        func verdict(_ more: [UInt8], _ count: UInt8) throws -> Verdict {
            verifier.verify(try TestToken().message(claims: [plain[0] + count] + plain.dropFirst() + more), at: Self.now)
        }
        let label: [UInt8] = [0x19, 0xFF, 0xFF]
        #expect(try verdict(label + entry, 1).reasons == [.revoked])
        #expect(try verdict(label + entry + label + other, 2).reasons == [.payloadMalformed])
        #expect(try verdict(label + other + label + entry, 2).reasons == [.payloadMalformed])
        // The same number in more octets than it needs.
        #expect(try verdict(label + entry + [0x1A, 0, 0, 0xFF, 0xFF] + other, 2).reasons == [.payloadMalformed])
        for status in [other, [0xF6], [0x80], [0x00]] {
            #expect(try verdict(label + status, 1).credential?.status.fault == .entryUnreadable)
        }
    }
}

import Testing

@testable import Credentials

/// What a list says of itself, whoever made it.
@Suite struct StatusListFactsTests {
    private static let now = TestCredential.now

    private func fault(_ octets: [UInt8]) -> StatusListFault? {
        do throws(StatusListFault) { _ = try StatusListFacts(octets) } catch { return error }
        return nil
    }

    @Test(arguments: StatusScheme.allCases) func everyForm(_ scheme: StatusScheme) throws {
        let made = TestStatusList {
            $0.ttl = scheme.isToken ? "3600" : "3600000"
            if scheme.isToken { $0.size = 4 } else { $0.purpose = list(["revocation", "suspension"]) }
        }
        let facts = try StatusListFacts(made.bytes(scheme))
        let forms: [StatusScheme: StatusListFacts.Form] = [
            .rdfc: .bitstring, .legacy: .statusList2021, .jcs: .bitstring, .jose: .jwt, .cose: .cwt,
        ]
        #expect(facts.form == forms[scheme])
        #expect(facts.issuer == TestLinkedCredential.issuer && facts.name == TestStatusEntry.url)
        #expect(facts.signed == Self.now - 1000 && facts.expires == Self.now + 1000 && facts.timeToLive == 3600)
        #expect(facts.purposes == (scheme.isToken ? [] : ["revocation", "suspension"]))
        #expect(facts.entries == (scheme.isToken ? 32_768 : 131_072))
    }

    @Test(arguments: StatusScheme.allCases) func littleSaid(_ scheme: StatusScheme) throws {
        let facts = try StatusListFacts(
            TestStatusList {
                $0.expires = nil
                $0.key = .otherEd25519
                if scheme.isToken { $0.issuer = nil }
            }.bytes(scheme))
        #expect(facts.expires == nil && facts.timeToLive == nil && (facts.issuer == nil) == scheme.isToken)
    }

    @Test(arguments: StatusScheme.allCases) func nothingThatIsNoList(_ scheme: StatusScheme) throws {
        #expect(try fault(TestStatusList { $0.compressed = [1] }.bytes(scheme)) == .listMalformed)
        #expect(try fault(TestStatusList { $0.type = "visitor" }.bytes(scheme)) == .listMalformed)
        let whole = try TestStatusList().bytes(scheme)
        for length in stride(from: 0, to: whole.count - 90, by: max(1, whole.count / 40)) { #expect(fault(Array(whole[..<length])) != nil) }
        for text in ["", "{}", "<!DOCTYPE html>", "a.b.c", "null", "[]"] { #expect(fault(Array(text.utf8)) == .listMalformed) }
    }
}

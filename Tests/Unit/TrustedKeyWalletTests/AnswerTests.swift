import Envelopes
import Testing

@testable import TrustedKeyWallet

/// trustedkey.md section 3, steps 1 and 2: what can be said of an answer without believing anything of it.
struct AnswerTests {
    private static func changed(_ change: (inout [(name: String, value: String)]) -> Void) throws -> TrustedKeyFault? {
        let answer = try TestAnswer()
        var parameters = try answer.parameters()
        change(&parameters)
        return try answer.fault(answer.request.callbackURL + "&" + TestAnswer.query(parameters))
    }

    @Test func aClaimOfTheHoldersKeyAnswersTheRequest() throws {
        let answer = try TestAnswer()
        let verified = try answer.verified()
        #expect(verified.claims.map(\.value) == ["Noor van Dijk"])
        #expect(verified.claims.first?.source?.root == 0)
        #expect(verified.address.text == (try answer.holder.address()))
        #expect(verified.issuer == "https://self-issued.me")
        #expect(verified.validUntil == TestAnswer.issued + 86_400)
    }

    @Test(arguments: [
        "http://gate.local/tk/answer?lane=6", "http://gate.local/tk/answer?lane=55", "http://gate.local/tk/answer?lane=",
        "http://gate.local/tk/answer",
        "http://gate.local/tk/other?lane=5", "http://other.local/tk/answer?lane=5", "https://gate.local/tk/answer?lane=5",
        "http://gate.local:8080/tk/answer?lane=5", "http://gate.local:80/tk/answer?lane=5", "http://me@gate.local/tk/answer?lane=5",
        "http://GATE.local/tk/answer?lane=5", "http://gate.local/tk/answer?lane=%35", "",
    ]) func anotherAddressIsAMismatch(_ address: String) throws {
        let answer = try TestAnswer()
        let parameters = TestAnswer.query(try answer.parameters())
        #expect(try answer.fault(address + (address.contains("?") ? "&" : "?") + parameters) == .callbackMismatch)
        #expect(try answer.fault(address) == .callbackMismatch)
    }

    @Test func ourOwnParametersComeFirstAndOnce() throws {
        let answer = try TestAnswer()
        let parameters = TestAnswer.query(try answer.parameters())
        #expect(try answer.fault("http://gate.local/tk/answer?\(parameters)&lane=5") == .callbackMismatch)
        #expect(try answer.fault(answer.url() + "&lane=5") == .answerMalformed)
        #expect(try answer.fault(answer.url() + "#part") == .callbackMismatch)
        #expect(try answer.fault(answer.request.callbackURL) == .nonceMismatch)
    }

    @Test(arguments: ["http://gate.local/tk", "http://gate.local/tk?", "https://gate.local:8443/tk?a=1&b=2"])
    func anAddressWithOrWithoutParametersIsContinued(_ address: String) throws {
        let answer = try TestAnswer(at: address)
        let separator = address.hasSuffix("?") ? "" : address.contains("?") ? "&" : "?"
        #expect(try answer.fault(address + separator + TestAnswer.query(answer.parameters())) == nil)
        #expect(try answer.fault(address + "x" + separator + TestAnswer.query(answer.parameters())) != nil)
    }

    @Test func parametersAreKnownAndThereOnce() throws {
        for name in ["result", "nonce", "id_token", "certs", "chain"] {
            let fault = try Self.changed { parameters in
                parameters.append(parameters.first { $0.name == name } ?? (name, ""))
            }
            #expect(fault == .answerMalformed, "\(name)")
        }
        #expect(try Self.changed { $0.append(("state", "1")) } == .answerMalformed)
        #expect(try Self.changed { $0[0].name = "Result" } == .answerMalformed)
        var answer = try TestAnswer(asking: [])
        (answer.claims, answer.issuers) = ([], [])
        #expect(try answer.fault(answer.url() + "&chain=") == nil)
        for more in [
            "&", "&result", "&=", "&n%6fnce=x", "&%", "&x=", "&chain", "&chain=%4", "&chain=%zz", "&chain=%FF", "&chain=%C0%80", "&chain= ",
            "&chain=\u{e9}", "&chain=\n", "&chain=&chain=", "&chain=x",
        ] {
            #expect(try answer.fault(answer.url() + more) == .answerMalformed, "\(more)")
        }
    }

    @Test func namesMayBeEscapedToo() throws {
        let answer = try TestAnswer()
        let url = try answer.url()
        #expect(try answer.fault(url.replacing("&certs=", with: "&c%65rts=")) == nil)
    }

    @Test func nothingIsLongerThanItMayBe() throws {
        let answer = try TestAnswer()
        let blanks = String(repeating: "+", count: AnswerParameters.longest)
        #expect(try answer.fault(answer.url() + blanks) == .answerMalformed)
        // Blanks count, and do no harm.
        let room = try AnswerParameters.longest - answer.url().utf8.count
        #expect(try answer.fault(answer.url() + blanks.prefix(room)) == nil)
        #expect(try answer.fault(answer.url() + blanks.prefix(room + 1)) == .answerMalformed)
    }

    @Test func theNonceIsTheRequests() throws {
        var answer = try TestAnswer()
        for nonce in ["", "x", answer.request.nonce + "=", String(answer.request.nonce.dropLast()), answer.request.nonce.uppercased()] {
            answer.nonce = nonce
            #expect(try answer.fault() == .nonceMismatch)
        }
        #expect(try Self.changed { $0.removeAll { $0.name == "nonce" } } == .nonceMismatch)
    }

    @Test(arguments: ["error", "Success", "success ", "", "success\u{0}"]) func whoDoesNotSaySuccessDeclines(_ result: String) throws {
        var answer = try TestAnswer()
        answer.result = result
        #expect(try answer.fault() == .declined)
    }

    @Test func aTokenIsThere() throws {
        #expect(try Self.changed { $0.removeAll { $0.name == "id_token" } } == .answerMalformed)
        #expect(try Self.changed { $0.removeAll { $0.name == "result" } } == .declined)
    }

    @Test func bodiesSayTheSame() throws {
        let answer = try TestAnswer(), parameters = try answer.parameters(), verifier = try answer.verifier()
        let form = try TrustedKeyAnswer(form: Array(TestAnswer.query(parameters).utf8), to: answer.request)
        #expect(try verifier.verify(form, to: answer.request, at: answer.now).claims.count == 1)
        let text = "{" + parameters.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}", octets = Array(text.utf8)
        let json = try TrustedKeyAnswer(json: octets.span, to: answer.request)
        #expect(try verifier.verify(json, to: answer.request, at: answer.now).claims.map(\.value) == ["Noor van Dijk"])
    }

    @Test(arguments: [
        #"{"result":"success","nonce":1}"#, #"{"result":true}"#, #"{"certs":["a"]}"#, #"{"chain":null}"#, #"{"state":"x"}"#,
        #"{"result":"success","result":"success"}"#, #"{"result":"success","r\u0065sult":"error"}"#, "[]", "\"x\"", "", "{", "{}x",
        #"{"result":{}}"#,
    ]) func aBodyOfOtherJSONIsMalformed(_ text: String) throws {
        let octets = Array(text.utf8), request = try TestAnswer().request
        #expect(throws: TrustedKeyFault.answerMalformed) { try TrustedKeyAnswer(json: octets.span, to: request) }
    }

    @Test func certificatesMayHaveArmourAndBlanks() throws {
        let answer = try TestAnswer()
        let text = TestAnswer.list(answer.claims)
        let lines = stride(from: 0, to: text.count, by: 64).map { String(text.dropFirst($0).prefix(64)) }.joined(separator: "\n")
        for written in ["-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n", " \(lines)\r\n\t", lines] {
            let url =
                answer.request.callbackURL + "&"
                + TestAnswer.query(try answer.parameters().map { $0.name == "certs" ? ($0.name, written) : $0 })
            #expect(try answer.fault(url) == nil)
        }
        for written in [
            "-----BEGIN CERTIFICATE-----\(lines)", "\(lines)-----END CERTIFICATE-----", "\(text),", ",\(text)", "*\(text)", "\(text)=",
            "-----BEGIN X509 CRL-----\(lines)-----END X509 CRL-----", text.replacing("=", with: ""),
            "-----BEGIN CERTIFICATE----------END CERTIFICATE-----", "\(text)\u{b}", "\(text),\(text)".replacing(",", with: ";"),
        ] where written != text {
            let fault = try Self.changed { $0[3].value = written }
            #expect(fault == .answerMalformed, "\(written.prefix(40))")
        }
    }

    @Test func sixteenClaimsAndEightIssuersAreTheMost() throws {
        var answer = try TestAnswer()
        answer.claims = Array(repeating: answer.claims[0], count: 16)
        answer.issuers = Array(repeating: answer.issuers[0], count: 8)
        #expect(try answer.fault() == nil)
        answer.claims.append(answer.claims[0])
        #expect(try answer.fault() == .answerMalformed)
        answer.claims.removeLast()
        answer.issuers.append(answer.issuers[0])
        #expect(try answer.fault() == .answerMalformed)
    }

    @Test func fourKiBAreTheLongestCertificate() throws {
        var answer = try TestAnswer()
        for (length, expected) in [(3_500, nil), (4_000, TrustedKeyFault.answerMalformed)] {
            answer.claims = [
                try answer.claim([.init("2.5.4.3", "N"), .init("2.5.4.16", String(repeating: "x", count: length))]).signed(
                    by: answer.issuerKey)
            ]
            #expect(try answer.fault() == expected)
        }
    }
}

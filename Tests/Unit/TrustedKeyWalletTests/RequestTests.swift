import Envelopes
import JSON
import Testing

@testable import TrustedKeyWallet

/// trustedkey.md section 1.
struct RequestTests {
    private static let nonce = [UInt8](0..<32), url = "http://gate.local/tk/answer?lane=5", wallet = "https://wallet.example/request"

    private static func request(
        nonce: [UInt8] = nonce, url: String = url, _ objects: [String] = ["2.5.4.3", "1.3.6.1.4.1.51341.21"], message: String? = nil,
        timeout: Int? = nil
    ) throws -> TrustedKeyRequest {
        try TrustedKeyRequest(
            nonce: nonce, callbackURL: url, callbackType: .json, objects: objects.map { try #require(TrustedKeyObject($0)) },
            message: message,
            timeout: timeout)
    }

    @Test func theRequestIsWrittenAsInTheSpecification() throws {
        let text = try Self.request().json()
        let expected = #"""
            {"nonce":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","callbackUrl":"http://gate.local/tk/answer?lane=5","callbackType":"JSON","objectIds":"2.5.4.3,1.3.6.1.4.1.51341.21"}
            """#
        #expect(text == expected)
    }

    @Test func theCodeIsTheWalletsLinkWithTheMembersEscaped() throws {
        let code = try Self.request(message: "Gate 2 & more", timeout: 60).code(wallet: Self.wallet)
        let expected =
            "https://wallet.example/request?nonce=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8%3D"
            + "&callbackUrl=http%3A%2F%2Fgate.local%2Ftk%2Fanswer%3Flane%3D5&callbackType=JSON&objectIds=2.5.4.3%2C1.3.6.1.4.1.51341.21"
            + "&message=Gate%202%20%26%20more&timeout=60"
        #expect(code == expected)
    }

    @Test func aLoginAsksForNoObjects() throws {
        let request = try Self.request([])
        let object = try JSONDocument(parsing: Array(request.json().utf8)).root
        #expect(object["objectIds"] == nil && object["message"] == nil && object["timeout"] == nil)
        #expect(try !request.code(wallet: Self.wallet).contains("objectIds"))
    }

    @Test func aCodeHasSixHundredCharactersAtMost() throws {
        #expect(throws: TrustedKeyRequestError.tooLong) {
            try Self.request((1...32).map { "1.3.6.1.4.1.51341.\($0)" }).code(wallet: Self.wallet)
        }
        let length = try Self.request(message: "x").code(wallet: Self.wallet).utf8.count
        let room = String(repeating: "x", count: TrustedKeyRequest.longestCode - length + 1)
        let long = Self.wallet + String(repeating: "/", count: room.utf8.count - 1)
        #expect(try Self.request(message: "x").code(wallet: long).utf8.count == 600)
        #expect(throws: TrustedKeyRequestError.tooLong) { try Self.request(message: "xx").code(wallet: long) }
    }

    @Test func anotherNonceThan32OctetsIsNone() {
        for count in [0, 31, 33] {
            #expect(throws: TrustedKeyRequestError.nonce) { try Self.request(nonce: [UInt8](repeating: 1, count: count)) }
        }
    }

    @Test(arguments: [
        "", "gate.local/tk", "ftp://gate.local", "http://", "http:///tk", "http://?x", "http://gate.local/#x", "http://gate.local/a b",
        "http://gate.local/\u{e9}", "javascript:x", "HTTP://gate.local", "http://gate.local/" + String(repeating: "x", count: 512),
    ]) func anAddressIsHTTPWithoutAFragment(_ url: String) {
        #expect(throws: TrustedKeyRequestError.callbackURL) { try Self.request(url: url) }
    }

    @Test func whatDoesNotFitIsRefused() throws {
        #expect(throws: TrustedKeyRequestError.objects) { try Self.request(["2.5.4.3", "2.5.4.3"]) }
        #expect(throws: TrustedKeyRequestError.objects) { try Self.request((1...33).map { "2.5.4.\($0)" }) }
        #expect(throws: TrustedKeyRequestError.message) { try Self.request(message: "") }
        #expect(throws: TrustedKeyRequestError.message) { try Self.request(message: String(repeating: "x", count: 201)) }
        for timeout in [0, -1, 301] { #expect(throws: TrustedKeyRequestError.timeout) { try Self.request(timeout: timeout) } }
        for wallet in ["wallet.example", "https://wallet.example/?a=b", "https://wallet.example/#a"] {
            #expect(throws: TrustedKeyRequestError.wallet) { try Self.request().code(wallet: wallet) }
        }
    }
}

import ClaimTestSupport
import Cryptography
import Envelopes
import Testing

@testable import TrustedKeyWallet

/// trustedkey.md section 7.
struct WalletCallTests {
    /// A call put together piece by piece.
    private struct Call {
        var key: TestKey, signer: TestKey
        var secret = Array("harbour demo secret".utf8)
        var outer: [String: String?]
        var innerHeader = #"{"alg":"ES256"}"#
        var claims: [String: String?]
        var body: [UInt8]? = Array("{}".utf8)
        var now = TestAnswer.issued

        init() throws {
            key = try TestKey()
            signer = key
            outer = ["alg": #""HS256""#, "cty": #""JWT""#, "iss": #""harbour-wallet""#, "jwk": key.jwk()]
            let empty = Array("{}".utf8)
            claims = [
                "aud": #""http://gate.local/tk/api""#, "iat": "\(now)", "exp": "\(now + 60)",
                "body": "\"\(Hexadecimal.text(try Digest.hash(empty.span, .sha256)))\"",
            ]
        }

        private static func object(_ members: [String: String?]) -> [UInt8] {
            let list = members.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
            return Array("{\(list.joined(separator: ","))}".utf8)
        }

        func bearer() throws -> [UInt8] {
            let inner = try signer.token(header: innerHeader, payload: Self.object(claims))
            let signed = Base64.encodeURL(Self.object(outer)) + [UInt8(ascii: ".")] + Base64.encodeURL(Array(inner.utf8))
            let tag = try MessageAuthentication.tag(of: signed.span, key: Secret(copying: secret.span))
            return signed + [UInt8(ascii: ".")] + Base64.encodeURL(tag)
        }

        func fault(_ bearer: [UInt8]? = nil) throws -> WalletCallFault? {
            let octets = try bearer ?? self.bearer()
            do throws(WalletCallFault) {
                let call = try WalletCall(bearer: octets, body: body, url: "http://gate.local/tk/api", at: now) { client in
                    client == "harbour-wallet" ? Array("harbour demo secret".utf8) : nil
                }
                #expect(call.client == "harbour-wallet")
                return nil
            } catch {
                return error
            }
        }
    }

    private static func fault(_ change: (inout Call) throws -> Void) throws -> WalletCallFault? {
        var call = try Call()
        try change(&call)
        return try call.fault()
    }

    @Test func aCallIsOfAKnownWalletAndOfThePhonesKey() throws {
        #expect(try Self.fault { _ in } == nil)
        #expect(try Self.fault { $0.secret.append(1) } == .authenticator)
        #expect(try Self.fault { $0.outer["iss"] = #""other""# } == .authenticator)
        #expect(try Self.fault { $0.signer = try TestKey() } == .signature)
        #expect(try Self.fault { call in call.outer["jwk"] = try TestKey().jwk() } == .signature)
    }

    @Test func otherFormsAreMalformed() throws {
        for (name, value) in [
            ("alg", #""ES256""#), ("alg", #""none""#), ("alg", nil), ("cty", nil), ("iss", "1"), ("jwk", nil), ("jwk", "{}"),
            ("crit", "[]"),
        ] as [(String, String?)] {
            #expect(try Self.fault { $0.outer[name] = .some(value) } == .malformed, "\(name)")
        }
        for header in [#"{"alg":"HS256"}"#, #"{"alg":"none"}"#, "{}", "x"] {
            #expect(try Self.fault { $0.innerHeader = header } == .malformed)
        }
    }

    @Test func aCallIsForThisSiteAndThisMinute() throws {
        #expect(try Self.fault { $0.claims["aud"] = #""http://gate.local/tk/ap""# } == .audience)
        #expect(try Self.fault { $0.claims["aud"] = #"["http://gate.local/tk/api"]"# } == .audience)
        #expect(try Self.fault { $0.now += 59 } == nil)
        #expect(try Self.fault { $0.now += 60 } == .time)
        #expect(try Self.fault { $0.now -= 60 } == nil)
        #expect(try Self.fault { $0.now -= 61 } == .time)
        for (name, value) in [
            ("exp", nil), ("iat", nil), ("exp", "\(TestAnswer.issued + 61)"), ("exp", "1e10"), ("iat", "\(Int64.min)"),
            ("exp", "\(Int64.max)"),
        ] as [(String, String?)] {
            #expect(try Self.fault { $0.claims[name] = .some(value) } == .time)
        }
    }

    @Test func aCallHasThisBody() throws {
        #expect(try Self.fault { $0.body = Array("{} ".utf8) } == .body)
        #expect(try Self.fault { $0.body = nil } == .body)
        #expect(try Self.fault { $0.claims["body"] = "null" } == .body)
        #expect(try Self.fault { $0.claims["body"] = .some(nil) } == .body)
        #expect(
            try Self.fault {
                $0.claims["body"] = "null"
                $0.body = nil
            } == nil)
    }

    @Test func noPartOfACallMayBeAnother() throws {
        let call = try Call(), bearer = try call.bearer()
        for length in 0..<bearer.count { #expect(try call.fault(Array(bearer.prefix(length))) != nil) }
        for place in bearer.indices {
            var changed = bearer
            changed[place] ^= 1
            #expect(try call.fault(changed) != nil, "\(place)")
        }
    }
}

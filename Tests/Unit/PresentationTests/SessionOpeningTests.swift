import Cryptography
import Foundation
import Presentation
import TestSupport
import Testing

/// From two public keys and a nonce to the wallet's text, as the reference implementations do it.
@Suite struct SessionOpeningTests {
    struct Session: Sendable, CustomTestStringConvertible {
        var name: String
        var verifierSecret: [UInt8]
        var walletPublic: [UInt8]
        var nonce: [UInt8]
        var message: [UInt8]
        var payload: [UInt8]
        var testDescription: String { name }

        /// The payload a verifier gets out of this session's message.
        func open() throws -> [UInt8] {
            let agreement = try KeyAgreement(privateKey: verifierSecret.span)
            let secret = try agreement.agree(with: walletPublic.span)
            var derivation = try KeyDerivation()
            let salt = Array("SHA-256".utf8)
            let info = Array("SKVerifier".utf8)
            let key = try derivation.derive(32, from: secret, salt: salt.span, info: info.span)
            var opener = try MessageOpener()
            var buffer = message
            _ = try buffer.withUnsafeMutableBytes { try opener.open($0, key: key, nonce: nonce.span) }
            return opener.withPayload { span in span.indices.map { span[$0] } }
        }
    }

    /// Sessions recorded from the real wallet code, where the suites are at hand.
    static let recorded: [Session] = {
        let root = Repository.suites
        guard let data = FileManager.default.contents(atPath: root + "/tuvali/vectors.json"),
            let top = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let sessions = top["sessions"] as? [[String: Any]]
        else {
            print("Tuvali sessions: no \(root)/tuvali/vectors.json, the recorded ones are skipped")
            return []
        }
        return sessions.map { session in
            func text(_ name: String) -> String { session[name] as? String ?? "" }
            return Session(
                name: text("name"), verifierSecret: Hex.bytes(text("verifier_sk")), walletPublic: Hex.bytes(text("wallet_pk")),
                nonce: Hex.bytes(text("nonce")), message: Hex.bytes(text("ciphertext")), payload: Array(text("plaintext_utf8").utf8))
        }
    }()

    @Test func theWorkedExampleOpens() throws {
        // tuvali.md section 16.
        let session = Session(
            name: "worked example",
            verifierSecret: Hex.bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"),
            walletPublic: Hex.bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"),
            nonce: Hex.bytes("000102030405060708090a0b"),
            message: Hex.bytes(
                """
                c7888b588c7507626095fe15a97a5b2e3645a09cd2c2aab44f27539cde33528369f16cf4af19699039125d851c7108954eb86b26
                b218eec0afb1890645cb95302b502c1163519990ec87ec680d1be9002ebc3856062e279b9cf090fc51ed75b74fedfea3ae812618
                23717cf720a1fbed137974186885c2029f1855ef37402c8f87
                """),
            payload: OpeningTests.text)
        #expect(session.message.count == 0x81)
        #expect(try session.open() == session.payload)
    }

    @Test(.enabled(if: !recorded.isEmpty), arguments: recorded)
    func recordedSessionsOpen(_ session: Session) throws {
        #expect(!session.payload.isEmpty)
        #expect(try session.open() == session.payload)
    }
}

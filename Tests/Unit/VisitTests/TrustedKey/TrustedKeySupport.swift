import Testing
import Trust

@testable import Presentation
@testable import Visit

extension TestGate {
    static let callback = "http://gate.local/tk/answer?lane=5"

    /// A gate that takes codes and asks Trusted Key wallets, beside Tuvali's.
    static func withTrustedKey(
        _ contents: TrustContents, face: Policy.Face = .off, copies: Set<String> = [], callback: String? = callback
    ) throws -> TestGate {
        var policy = Policy()
        policy.takesCodes = true
        policy.face = face
        policy.copiesWithoutFace = copies
        policy.offer = OfferSettings([.tuvali, .trustedKey], turn: 2000)
        policy.trustedKey = try callback.map { try TrustedKeySettings(callback: $0) }
        return try TestGate(policy: policy, others: contents)
    }

    /// What stands on the screen for such wallets when its turn comes; empty where nothing does.
    var request: String {
        for _ in 0..<3 {
            if uri.hasPrefix(TestClaimant.wallet) { return uri }
            wait(2000)
        }
        return ""
    }

    /// The same without waiting for its turn.
    var requestNow: String { gate.presentations.trustedKey.codeText().map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// A code that is held up, and everything that follows.
    func answer(_ text: String) {
        waitForLights()
        look(text)
        wait(1)
    }

    func answer(_ claimant: TestClaimant, to callback: String? = nil) throws { answer(try claimant.answer(requestNow, to: callback)) }

    func send(_ text: String, as form: TrustedKeyPresentation.Form) -> AnswerReceipt {
        let receipt = gate.receive(answer: Array(text.utf8), as: form, at: now)
        turn()
        return receipt
    }

    func takeAnswerVerdict() -> Bool? { gate.takeAnswerVerdict() }

    /// Another bundle, with these beside the issuer of every test.
    func believe(_ others: TrustContents) throws {
        var contents = others
        contents.issuers.append(TrustContents.IssuerText(name: "issuer.json", bytes: try TestIssuer.trust()))
        gate.believe(try TrustStore(contents))
        turn()
    }

    func stop() {
        gate.stop(at: now)
        turn()
    }

    func wipe() { gate.wipe() }

    /// Nothing of a request or an answer is left: no text of a code, no nonce.
    var isRequestForgotten: Bool {
        gate.presentations.trustedKey.isForgotten && gate.storage.codeTexts.allSatisfy { $0 == 0 }
    }
}

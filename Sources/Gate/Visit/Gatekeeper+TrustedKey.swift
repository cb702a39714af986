import Bluetooth
import Credentials
import Cryptography
import Presentation
import Trust
import TrustedKeyWallet

/// Trusted Key wallets (trustedkey.md): what they are asked by the code on the screen, and what becomes of an answer. It comes whole, by a
/// code before the camera or by the gate's own network, and its visit is that of a code: no radio, and nothing else meanwhile.
extension Gatekeeper {
    /// What stands on the screen for such wallets is what the gate asks now: a fresh nonce after each that was used up, and where another
    /// bundle asks for something else.
    mutating func refreshRequest(_ now: Now) {
        // What is answered is not replaced before its verdict.
        guard !presentations.isCommitted else { return }
        let question = isStopping ? nil : verifier.trust.trustedKey.question
        let isNew = presentations.trustedKey.ask(question, at: now.monotonic)
        // Where the offer was withdrawn meanwhile, its texts are gone, and the request is as good as before.
        guard isNew || presentations.trustedKey.isAsking && !offer.hasText(of: .trustedKey) else { return }
        guard var text = presentations.trustedKey.codeText() else { return offer.remove(.trustedKey) }
        presentations.code.walletLink = question.map { Array($0.wallet.utf8) } ?? []
        offer.put(text.span, of: .trustedKey)
        Cryptography.wipe(&text)
    }

    /// Whether a code's text is meant as an answer, by how it begins.
    func isAnswer(_ text: Span<UInt8>) -> Bool { presentations.trustedKey.isAnswer(text) }

    /// An answer before the camera has the gate to itself until its verdict, whatever it is worth.
    mutating func beginAnswer(_ text: Span<UInt8>, _ now: Now) {
        beginCode(now)
        presentations.commit(answer: text, at: now.monotonic)
    }

    /// An answer that was sent to the gate's own network. It is a visitor's only where somebody who is believed vouches for the key that
    /// has signed the nonce on the screen: nobody else on the network turns a light, leaves a record or keeps anybody waiting.
    ///
    /// - Parameters:
    ///   - octets: the whole address, or a body.
    ///   - form: how it is written.
    public mutating func receive(answer octets: [UInt8], as form: TrustedKeyPresentation.Form, at now: Now) -> AnswerReceipt {
        guard presentations.trustedKey.settings != nil, verifier.trust.trustedKey.question != nil, !isStopping else { return .notAsked }
        guard !presentations.isCommitted, !admission.takesNoAnswers(at: now.monotonic) else { return .busy }
        let clock = verifier.trust.terms?.clock(at: now.wall, uptime: now.uptime) ?? .sure(now.wall)
        let finding = presentations.trustedKey.finding(
            sent: octets, as: form, by: verifier.trust.trustedKey, at: now.monotonic, wall: clock.now)
        guard finding.isVouchedFor else {
            guard case .reject(let reasons) = finding.verdict, let reason = reasons.first, reason != .answer(.nonceMismatch) else {
                return .notAsked
            }
            return .refused(reason)
        }
        beginCode(now, isFromNetwork: true)
        presentations.commit(finding, size: octets.count)
        drain(now)
        return .taken
    }

    /// Where answers go, as the site says it; nil where no such wallet is asked.
    public var answerAddress: String? {
        // Mutating in name only, as `deadline`.
        mutating get { presentations.trustedKey.settings?.callback }
    }

    /// The verdict on the answer that was sent last, once: whoever sent it is told.
    public mutating func takeAnswerVerdict() -> Bool? { presentations.trustedKey.takeVerdict() }

    /// The answer against the pinned roots, then the trust entries and the policy.
    mutating func verifyTrustedKey(_ now: Now) {
        // The bundle's own rules come first: a gate whose trust is over believes nobody.
        if let refusal = verifier.trust.terms?.refusal(at: now.wall, uptime: now.uptime) {
            return judge(.rejected, [.credential(refusal)], form: .trustedKey, now)
        }
        let clock = verifier.trust.terms?.clock(at: now.wall, uptime: now.uptime) ?? .sure(now.wall)
        guard let finding = presentations.trustedKey.finding(by: verifier.trust.trustedKey, at: clock.now) else {
            return judge(.rejected, [.trustChanged], form: .trustedKey, now)
        }
        switch finding.verdict {
        case .reject(let reasons):
            judge(.rejected, reasons.map(GateReason.trustedKey), form: .trustedKey, signer: finding.issuer, now)
        case .accept(let holder):
            admission.noteGenuine(true)
            var believed = BelievedCredential(holder)
            if case .unsure = clock { believed.notes.append(CredentialNote.clockUnsure.code) }
            compareFaces(believed, now)
        }
    }
}

/// What became of an answer that was sent to the gate.
public enum AnswerReceipt: Hashable, Sendable {
    /// It is judged: `takeAnswerVerdict` says how.
    case taken
    /// Nothing is asked, or not this: the nonce is another one, used up, or over.
    case notAsked
    /// Another visit is under way.
    case busy
    /// It is a stranger's: nothing comes of it.
    case refused(TrustedKeyReason)
}

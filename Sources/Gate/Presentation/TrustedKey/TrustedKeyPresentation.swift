import Bluetooth
import Cryptography
import Envelopes
import Trust
import TrustedKeyWallet

/// The request to Trusted Key wallets that stands on the screen, and the answer to it (trustedkey.md sections 1 and 2): read from a code
/// before the camera, or brought by the gate's own network. There is no link and nobody to be asked to leave.
///
/// **Who uses up a nonce.** It is on the screen, so everybody before the gate knows it, and anybody can hold up, or send, an answer that
/// repeats it. An answer that is refused before somebody believed vouches for its key leaves the request as it is: else a stranger with a
/// key of his own would take the request away from whoever is reading it on a phone. It ends with the first answer that is verified, with
/// the first that is refused although its claims are of issuers who are believed, and after five minutes.
public struct TrustedKeyPresentation: ~Copyable {
    /// How an answer comes.
    public enum Carrier: UInt8, Hashable, Sendable {
        case code
        case network
    }

    /// How a wallet has written its answer.
    public enum Form: UInt8, Hashable, Sendable, CaseIterable {
        /// The whole address.
        case url
        /// A body of `application/x-www-form-urlencoded`.
        case form
        /// A body of `application/json`.
        case json
    }

    private enum Content {
        case none
        case answer(TrustedKeyAnswer)
        case judged(TrustedKeyFinding)
        /// It was judged by a bundle that is believed no more, and there is nothing left of it to judge again.
        case outdated
    }

    /// Milliseconds for which a nonce is good.
    static var lifetime: UInt64 { UInt64(TrustedKeyRequest.longestTimeout) * 1000 }
    /// Milliseconds until a request is tried again that could not be made.
    static var patience: UInt64 { 10_000 }

    /// Nil where the site asks no such wallet.
    public let settings: TrustedKeySettings?
    /// What stands on the screen, or is answered just now.
    private var request: TrustedKeyRequest?
    private var question: TrustedKeyBelief.Question?
    /// The end of the request, or when it is tried again; nil where it cannot be asked at all, and is not tried.
    private var until: Instant?

    private var content = Content.none
    private var size = 0
    /// How the answer came that is judged now; nil where none is.
    public private(set) var carrier: Carrier?
    private var told: Bool?

    /// - Parameter settings: nil asks nobody.
    public init(_ settings: TrustedKeySettings?) { self.settings = settings }

    // MARK: the request

    /// Asks this, unless it is asked already. A fresh nonce each time.
    ///
    /// - Parameter question: nil asks nothing.
    /// - Returns: whether there is another request now, or none any more.
    public mutating func ask(_ question: TrustedKeyBelief.Question?, at now: Instant) -> Bool {
        let wasAsked = request != nil
        guard let settings, let question else {
            forgetRequest()
            return wasAsked
        }
        if question == self.question {
            guard let until else { return false }
            if now < until { return false }
        }
        forgetRequest()
        self.question = question
        (request, until) = (nil, nil)
        // Where site and bundle together ask for more than a code holds, only another bundle helps: nothing is tried until then.
        if settings.obstacle(asking: question.objects, by: question.wallet) == nil {
            request = Self.made(question, settings)
            until = now.adding(milliseconds: request == nil ? Self.patience : Self.lifetime)
        }
        return wasAsked || request != nil
    }

    /// Nil without randomness.
    private static func made(_ question: TrustedKeyBelief.Question, _ settings: TrustedKeySettings) -> TrustedKeyRequest? {
        guard var random: InlineArray<32, UInt8> = try? Random.array() else { return nil }
        var nonce = random.span.withUnsafeBufferPointer { Array($0) }
        defer {
            Cryptography.wipe(&nonce)
            Cryptography.wipe(&random)
        }
        return try? settings.request(nonce: nonce, objects: question.objects)
    }

    /// The request serves nobody any more.
    public mutating func forgetRequest() {
        request?.wipe()
        request = nil
        question = nil
        until = nil
    }

    /// The text of the code on the screen, whose copies are for the caller to wipe; nil where nothing is asked.
    public func codeText() -> [UInt8]? {
        guard let request, let question, let text = try? request.code(wallet: question.wallet) else { return nil }
        return Array(text.utf8)
    }

    /// A request stands on the screen, or waits for its turn.
    public var isAsking: Bool { request != nil }

    /// When `ask` wants to be called again; nil while nothing is asked.
    public var deadline: Instant? { until }

    // MARK: the answer

    /// Whether a code's text is meant for whoever asks at this site: it begins with the address for answers.
    public func isAnswer(_ text: Span<UInt8>) -> Bool {
        guard let address = settings?.address, request != nil, text.count >= address.count else { return false }
        guard address.indices.allSatisfy({ text[$0] == address[$0] }) else { return false }
        return text.count == address.count || text[address.count] == UInt8(ascii: "?") || text[address.count] == UInt8(ascii: "#")
    }

    /// Takes up an answer from a code. One that cannot be is kept as what refuses it: `finding` says so.
    mutating func commit(_ text: Span<UInt8>, at now: Instant) {
        var octets = text.withUnsafeBufferPointer { Array($0) }
        defer { Cryptography.wipe(&octets) }
        let answer: Content
        do throws(TrustedKeyFault) {
            answer = .answer(try open(octets, as: .url, at: now))
        } catch {
            answer = .judged(TrustedKeyFinding(.reject([.answer(error)])))
        }
        begin(answer, by: .code, size: octets.count)
    }

    /// Judges an answer that was sent, without taking it up. A request that it uses up is forgotten.
    ///
    /// - Parameter wall: seconds since 1970.
    public mutating func finding(
        sent octets: [UInt8], as form: Form, by belief: TrustedKeyBelief, at now: Instant, wall: Seconds
    ) -> TrustedKeyFinding {
        do throws(TrustedKeyFault) {
            var answer = try open(octets, as: form, at: now)
            let finding = judged(answer, by: belief, at: wall)
            answer.wipe()
            if finding.isVouchedFor { forgetRequest() }
            return finding
        } catch {
            return TrustedKeyFinding(.reject([.answer(error)]))
        }
    }

    /// Takes up an answer that was sent and judged.
    ///
    /// - Parameter size: octets of what was sent.
    mutating func commit(_ finding: TrustedKeyFinding, size: Int) { begin(.judged(finding), by: .network, size: size) }

    private mutating func begin(_ content: Content, by carrier: Carrier, size: Int) {
        end()
        (self.content, self.carrier, self.size) = (content, carrier, size)
    }

    private func open(_ octets: [UInt8], as form: Form, at now: Instant) throws(TrustedKeyFault) -> TrustedKeyAnswer {
        guard let request, let until, now < until else { throw .nonceMismatch }
        switch form {
        case .url: return try TrustedKeyAnswer(url: octets, to: request)
        case .form: return try TrustedKeyAnswer(form: octets, to: request)
        case .json: return try TrustedKeyAnswer(json: octets.span, to: request)
        }
    }

    /// Others are believed from now on: what was judged when it was sent, and waits for its verdict, was so by those before. An answer in a
    /// code is judged later, by whom is believed then.
    public mutating func outdate() {
        if case .judged = content, carrier == .network { content = .outdated }
    }

    /// Judges the answer that was taken up, once. A request that it uses up is forgotten.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: nil of one that was judged by others than are believed now.
    public mutating func finding(by belief: TrustedKeyBelief, at now: Seconds) -> TrustedKeyFinding? {
        if case .judged(let finding) = content {
            content = .none
            return finding
        }
        if case .outdated = content {
            content = .none
            return nil
        }
        guard var answer = takeAnswer() else { return TrustedKeyFinding(.reject([.answer(.answerMalformed)])) }
        let finding = judged(answer, by: belief, at: now)
        answer.wipe()
        if finding.isVouchedFor { forgetRequest() }
        return finding
    }

    private mutating func takeAnswer() -> TrustedKeyAnswer? {
        guard case .answer(let answer) = content else { return nil }
        content = .none
        return answer
    }

    private func judged(_ answer: TrustedKeyAnswer, by belief: TrustedKeyBelief, at now: Seconds) -> TrustedKeyFinding {
        // Another bundle may have come meanwhile, by which nobody is believed any more.
        guard let request, let question = belief.question else { return TrustedKeyFinding(.reject([.answer(.claimUntrusted)])) }
        // What was asked by one bundle answers nothing that another asks.
        guard question == self.question else { return TrustedKeyFinding(.reject([.answer(.nonceMismatch)])) }
        return TrustedKeyJudgement(belief: belief, question: question, now: now).finding(answer, to: request)
    }

    /// The verdict is told: whoever sent the answer asks for it, and whoever holds up a code looks at the light.
    mutating func tell(_ isAccepted: Bool) -> Bool {
        if carrier == .network { told = isAccepted }
        return true
    }

    /// The verdict on the last answer that came by the network, once; nil while there is none.
    public mutating func takeVerdict() -> Bool? { told.take() }

    var report: PresentationReport { PresentationReport(missed: nil, mtu: 0, pieces: 0, checksumFailures: 0, size: size) }

    // MARK: the end

    /// Forgets the answer, where nobody has judged it. The request stands.
    mutating func end() {
        if var answer = takeAnswer() { answer.wipe() }
        content = .none
        carrier = nil
        size = 0
    }

    /// As `end`, and nothing is asked any more.
    public mutating func wipe() {
        end()
        told = nil
        forgetRequest()
    }

    /// Nothing of any request or answer is left.
    public var isForgotten: Bool {
        if case .none = content { request == nil } else { false }
    }
}

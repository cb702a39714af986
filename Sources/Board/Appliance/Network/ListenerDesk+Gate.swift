import ListenerProtocol
import Presentation
import Visit

/// What is posted on its way to the gate, and what the gate says on its way back. All that a listener brings is a stranger's: what decides
/// is whether it opens with the key of the visit that is on the screen, or answers the request that is there.
extension ListenerDesk {
    /// Hands the gate what was posted last, if anything was.
    func bring(to gate: inout Gatekeeper, at now: Now) {
        guard let posted = takePosted() else { return }
        let monotonic = now.monotonic.nanoseconds
        switch posted.kind {
        case .envelope:
            let receipt = withContent { _, body in gate.receive(post: body, at: now) } ?? .nobodyAsked
            switch receipt {
            case .taken: expectWord(for: posted.number, of: .envelope, monotonic)
            // The holder does not want to, and there is nothing to be said to that.
            case .unopened(.declined): answer(.taken, to: posted.number, monotonic)
            case .unopened: answer(.malformed, to: posted.number, monotonic)
            case .nobodyAsked: answer(.gone, to: posted.number, monotonic)
            }
        case .query, .form, .json:
            switch bring(answer: posted.kind, to: &gate, at: now) {
            case .taken: expectWord(for: posted.number, of: .query, monotonic)
            case .notAsked, .busy: answer(.gone, to: posted.number, monotonic)
            case .refused: answer(.rejected, to: posted.number, monotonic)
            }
        }
        release(monotonic)
    }

    /// The answer of a Trusted Key wallet (trustedkey.md section 2, carrier B). By which name the gate was called is for the network to
    /// say, which led here: path and parameters are compared with the request's.
    private func bring(answer kind: PostedKind, to gate: inout Gatekeeper, at now: Now) -> AnswerReceipt {
        guard let callback = gate.answerAddress, let place = Self.target(of: callback) else { return .notAsked }
        let sent = withContent { target, body -> [UInt8]? in
            let target = target.withUnsafeBufferPointer { Array($0) }
            if kind == .query { return Array(callback.utf8.prefix(callback.utf8.count - place.count)) + target }
            return target == place ? body.withUnsafeBufferPointer { Array($0) } : nil
        }
        guard case .some(.some(let octets)) = sent else { return .refused(.answer(.callbackMismatch)) }
        switch kind {
        case .query: return gate.receive(answer: octets, as: .url, at: now)
        case .json: return gate.receive(answer: octets, as: .json, at: now)
        case .form, .envelope: return gate.receive(answer: octets, as: .form, at: now)
        }
    }

    /// Path and query of an address; nil without a path.
    private static func target(of address: String) -> [UInt8]? {
        let octets = Array(address.utf8)
        guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), octets.count > colon + 3 else { return nil }
        guard let slash = octets[(colon + 3)...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
        return Array(octets[slash...])
    }

    /// Sends whoever is the visitor what the gate tells it, once there is a verdict.
    func bringBack(from gate: inout Gatekeeper, at now: Now) {
        let monotonic = now.monotonic.nanoseconds
        if let isAccepted = gate.takeAnswerVerdict() { answerVisitor(.query, isAccepted ? .accepted : .rejected, monotonic) }
        guard let reply = gate.takePostReply() else { return }
        let word: GateWord =
            switch reply {
            case .message(let octets): .message(octets)
            case .taken: .taken
            case .gone: .gone
            }
        answerVisitor(.envelope, word, monotonic)
    }
}

import Bluetooth
import Cryptography
import Envelopes
import Mdoc
import MdocTransport

/// What is said in the session, and what the answer is worth (mdoc.md sections 3, 4 and 6).
extension MdocPresentation {
    /// Messages may go: the first one is the request.
    mutating func ask(over bearer: MdocBearer, at now: Instant) {
        report.bearer = bearer
        do throws(MdocFailure) {
            let message = try establishment()
            do throws(MdocLinkRefusal) { try link.send(message.span, now: now) } catch { throw .unavailable }
            consent.begin(for: max(settings.timing.shortened(by: shortening).answer, MdocTiming.leastAnswer), at: now)
            steps.append(.asked)
        } catch {
            say(endSession(), at: now)
            steps.append(.failed(error))
        }
    }

    /// Who asks is signed in this session, so the request is made for each.
    private mutating func establishment() throws(MdocFailure) -> [UInt8] {
        guard var session = session.take() else { throw .unavailable }
        var message: [UInt8]?
        if let octets = request(in: session.transcript) { message = try? session.establishment(request: octets.span) }
        self.session = consume session
        guard let message else { throw .unavailable }
        return message
    }

    private func request(in transcript: SessionTranscript) -> [UInt8]? {
        do throws(RequestError) {
            let request = try DeviceRequest(questions.map(\.request))
            guard let readerKey else { return request.octets }
            let signed = try request.octets(signedBy: readerKey, in: transcript)
            // The certificates are in it once for each document. As a key that cannot be used, they cost the gate its name, and no visitor.
            return signed.count <= Self.mostOctets ? signed : request.octets
        } catch {
            return nil
        }
    }

    /// A whole message of the phone's is there.
    mutating func hear(at now: Instant) {
        let sealed: [UInt8] = link.withMessage { message in message.withUnsafeBufferPointer { Array($0) } } ?? []
        link.release()
        consent.end()
        // One request, one answer: what comes behind it is of no use.
        guard answer == nil, var session = session.take() else { return }
        do throws(SessionEnd) {
            let message = try session.open(sealed.span)
            let word = message.status == nil ? session.end() : nil
            answer = consume message
            self.session = consume session
            report.size = sealed.count
            say(word, at: now)
            steps.append(.presented)
        } catch {
            say(error.answer, at: now)
            steps.append(.failed(.session(error)))
        }
    }

    /// Tells the phone that the session is over; where there is nothing to tell, the phone has ended it, and leaves.
    private mutating func say(_ word: [UInt8]?, at now: Instant) {
        do throws(MdocLinkRefusal) {
            if let word { try link.end(saying: word.span, now: now) } else { try link.leave(now: now) }
        } catch {
            // The link is gone, or about to go.
        }
    }

    /// The link came to nothing; where there was a session, the phone is told.
    mutating func lose(_ failure: MdocLinkFailure, at now: Instant) {
        consent.end()
        if let status = failure.status, let word = endSession(SessionStatus(rawValue: UInt64(status))) { say(word, at: now) }
        // Of a visit that has its answer nothing is lost any more.
        if answer == nil { steps.append(.failed(.link(failure))) }
    }

    private mutating func endSession(_ status: SessionStatus = .termination) -> [UInt8]? {
        guard var session = session.take() else { return nil }
        let word = session.end(status)
        self.session = consume session
        return word
    }

    // MARK: the answer

    /// What the answer is worth. Its octets are wiped by that, and so is the gate's ephemeral key.
    ///
    /// - Parameters:
    ///   - trust: whom to believe.
    ///   - now: seconds since 1970.
    public mutating func finding(by trust: MdocTrust, at now: Seconds) -> MdocFinding {
        if let refusal { return MdocFinding(refused: [refusal]) }
        guard var session = session.take(), let answer = answer.take() else { return MdocFinding(refused: [.responseMalformed]) }
        let verifier = MdocVerifier(trust: trust, settings: settings.verification)
        let finding = Self.judge(answer, in: session, by: verifier, MdocJudgement(questions: questions, now: now))
        session.forget()
        return finding
    }

    private static func judge(
        _ answer: borrowing SessionMessage, in session: borrowing ReaderSession, by verifier: MdocVerifier, _ judgement: MdocJudgement
    ) -> MdocFinding {
        let transcript = session.transcript.octets, requested = judgement.questions.map(\.request.docType)
        return answer.plaintext.withOctets { response in
            do throws(ResponseError) {
                let result = try verifier.verify(
                    response: response, transcript: transcript, requested: requested, macKeys: session, now: judgement.now)
                return judgement.finding(result)
            } catch {
                return MdocFinding(refused: [.responseMalformed])
            }
        }
    }
}

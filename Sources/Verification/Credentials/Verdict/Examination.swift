import Envelopes
import Trust

/// What a verification came to, and, of a credential that is refused, what it met on the way.
public struct Examination: Sendable {
    public let verdict: Verdict
    public let form: CredentialForm
    /// The trusted issuer's id, as signed, once that issuer's signature held, whatever else is wrong; nil before.
    public let signer: String?
    /// As the credential states it: anybody can write that. Nil where it does not, and where nobody asked.
    public internal(set) var statedIssuer: String?
    private var particulars: [Particular] = []

    init(_ verdict: Verdict, _ form: CredentialForm, _ witness: Witness = Witness()) {
        self.verdict = verdict
        self.form = form
        signer = verdict.credential?.issuer ?? witness.signer
    }

    /// Of what is refused before there is a credential to look at.
    public init(refused reason: RejectReason) {
        self.init(.reject([reason]), .unknown)
    }

    init(_ verdict: Verdict, _ form: CredentialForm, _ witness: Witness, _ seen: Particulars) {
        self.init(verdict, form, witness)
        statedIssuer = seen.issuer
        particulars = seen.all
    }

    /// What was seen that bears on `reason`: the sender's texts, unsigned unless `signer` is there, each of at most `Particular.longest`
    /// octets.
    public func particulars(for reason: RejectReason) -> [Particular] {
        let seen = reason.subjects.flatMap { subject in particulars.filter { $0.subject == subject } }
        // What cannot even be taken apart has a size.
        return seen.isEmpty ? particulars.filter { $0.subject == .octets } : seen
    }
}

extension CredentialVerifier {
    /// The verdict on a credential, with what is known of one that is refused.
    ///
    /// - Parameters:
    ///   - time: now by the board's clock, in seconds since 1970.
    ///   - uptime: seconds that the board has run for, by the clock the trust store's terms were made with.
    ///   - inFull: reads a refused credential once more, for what it says; for people who look for the cause. A gate does not ask.
    public func examine(_ received: ReceivedCredential, at time: Seconds, uptime: Seconds = 0, inFull: Bool = false) -> Examination {
        let witness = Witness()
        let (verdict, status) = verify(received, at: time, uptime: uptime, witness: witness)
        guard inFull, !verdict.isAccept else { return Examination(verdict, received.form, witness) }
        return Examination(
            verdict, received.form, witness,
            Particulars(of: received, verdict.reasons, trust: trust, witness: witness, status: status, at: time))
    }

    /// The same for octets in which there may be no credential.
    public func examine(_ message: Span<UInt8>, at time: Seconds, uptime: Seconds = 0, inFull: Bool = false) -> Examination {
        do throws(RejectReason) {
            return examine(try ReceivedCredential(message: message), at: time, uptime: uptime, inFull: inFull)
        } catch {
            return Examination(.reject([error]), .unknown, Witness(), Particulars(octets: message.count))
        }
    }
}

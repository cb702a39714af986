import Envelopes
import LinkedData
import Trust

/// What the gate thinks of a credential.
public enum Verdict: Sendable {
    case accept(VerifiedCredential)
    /// At least one reason; the first is the one to show.
    case reject([RejectReason])

    public var isAccept: Bool {
        if case .accept = self { true } else { false }
    }

    /// Empty for an accepted credential.
    public var reasons: [RejectReason] {
        if case .reject(let reasons) = self { reasons } else { [] }
    }

    /// Nil for a rejected credential.
    public var credential: VerifiedCredential? {
        if case .accept(let credential) = self { credential } else { nil }
    }
}

/// Verifies what a wallet sent against the issuers pinned in a trust store; offline.
///
/// Keep it from one credential to the next: what it learns about pinned contexts and status lists makes the next verdict come sooner, and
/// changes none.
public struct CredentialVerifier {
    public let trust: TrustStore
    private let memory: (proofs: ProofMemory, lists: StatusMemory)

    public init(trust: TrustStore) {
        self.trust = trust
        memory = (ProofMemory(trust), StatusMemory())
    }

    /// What a verification takes from the allocator at most: name, octets, purpose.
    public static var bounds: [(name: String, size: Int, purpose: String)] {
        VerificationBounds.rows.map { ("\($0.name)", $0.size, "\($0.purpose)") }
    }

    /// - Parameters:
    ///   - message: the opened and inflated message: Inji's wrapper, a JSON-LD credential, or compact text; octets.
    ///   - time: now by the board's clock, in seconds since 1970.
    ///   - uptime: seconds that the board has run for, by the clock the trust store's terms were made with.
    public func verify(_ message: Span<UInt8>, at time: Seconds, uptime: Seconds = 0) -> Verdict {
        do throws(RejectReason) {
            return verify(try ReceivedCredential(message: message), at: time, uptime: uptime)
        } catch {
            return .reject([error])
        }
    }

    /// The same for octets in an array.
    public func verify(_ message: [UInt8], at time: Seconds, uptime: Seconds = 0) -> Verdict {
        verify(message.span, at: time, uptime: uptime)
    }

    /// The same for a credential that was found in the message.
    ///
    /// - Parameter challenge: what this gate asked the holder to sign along; nil where there was no asking.
    public func verify(_ received: ReceivedCredential, at time: Seconds, uptime: Seconds = 0, challenge: Challenge? = nil) -> Verdict {
        verify(received, at: time, uptime: uptime, challenge: challenge, witness: Witness()).verdict
    }

    func verify(
        _ received: ReceivedCredential, at time: Seconds, uptime: Seconds, challenge: Challenge? = nil, witness: Witness
    ) -> (verdict: Verdict, status: StatusFinding?) {
        var time = time, isUnsure = false
        if let terms = trust.terms {
            do throws(TrustTerms.Refusal) {
                (time, isUnsure) = try terms.time(time, uptime)
            } catch {
                return (.reject([error.rejectReason]), nil)
            }
        }
        var context = VerificationContext(trust: trust, proofs: memory.proofs, time: time)
        (context.isClockUnsure, context.challenge, context.witness) = (isUnsure, challenge, witness)
        context.isFromCode = received.isFromCode
        do throws(Refusal) {
            let judged = Judgement(context: context, lists: memory.lists).verdict(try Self.open(received, context))
            return (judged.verdict, judged.status)
        } catch {
            return (.reject(error.reasons), nil)
        }
    }

    private static func open(_ received: ReceivedCredential, _ context: VerificationContext) throws(Refusal) -> SignedCredential {
        switch received.form {
        case .sdJWT: try SDJWTFormat.open(received.bytes, context)
        case .ldpVC: try JSONLDFormat.open(received.bytes, context)
        case .cwt: try CWTFormat.open(received.bytes, context)
        case .jwtVC, .mdoc, .anoncreds, .trustedKey, .unknown: throw Refusal(reasons: [.unsupportedForm(received.form)])
        }
    }
}

import LinkedData

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
/// Keep it from one credential to the next: what it learns about pinned contexts and status lists makes the next verdict come sooner, and changes none.
public struct CredentialVerifier {
    public let trust: TrustStore
    private let memory: VerifierMemory

    public init(trust: TrustStore) {
        self.trust = trust
        memory = VerifierMemory(trust: trust)
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
    public func verify(_ received: ReceivedCredential, at time: Seconds, uptime: Seconds = 0) -> Verdict {
        verify(received, at: time, uptime: uptime, witness: Witness())
    }

    func verify(_ received: ReceivedCredential, at time: Seconds, uptime: Seconds, witness: Witness) -> Verdict {
        guard let terms = trust.terms else { return judge(received, at: time, witness) }
        do throws(RejectReason) {
            let (now, isUnsure) = try terms.time(time, uptime)
            let verdict = judge(received, at: now, witness)
            guard isUnsure, let credential = verdict.credential else { return verdict }
            return .accept(credential.adding(.clockUnsure))
        } catch {
            return .reject([error])
        }
    }

    private func judge(_ received: ReceivedCredential, at time: Seconds, _ witness: Witness) -> Verdict {
        let verdict = verdict(of: received, at: time, witness)
        // Whatever the form: without these claims it is no credential for this gate.
        let missing = verdict.credential?.missingRoles ?? []
        return missing.isEmpty ? verdict : .reject(missing.map(RejectReason.claimMissing))
    }

    private func verdict(of received: ReceivedCredential, at time: Seconds, _ witness: Witness) -> Verdict {
        switch received.form {
        case .sdJWT: SDJWTVerification(trust: trust, memory: memory, witness: witness, time: time).verdict(received.bytes)
        case .ldpVC: LinkedVerification(trust: trust, memory: memory, witness: witness, time: time).verdict(received.bytes)
        case .cwt: CWTVerification(trust: trust, memory: memory, witness: witness, time: time).verdict(received.bytes)
        case .jwtVC, .mdoc, .unknown: .reject([.unsupportedForm(received.form)])
        }
    }
}

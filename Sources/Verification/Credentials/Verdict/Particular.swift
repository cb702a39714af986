/// One thing that a refused credential says and that bears on why: which key, which type, which list.
public struct Particular: Hashable, Sendable {
    /// What it is about. The raw value is a stable word for programs.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        case octets, form, issuer, header, key, certificate, algorithm, suite, purpose, digest, audience, type, context, member, rule,
            proof, time, list, claim
    }

    public let subject: Subject
    /// As it was found: the sender's text.
    public let found: [String]
    /// What the trust entry, or this gate, would take instead; empty where that is no list.
    public let allowed: [String]

    /// Octets of one text at most; a longer one ends in `…`.
    public static let longest = 200
    /// Texts of one kind at most; behind them stands how many more there are.
    public static let most = 8

    init?(_ subject: Subject, _ found: [String], allowed: [String] = []) {
        guard !found.isEmpty || !allowed.isEmpty else { return nil }
        self.subject = subject
        self.found = Self.bounded(found)
        self.allowed = Self.bounded(allowed)
    }

    private static func bounded(_ texts: [String]) -> [String] {
        var kept: [String] = [], more = 0
        for text in texts {
            let short = text.utf8.count <= longest ? text : String(decoding: text.utf8.prefix(longest), as: UTF8.self) + "…"
            if kept.contains(short) { continue }
            if kept.count < most { kept.append(short) } else { more += 1 }
        }
        return more == 0 ? kept : kept + ["and \(more) more"]
    }
}

extension RejectReason {
    /// What there is to say of a credential that is refused for this reason.
    var subjects: [Particular.Subject] {
        switch self {
        case .messageTooLarge, .messageMalformed, .credentialMissing, .compactMalformed, .headerMalformed, .payloadMalformed, .tooComplex,
            .unsupportedCode, .signatureMissing:
            [.octets]
        case .encrypted, .decryptionFailed: [.key, .algorithm]
        case .unsupportedForm, .formNotTrusted: [.form]
        case .typeHeaderRefused, .criticalHeaderRefused: [.header]
        case .algorithmRefused, .algorithmNotTrusted: [.algorithm]
        case .signatureInvalid: [.key, .certificate, .algorithm, .suite]
        case .credentialRule: [.rule]
        case .contextUnknown: [.context]
        case .linkedDataInvalid: [.member]
        case .proofMissing, .proofMalformed, .payloadNotDetached: [.proof, .suite]
        case .proofTypeRefused, .suiteNotTrusted: [.suite]
        case .proofPurposeRefused: [.purpose]
        case .claimsUncovered, .credentialAmbiguous: [.member]
        case .issuerMismatch, .issuerMissing, .issuerUnknown: [.issuer]
        case .issuerAmbiguous: [.issuer, .certificate]
        case .keyUnknown, .keyNotCurrent, .keyMismatch, .keyIDMissing: [.key, .algorithm]
        case .certificateMalformed, .certificateUntrusted, .certificateNameMismatch, .certificateThumbprintMismatch,
            .certificateUsageRefused, .certificatePolicyRefused:
            [.certificate]
        case .digestAlgorithmRefused: [.digest]
        case .disclosureMalformed, .disclosureRepeated, .disclosureUnreferenced, .digestRepeated, .digestMalformed, .disclosureMisplaced,
            .claimNameRefused,
            .claimNameRepeated:
            [.claim]
        case .proofExpired, .timeMalformed, .expired, .notYetValid, .issuedInFuture, .clockUnsure, .trustExpired: [.time]
        case .audienceMismatch: [.audience]
        case .typeMissing, .typeNotTrusted: [.type]
        case .claimMissing: [.claim]
        case .revoked, .suspended, .statusUnknown: [.list]
        case .keyBindingMalformed, .keyBindingKeyMissing, .keyBindingHashMismatch, .keyBindingSignatureInvalid: [.header]
        }
    }
}

import Trust
import TrustedKeyWallet

/// Why the answer of a Trusted Key wallet lets nobody in (trustedkey.md section 8).
public enum TrustedKeyReason: Hashable, Sendable {
    /// The first step that it fails.
    case answer(TrustedKeyFault)
    /// The same, of claims that are all of issuers who are believed.
    case claims(TrustedKeyFault)
    /// Whether its key or its claims were revoked cannot be told.
    case statusUnknown
    /// Nobody whom the gate believes about it says that the holder is of a kind that is let in.
    case typeNotTrusted
    /// A claim that the issuer's entry requires is not there, or is not this issuer's.
    case claimMissing(ClaimRole)
}

extension TrustedKeyReason {
    /// A stable word for programs.
    public var code: String {
        switch self {
        case .answer(let fault), .claims(let fault): fault.rawValue
        case .statusUnknown: "status-unknown"
        case .typeNotTrusted: "type-not-trusted"
        case .claimMissing: "claim-missing"
        }
    }

    public var detail: String? {
        if case .claimMissing(let role) = self { role.rawValue } else { nil }
    }

    /// The same answer would be refused for it again, whatever the clock and the lists say meanwhile.
    public var isLasting: Bool {
        switch self {
        case .answer(.tokenTime), .answer(.claimNotYetValid), .statusUnknown: false
        case .answer, .claims, .typeNotTrusted, .claimMissing: true
        }
    }

    /// Somebody who is believed has vouched for the key: no stranger's doing. What is not of a kind that is let in may be anybody's.
    public var isOfGenuineClaim: Bool {
        switch self {
        case .claims, .statusUnknown, .claimMissing: true
        case .answer, .typeNotTrusted: false
        }
    }

    public var sentence: String {
        switch self {
        case .answer(let fault), .claims(let fault): fault.sentence
        case .statusUnknown: "Whether the wallet's key or its claims were revoked is not known."
        case .typeNotTrusted: "No issuer that is believed about it says that the holder is of a kind that is let in."
        case .claimMissing: "A claim that this gate requires is missing."
        }
    }
}

extension TrustedKeyFault {
    /// Found out only when a path from every claim that was sent led to a pinned root.
    var isBehindPaths: Bool {
        switch self {
        case .objectMissing, .claimAmbiguous, .objectRefused: true
        default: false
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .answerMalformed: "What the wallet answered cannot be read."
        case .callbackMismatch: "The answer is for another gate."
        case .nonceMismatch: "The answer is not to what this gate asks now: scan the code on the screen again."
        case .declined: "The holder, or the wallet, said no."
        case .tokenMalformed: "The wallet's token is not well-formed."
        case .tokenSignature: "The wallet's token is not signed with its own key."
        case .audienceMismatch: "The wallet's token is for somebody else."
        case .tokenExpired: "The wallet's token has expired."
        case .tokenTime: "The wallet's token was made too long ago, or in the future: a clock is wrong."
        case .revoked: "The wallet's key, a claim or its issuer was revoked."
        case .claimKeyMismatch: "A claim belongs to another key than the wallet's."
        case .claimNotYetValid: "A claim is not valid yet."
        case .claimExpired: "A claim has expired."
        case .claimUntrusted: "A claim is of nobody whom this gate believes."
        case .objectMissing: "The wallet left out something that was asked for."
        case .claimAmbiguous: "The wallet's claims contradict each other."
        case .objectRefused: "A claim only says where its value is to be fetched."
        }
    }
}

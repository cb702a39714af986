import Envelopes
import TrustedKeyWallet

/// What a gate believes of Trusted Key wallets: whom, what it asks for, and which keys are revoked (trustedkey.md sections 1, 4 and 5).
public struct TrustedKeyBelief: Sendable {
    /// What a gate asks of every wallet.
    public struct Question: Hashable, Sendable {
        /// The gate's own name at the wallets, which tokens have to be for.
        public let clientID: String
        /// The wallet's link, without a query.
        public let wallet: String
        /// At least one.
        public let objects: [TrustedKeyObject]
    }

    /// Nil where nobody is believed. The same for all issuers: a gate shows one code.
    public let question: Question?
    /// What an answer is verified by.
    public let trust: TrustedKeyTrust
    public let issuers: [TrustedKeyIssuer]
    /// Of each of `trust.roots`, the place in `issuers`.
    let issuerOfRoot: [Int]

    /// Nobody is believed about any claim.
    public static let nobody = TrustedKeyBelief()

    private init() {
        question = nil
        trust = TrustedKeyTrust(roots: [])
        issuers = []
        issuerOfRoot = []
    }

    init(question: Question, trust: TrustedKeyTrust, issuers: [TrustedKeyIssuer], issuerOfRoot: [Int]) {
        self.question = question
        self.trust = trust
        self.issuers = issuers
        self.issuerOfRoot = issuerOfRoot
    }

    /// Who pinned the root under which a claim was issued.
    ///
    /// - Parameter root: `VerifiedTrustedKey.Source.root`. Nil for a place that is none.
    public func issuer(ofRoot root: Int) -> TrustedKeyIssuer? {
        guard issuerOfRoot.indices.contains(root), issuers.indices.contains(issuerOfRoot[root]) else { return nil }
        return issuers[issuerOfRoot[root]]
    }
}

/// An issuer of claims, as the operator pinned it.
public struct TrustedKeyIssuer: Sendable {
    /// The list of revoked addresses, and when it was taken.
    public struct AddressList: Hashable, Sendable {
        public let url: String
        /// Seconds since 1970, by the operator's clock.
        public let fetched: Seconds
        /// How many addresses it has. They are in `TrustedKeyBelief.trust`.
        public let count: Int
    }

    /// The place of the entry in `TrustStore.issuers`.
    public let issuer: Int
    /// At least one, of the entry.
    public let ids: [String]
    public let name: String?
    /// Values of object .6, the claim's class, or of .1, its type.
    public let types: [String]
    /// Objects of `TrustedKeyBelief.Question.objects`.
    public let roles: [ClaimRole: TrustedKeyObject]
    /// Roles without which an answer is none for this gate. `roles` has each of them.
    public let requires: Set<ClaimRole>
    public let status: StatusPolicy
    /// Nil where the bundle has none for this issuer: whether anything is revoked is unknown.
    public let addresses: AddressList?

    /// Whether a claim of this kind is one that the issuer is believed for.
    public func isBelieved(for source: VerifiedTrustedKey.Source) -> Bool {
        [source.claimClass, source.type].contains { stated in stated.map { stated in types.contains { $0.isExactly(stated) } } ?? false }
    }
}

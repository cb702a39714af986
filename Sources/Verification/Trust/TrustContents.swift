import Envelopes
import LinkedData

/// Everything a gate is to believe, as octets: what a folder and a bundle both come down to. Nothing in it is looked at yet; `TrustStore`
/// does.
public struct TrustContents: Hashable, Sendable {
    /// One issuer, as trust-format.md section 2 describes it.
    public struct IssuerText: Hashable, Sendable {
        /// For messages about faults; a file's name.
        public var name: String
        /// UTF-8 octets of a JSON object.
        public var bytes: [UInt8]

        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// A JSON-LD context and the URL it answers.
    public struct ContextDocument: Hashable, Sendable {
        /// Absolute, compared octet for octet.
        public var url: String
        public var bytes: [UInt8]

        public init(url: String, bytes: [UInt8]) {
            self.url = url
            self.bytes = bytes
        }
    }

    public var issuers: [IssuerText]
    public var contexts: [ContextDocument]
    public var lists: [PinnedStatusList]
    /// Of documents in phones.
    public var mdoc: MdocContents
    /// Objects of AnonCreds issuers.
    public var anoncreds: AnonCredsContents
    /// Lists of revoked addresses.
    public var trustedKey: TrustedKeyContents

    public init(
        issuers: [IssuerText] = [], contexts: [ContextDocument] = [], lists: [PinnedStatusList] = [], mdoc: MdocContents = MdocContents(),
        anoncreds: AnonCredsContents = AnonCredsContents(), trustedKey: TrustedKeyContents = TrustedKeyContents()
    ) {
        self.issuers = issuers
        self.contexts = contexts
        self.lists = lists
        self.mdoc = mdoc
        self.anoncreds = anoncreds
        self.trustedKey = trustedKey
    }
}

/// A status list as its issuer publishes it: a JSON-LD credential, or a token in JOSE or COSE form.
public struct PinnedStatusList: Hashable, Sendable {
    /// What credentials call it, compared octet for octet.
    public var url: String
    /// When the operator fetched it, by the operator's clock.
    public var fetched: Seconds
    public var bytes: [UInt8]

    public init(url: String, fetched: Seconds, bytes: [UInt8]) {
        self.url = url
        self.fetched = fetched
        self.bytes = bytes
    }
}

extension TrustContents {
    /// Refuses a context that no credential can be read under: one that is no context, needs another that is not here, or takes too much
    /// work. A gate would refuse every credential that names it, and nobody would be told why.
    func checkContexts() throws(TrustError) { try check(contexts.map(\.url)) }

    /// The same for one of them.
    package func checkContext(at url: String) throws(TrustError) { try check([url]) }

    private func check(_ urls: [String]) throws(TrustError) {
        let processor = LinkedDataProcessor(store: try TrustStore.store(contexts))
        let bases = DataModelVersion.allCases.map { Text($0.rawValue) }.filter { processor.store.document(at: $0) != nil }
        for url in urls {
            guard let error = processor.refusal(ofContext: Text(url), after: bases) else { continue }
            throw TrustError(file: url, reason: .unusableContext(error))
        }
    }
}

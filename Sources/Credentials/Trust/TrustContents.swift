/// Everything a gate is to believe, as octets: what a folder and a bundle both come down to. Nothing in it is looked at yet; `TrustStore` does.
public struct TrustContents: Hashable, Sendable {
    /// One issuer, as `FORMAT.md` describes it.
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

    /// A status list as its issuer publishes it: a JSON-LD credential, or a token in JOSE or COSE form.
    public struct StatusListDocument: Hashable, Sendable {
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

    public var issuers: [IssuerText]
    public var contexts: [ContextDocument]
    public var lists: [StatusListDocument]

    public init(issuers: [IssuerText] = [], contexts: [ContextDocument] = [], lists: [StatusListDocument] = []) {
        self.issuers = issuers
        self.contexts = contexts
        self.lists = lists
    }
}

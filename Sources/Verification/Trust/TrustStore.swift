import JSON
import LinkedData

/// Everyone this gate believes, and what it needs to know to do so. Immutable; made whole or not at all.
public struct TrustStore: Sendable {
    public let issuers: [TrustedIssuer]
    /// The only JSON-LD contexts there are.
    public let contexts: ContextStore
    /// Status lists as they came; what they say is looked up per credential.
    package let lists: [PinnedStatusList]
    /// Whom it believes about documents in phones.
    public let mdoc: MdocBelief
    /// Whom it believes about AnonCreds credentials.
    public let anoncreds: AnonCredsBelief
    /// Whom it believes about keys of Trusted Key wallets.
    public let trustedKey: TrustedKeyBelief

    /// Where in `issuers` each id is: with ten thousand of them a search through all is a good part of a verdict.
    private let places: [[UInt8]: Int]

    /// Of the bundle the contents came with; nil for a folder that nobody signed.
    public private(set) var terms: TrustTerms?

    /// Octets of one trust file, one context, one list.
    public static let largestFile = 1 << 20
    /// Issuers of one store: files in one folder. Above what any fleet needs, below what a gate of 512 MiB could not hold (docs/fleet.md).
    public static let mostFiles = 16_384

    /// - Parameter files: name and UTF-8 octets of each issuer's file, format in trust-format.md section 2.
    public init(files: [(name: String, bytes: [UInt8])]) throws(TrustError) {
        try self.init(TrustContents(issuers: files.map { TrustContents.IssuerText(name: $0.name, bytes: $0.bytes) }))
    }

    /// - Parameter old: what was believed before: AnonCreds objects that are in it, too, are not checked again, which takes long.
    public init(_ contents: TrustContents, after old: TrustStore? = nil) throws(TrustError) {
        guard contents.issuers.count <= Self.mostFiles else { throw TrustError(file: "", reason: .tooLarge) }
        guard !contents.issuers.isEmpty || !contents.mdoc.roots.isEmpty else { throw TrustError(file: "", reason: .empty) }
        var issuers: [TrustedIssuer] = []
        // Arrays of octets: two texts are one id only when their octets are equal.
        var places: [[UInt8]: Int] = [:]
        for file in contents.issuers {
            let issuer = try IssuerFile(name: file.name, bytes: file.bytes).issuer()
            for (position, id) in issuer.ids.enumerated() where places.updateValue(issuers.count, forKey: Array(id.utf8)) != nil {
                throw TrustError(file: file.name, member: "ids[\(position)]", reason: .duplicate)
            }
            issuers.append(issuer)
        }
        try Self.checkContentKeys(issuers, contents.issuers)
        self.issuers = issuers
        self.places = places
        contexts = try Self.store(contents.contexts)
        lists = contents.lists
        mdoc = try MdocBelief(contents.mdoc)
        let entries = zip(contents.issuers, issuers).map { (name: $0.name, issuer: $1) }
        anoncreds = try AnonCredsBelief(contents.anoncreds, entries, known: old?.anoncreds)
        trustedKey = try TrustedKeyBelief(contents.trustedKey, entries)
        var urls: Set<[UInt8]> = []
        for list in lists where !urls.insert(Array(list.url.utf8)).inserted { throw TrustError(file: list.url, reason: .duplicate) }
    }

    /// Nobody is believed: for a gate that was given no trust bundle yet.
    public static let nobody = TrustStore()

    private init() {
        issuers = []
        places = [:]
        contexts = ContextStore(byURL: [:])
        lists = []
        mdoc = .nobody
        anoncreds = .nobody
        trustedKey = .nobody
    }

    /// Whether there is nobody to believe, of whatever kind.
    public var isOfNobody: Bool { issuers.isEmpty && mdoc.trust.roots.isEmpty }

    /// The same contents, believed only under these terms.
    public func under(_ terms: TrustTerms) -> TrustStore {
        var store = self
        store.terms = terms
        return store
    }

    /// This store in the place of `old`, in a gate that keeps running; nil for a bundle with a lower number, and for contents that nobody
    /// signed where `old` was signed. What was on the disk at the start may have been changed since: what the gate believes already does
    /// not go back.
    public func following(_ old: TrustStore) -> TrustStore? {
        guard let before = old.terms else { return self }
        guard let terms, terms.sequence >= before.sequence else { return nil }
        return under(terms.following(before))
    }

    /// A token does not say whose it is before it was opened: each `kid` has to mean one key in all entries together.
    private static func checkContentKeys(_ issuers: [TrustedIssuer], _ files: [TrustContents.IssuerText]) throws(TrustError) {
        var known: Set<[UInt8]> = []
        for (issuer, file) in zip(issuers, files) {
            for (position, key) in issuer.contentKeys.enumerated() where !known.insert(key.octets).inserted {
                throw TrustError(file: file.name, member: "contentKeys[\(position)].kid", reason: .duplicate)
            }
        }
    }

    static func store(_ contexts: [TrustContents.ContextDocument]) throws(TrustError) -> ContextStore {
        var documents: [Text: [UInt8]] = [:]
        for context in contexts {
            guard documents[Text(context.url)] == nil else { throw TrustError(file: context.url, reason: .duplicate) }
            do throws(JSONError) {
                _ = try JSONDocument(parsing: context.bytes, limits: ContextStore.limits)
            } catch {
                throw TrustError(file: context.url, reason: .malformed(error))
            }
            documents[Text(context.url)] = context.bytes
        }
        return ContextStore(byURL: documents)
    }

    /// The issuer whose list of ids holds exactly this string value.
    package func issuer(_ id: JSONValue) -> TrustedIssuer? { id.stringBytes.flatMap { issuer($0) } }

    /// The same for a text.
    package func issuer(named id: String) -> TrustedIssuer? { issuer(Array(id.utf8)) }

    private func issuer(_ id: [UInt8]) -> TrustedIssuer? {
        guard let place = places[id], issuers.indices.contains(place) else { return nil }
        return issuers[place]
    }
}

import Presentation
import Trust
import Visit

/// What the gate offers by codes of its own, and what it asks of AnonCreds credentials: as options name it, each nil where none does.
package struct OfferConfiguration: Sendable {
    /// The kinds, separated by commas.
    private let words: String?
    /// Seconds.
    private let turn: Double?
    /// A file with the object of `ProofSettings`.
    private let proofs: String?

    package init(words: String? = nil, turn: Double? = nil, proofs: String? = nil) {
        self.words = words
        self.turn = turn
        self.proofs = proofs
    }

    /// The kinds by the option, the site file, or Tuvali and what else is configured; what time each code has, likewise.
    ///
    /// - Parameter others: kinds that the site has configured.
    package func settings(_ links: DeviceLinks, others: Set<OfferedKind> = []) throws(ConfigurationError) -> OfferSettings {
        let site = links.site.settings
        var kinds = Set<OfferedKind>([.tuvali]).union(others)
        if try wishes(links, isOffered: false) != nil { kinds.insert(.aries) }
        if let stated = site?.offer { kinds = Set(stated) }
        if let words {
            guard let stated = Self.kinds(words) else {
                let known = OfferedKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw ConfigurationError("--offer \(words): use one or more of \(known), separated by commas, each once")
            }
            kinds = Set(stated)
        }
        return OfferSettings(kinds, turn: try milliseconds() ?? site?.codeTurn ?? OfferSettings().turn)
    }

    /// What is asked of AnonCreds credentials: by the option, the site file, and where it is offered all the same by what the bundle alone
    /// says. Nil where nobody is asked; so it is, too, where the newest site file cannot be used: it may have asked for more.
    package func wishes(_ links: DeviceLinks, isOffered: Bool) throws(ConfigurationError) -> ProofWishes? {
        if let named = try named() { return named.wishes }
        guard !links.site.demandsFaces else { return nil }
        return (links.site.settings?.proofs ?? (isOffered ? .standard : nil))?.wishes
    }

    /// The kinds in a text; nil where it has another word, none, or one twice.
    static func kinds(_ text: String) -> [OfferedKind]? {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let kinds = words.compactMap { OfferedKind(rawValue: $0) }
        return !kinds.isEmpty && kinds.count == words.count && Set(kinds).count == kinds.count ? kinds : nil
    }

    private func milliseconds() throws(ConfigurationError) -> UInt64? {
        guard let turn else { return nil }
        let bounds = OfferSettings.turns
        guard turn * 1000 >= Double(bounds.lowerBound), turn * 1000 <= Double(bounds.upperBound) else {
            throw ConfigurationError("--code-turn \(turn): use \(bounds.lowerBound / 1000) to \(bounds.upperBound / 1000) seconds")
        }
        return UInt64(turn * 1000)
    }

    private func named() throws(ConfigurationError) -> ProofSettings? {
        guard let proofs else { return nil }
        let bytes = try NamedFile.read(proofs, most: TrustStore.largestFile, named: "--proofs")
        do throws(TrustError) {
            return try ProofSettings(TrustMember(file: proofs, bytes: bytes))
        } catch {
            throw ConfigurationError("--proofs \(error)")
        }
    }
}

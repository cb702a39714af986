import Presentation
import Trust

/// What Trusted Key wallets are asked by the code on the screen: as an option names it, nil where none does.
package struct TrustedKeyConfiguration: Sendable {
    /// A file with the object of `TrustedKeySettings`.
    private let file: String?

    package init(file: String? = nil) {
        self.file = file
    }

    /// By the option, else the site file; nil where neither says anything, and where the newest site file cannot be used: nobody knows
    /// whether it still wanted that.
    package func settings(_ links: DeviceLinks) throws(ConfigurationError) -> TrustedKeySettings? {
        if let named = try named() { return named }
        return links.site.demandsFaces ? nil : links.site.settings?.trustedKey
    }

    private func named() throws(ConfigurationError) -> TrustedKeySettings? {
        guard let file else { return nil }
        let bytes = try NamedFile.read(file, most: TrustStore.largestFile, named: "--trusted-key")
        do throws(TrustError) {
            return try TrustedKeySettings(TrustMember(file: file, bytes: bytes))
        } catch {
            throw ConfigurationError("--trusted-key \(error)")
        }
    }
}

extension ApplianceConfiguration {
    /// Why no Trusted Key wallet is asked although the site wants it; nil where it does not, and where they are.
    func walletObstacle(_ store: TrustStore) throws(ConfigurationError) -> String? {
        let settings = try trustedKey.settings(links), others: Set<OfferedKind> = settings == nil ? [] : [.trustedKey]
        let isOffered = try offer.settings(links, others: others).kinds.contains(.trustedKey)
        switch (settings, isOffered) {
        case (nil, false): return nil
        case (nil, true): return "nothing says where answers go (--trusted-key)"
        case (_?, false): return "what the gate offers does not name trustedkey (--offer)"
        case (let settings?, true): return settings.obstacle(store.trustedKey)
        }
    }
}

/// Why a wallet that the gate is to ask cannot be; nil where it can.
extension TrustedKeySettings {
    package func obstacle(_ belief: TrustedKeyBelief) -> String? {
        guard let question = belief.question else { return "nobody in the trust bundle is believed about their claims" }
        guard obstacle(asking: question.objects, by: question.wallet) != nil else { return nil }
        return "what the site and the trust bundle want of them does not fit into a code of 600 characters"
    }
}

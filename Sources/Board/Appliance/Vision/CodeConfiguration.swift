import Devices
import Visit

/// Why no code can be read although one is to be.
public enum CodeObstacle: Hashable, Sendable {
    case noCamera
    /// The camera is never switched on.
    case noButton

    package var sentence: String {
        switch self {
        case .noCamera: "no camera is named"
        case .noButton: "the door has no line `code` for the button"
        }
    }
}

/// Whether codes are read, and when the camera looks for them: as options name it, each nil or empty where none does.
package struct CodeConfiguration: Sendable {
    package var codes: String?
    /// Types of credentials whose code is taken without a face that matches; `*` for all.
    package var withoutFace: [String]
    /// What issuers write before PixelPass.
    package var prefix: String?
    /// Trusted Key wallets are asked by an option: their answers are codes.
    package var hasAnswers: Bool

    package init(codes: String? = nil, withoutFace: [String] = [], prefix: String? = nil, hasAnswers: Bool = false) {
        self.codes = codes
        self.hasAnswers = hasAnswers
        self.withoutFace = withoutFace
        self.prefix = prefix
    }

    /// When the camera looks for codes: by the option, the site file, the board profile, in this order.
    ///
    /// - Parameter face: when faces are compared.
    package func policy(_ links: DeviceLinks, _ face: Policy.Face) throws(ConfigurationError) -> CodePolicy {
        let word = policyWord(links, face).word
        guard let policy = CodePolicy(rawValue: word) else {
            throw ConfigurationError("--codes \(word): use off, always, motion or button")
        }
        return policy
    }

    /// The word for that, and who said it.
    package func policyWord(_ links: DeviceLinks, _ face: Policy.Face) -> (word: String, place: String) {
        if let codes { return (codes, "option") }
        if let policy = links.site.settings?.codes { return (policy.rawValue, "site file \(links.site.number ?? 0)") }
        if let word = links.profile?.codes { return (word, "board profile") }
        return (usual(links, face).rawValue, "default")
    }

    /// A code is a copy, unless it answers what the gate has asked just now: where neither a face is compared nor a type is taken without,
    /// and nothing is asked, none could be accepted, and the camera stays off. On a battery it looks seldom until something moves.
    private func usual(_ links: DeviceLinks, _ face: Policy.Face) -> CodePolicy {
        let hasAnswers = hasAnswers || (links.site.settings?.trustedKey != nil && !links.site.demandsFaces)
        guard links.camera != nil, face != .off || hasAnswers || !copiesWithoutFace(links).isEmpty else { return .off }
        return links.profile?.power == .battery ? .motion : .always
    }

    /// The types of credentials whose code is taken without a face that matches. Where the newest site file cannot be used, it may have
    /// taken one back: then those that the command names.
    package func copiesWithoutFace(_ links: DeviceLinks) -> Set<String> {
        if !withoutFace.isEmpty { return Set(withoutFace) }
        return links.site.demandsFaces ? [] : Set(links.site.settings?.codesWithoutFace ?? [])
    }

    /// What issuers write before PixelPass, by the option or the site file; empty where nobody says.
    package func prefix(_ links: DeviceLinks) throws(ConfigurationError) -> [UInt8] {
        try Self.octets(ofPrefix: prefix ?? links.site.settings?.codePrefix)
    }

    /// - Throws: what the option may not be.
    package static func octets(ofPrefix prefix: String?) throws(ConfigurationError) -> [UInt8] {
        guard let prefix else { return [] }
        guard SiteSettings.isCodePrefix(prefix) else {
            throw ConfigurationError(
                "--code-prefix: use 1 to \(SiteSettings.longestPrefix) printable ASCII characters that do not begin with mdoc: or openid4vp:"
            )
        }
        return Array(prefix.utf8)
    }

    /// Why no code can be read whatever the policy says; nil where one can, or none is to be.
    package func obstacle(_ links: DeviceLinks, _ policy: CodePolicy) -> CodeObstacle? {
        if policy == .off { return nil }
        if links.camera == nil { return .noCamera }
        guard policy == .button else { return nil }
        if case .gpio(let door) = links.door, door.inputs[.code] != nil { return nil }
        return .noButton
    }
}

import Devices
import Faces
import Glibc
import Linux
import Visit

/// Whether faces are compared, and by what: as options name it, each nil where none does.
package struct FaceConfiguration: Sendable {
    package var face: String?
    /// A matcher by its name, which says where plug-in and models are.
    package var matcher: MatcherName?
    package var plugin: String?
    package var models: String?
    package var thresholds: String?
    package var settings: String?

    package init(face: String?, matcher: MatcherName?, plugin: String?, models: String?, thresholds: String?, settings: String?) {
        self.face = face
        self.matcher = matcher
        self.plugin = plugin
        self.models = models
        self.thresholds = thresholds
        self.settings = settings
    }

    /// Whether faces are compared: by the option, the site file, the board profile, in this order.
    package func policy(_ links: DeviceLinks) throws(ConfigurationError) -> Policy.Face {
        let word = policyWord(links).word
        guard let policy = Policy.Face(rawValue: word) else {
            throw ConfigurationError("--face \(word): use required, when-photo or off")
        }
        return policy
    }

    /// The word for that, and who said it.
    package func policyWord(_ links: DeviceLinks) -> (word: String, place: String) {
        if let face { return (face, "option") }
        // What it demanded is not known: then the most.
        if links.site.demandsFaces { return ("required", "the newest site file cannot be used") }
        if let word = links.site.settings?.face?.rawValue { return (word, "site file \(links.site.number ?? 0)") }
        guard let word = links.profile?.face else { return (links.camera == nil ? "off" : "required", "default") }
        // The profile was written for a gate without this camera: nobody has said that its pictures are for nothing.
        if word == Policy.Face.off.rawValue, links.isCameraAdded { return ("required", "a camera that the board profile does not have") }
        return (word, "board profile")
    }

    /// The matcher that an option or the site file names.
    package func chosenMatcher(_ links: DeviceLinks) -> MatcherName? { matcher ?? links.site.settings?.faceMatcher }

    /// The plug-in and the folder of its models: by the options, else where the matcher has them that the options, the site file or the
    /// board profile name, in this order. A profile's own paths come before the name in it.
    package func places(_ links: DeviceLinks) -> (plugin: String, models: String) {
        let profile = links.profile, chosen = chosenMatcher(links)
        let named = chosen ?? profile?.faceMatcher.flatMap(MatcherName.init) ?? .usual
        let ofBoard = chosen == nil ? profile : nil
        return (plugin ?? ofBoard?.facePlugin ?? named.plugin, models ?? ofBoard?.faceModels ?? named.models)
    }

    /// The same.
    ///
    /// - Throws: where one cannot be read.
    func matcher(_ links: DeviceLinks) throws(ConfigurationError) -> (plugin: String, models: String) {
        let found = places(links)
        for (option, path) in [("--face-plugin", found.plugin), ("--face-models", found.models)] where access(path, R_OK) != 0 {
            throw ConfigurationError("\(option) \(path): cannot be read (\(systemCause(errno)))")
        }
        return found
    }

    /// The numbers of the site, or the standard ones.
    package func settings(_ links: DeviceLinks) throws(ConfigurationError) -> FaceSettings {
        if settings == nil, let settings = links.site.settings?.faceSettings { return settings }
        guard let path = settings ?? links.profile?.faceSettings else { return .standard }
        let file = try NamedFile.read(path, most: 1 << 20)
        return try opened("--face-settings \(path)") { () throws(FaceSettingsError) in try FaceSettings(parsing: file) }
    }

    /// The thresholds of the site, or the built-in ones.
    package func thresholds(_ links: DeviceLinks) throws(ConfigurationError) -> FaceThresholds {
        if thresholds == nil, let thresholds = links.site.settings?.faceThresholds { return thresholds }
        if let path = thresholds ?? links.profile?.faceThresholds {
            let file = try NamedFile.read(path, most: 1 << 20)
            return try opened("--face-thresholds \(path)") { () throws(FaceFileError) in try FaceThresholds(parsing: file) }
        }
        // Only without a file: a matcher that a site's file does not name is not used.
        var thresholds = FaceThresholds()
        thresholds.addProvisional()
        return thresholds
    }
}

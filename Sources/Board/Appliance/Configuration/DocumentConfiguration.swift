import Trust
import Visit

/// What is asked of documents in phones, and in whose name: as options name it, each nil where none does.
package struct DocumentConfiguration: Sendable {
    /// A file with the object of `DocumentSettings`.
    private let file: String?
    package let reader: ReaderSource

    package init(file: String? = nil, reader: ReaderSource = ReaderSource(nil)) {
        self.file = file
        self.reader = reader
    }

    /// What is asked for: by the option, the site file, the standard, in this order. Nil where nothing is: where the newest site file
    /// cannot be used, nobody knows whether it asked for more.
    ///
    /// - Parameter face: when faces are compared.
    package func settings(_ links: DeviceLinks, _ face: Policy.Face) throws(ConfigurationError) -> DocumentSettings? {
        if file == nil, links.site.demandsFaces { return nil }
        let settings = try named() ?? links.site.settings?.documents ?? .standard
        if let obstacle = settings.obstacle(face) {
            throw ConfigurationError(file.map { "--documents \($0): \(obstacle)" } ?? "the site file: documents: \(obstacle)")
        }
        return settings
    }

    private func named() throws(ConfigurationError) -> DocumentSettings? {
        guard let file else { return nil }
        let bytes = try NamedFile.read(file, most: TrustStore.largestFile, named: "--documents")
        do throws(TrustError) {
            return try DocumentSettings(TrustMember(file: file, bytes: bytes))
        } catch {
            throw ConfigurationError("--documents \(error)")
        }
    }
}

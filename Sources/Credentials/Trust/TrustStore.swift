import JSON

/// Everyone this gate believes. Immutable; made whole or not at all.
public struct TrustStore: Sendable {
    public let issuers: [TrustedIssuer]

    /// Octets of one trust file.
    public static let largestFile = 1 << 20
    /// Files in one folder.
    public static let mostFiles = 1024

    /// - Parameter files: name and UTF-8 octets of each trust file, format in `FORMAT.md`.
    public init(files: [(name: String, bytes: [UInt8])]) throws(TrustError) {
        guard files.count <= Self.mostFiles else { throw TrustError(file: "", reason: .tooLarge) }
        guard !files.isEmpty else { throw TrustError(file: "", reason: .empty) }
        var issuers: [TrustedIssuer] = []
        // Arrays of octets: two texts are one id only when their octets are equal.
        var known: Set<[UInt8]> = []
        for file in files {
            let issuer = try IssuerFile(name: file.name, bytes: file.bytes).issuer()
            for (position, id) in issuer.ids.enumerated() where !known.insert(Array(id.utf8)).inserted {
                throw TrustError(file: file.name, member: "ids[\(position)]", reason: .duplicate)
            }
            issuers.append(issuer)
        }
        self.issuers = issuers
    }

    /// The issuer whose list of ids holds exactly this string value.
    func issuer(_ id: JSONValue) -> TrustedIssuer? {
        issuers.first { issuer in issuer.ids.contains { id.isString($0) } }
    }
}

/// Where a status list is fetched from: the https URL by which credentials call it.
package struct ListAddress: Hashable, Sendable {
    /// As it was given: names are compared octet for octet.
    package let text: String
    /// Host and, where one is given, port.
    package let authority: String

    /// Octets: those of a URL in a trust bundle.
    package static let longest = 2048
    private static let scheme = "https://"

    /// Throws `notHTTPS` and `addressRefused`.
    package init(_ text: String) throws(FetchError) {
        // ASCII that is seen: what else stands in a URL is percent-encoded (RFC 3986 section 2).
        guard 1...Self.longest ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .addressRefused }
        guard text.prefix(Self.scheme.count).lowercased() == Self.scheme else { throw .notHTTPS }
        let rest = text.dropFirst(Self.scheme.count), authority = rest.prefix { !"/?#".contains($0) }
        // A fragment is never sent, so two addresses would be one list; a name and a password would stand in every bundle.
        guard !authority.isEmpty, !authority.contains("@"), !rest.contains("#") else { throw .addressRefused }
        self.text = text
        self.authority = String(authority)
    }

    /// A file's name made of the address: letters, digits, dots and hyphens, and no dot in front.
    package var fileName: String {
        let plain = text.dropFirst(Self.scheme.count).map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "-" }
        return String(String(plain.drop { $0 == "." || $0 == "-" }).prefix(Self.longestName))
    }

    private static let longestName = 120
}

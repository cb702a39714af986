import Trust

/// The lowest sequence number a trust bundle may have on this system: an image carries it, so that a gate that has lost its mark starts
/// with no bundle that was old when the image was made.
package struct LowestBundle: Sendable {
    package static let usualFile = "/usr/share/gatehouse/lowest-bundle"

    /// A number, or the path of a file that holds one on its first line; nil for the usual file, if that exists.
    private let word: String?

    package init(_ word: String?) {
        self.word = word
    }

    /// 0 where nobody says one.
    package func number() throws(ConfigurationError) -> Int64 {
        guard let word, let number = Int64(word) else {
            if word == nil, try !NamedFile.exists(file) { return 0 }
            return try Self.number(in: file)
        }
        guard number >= 0 else { throw ConfigurationError("--lowest-bundle \(word): is below zero") }
        return number
    }

    /// Where the number is read from: the usual file where the word is a number, which is read from nowhere.
    package var file: String { word.flatMap { Int64($0) == nil ? $0 : nil } ?? Self.usualFile }

    /// The bundle that the image carries, beside the file that holds its number; nil where there is none, or the word is a number.
    package func bundle() throws(ConfigurationError) -> [UInt8]? {
        if let word, Int64(word) != nil { return nil }
        let path = (file.lastIndex(of: "/").map { String(file[...$0]) } ?? "") + "bundle.cose"
        return try NamedFile.exists(path) ? NamedFile.read(path, most: TrustBundle.largest) : nil
    }

    private static func number(in path: String) throws(ConfigurationError) -> Int64 {
        let text = String(decoding: try NamedFile.read(path, most: 1 << 20), as: UTF8.self)
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        guard let number = Int64(line), number >= 0 else {
            throw ConfigurationError("--lowest-bundle \(path): its first line is not a number")
        }
        return number
    }
}

import Linux

/// Why the screen's words are not there.
public enum WordFolderError: Error, Hashable, Sendable {
    /// No sheet at all.
    case empty
    /// What is no language's tag, and no file's name.
    case badTag(String)
    case sheet(String, WordSheetError)
    /// The sheet is another language's.
    case otherLanguage(String, String)
}

/// The folder with the sheets, `LANGUAGE.sheet`.
public struct WordFolder: Sendable {
    private let path: String

    public init(_ path: String) { self.path = path }

    /// The tags of all sheets, in their order.
    public var languages: [String] {
        SystemFolders.names(path).filter { $0.hasSuffix(".sheet") && !$0.hasPrefix(".") }.map { String($0.dropLast(6)) }.sorted()
    }

    /// - Parameter languages: nil for all.
    public func sheets(_ languages: [String]?) throws(WordFolderError) -> [WordSheet] {
        let wanted = languages ?? self.languages
        guard !wanted.isEmpty else { throw .empty }
        var sheets: [WordSheet] = []
        for tag in wanted { sheets.append(try sheet(tag)) }
        return sheets
    }

    /// What there is of these languages, and what is wrong with the others. Where nothing is left: English, or else any language that has
    /// a whole sheet.
    public func found(_ languages: [String]) -> (sheets: [WordSheet], errors: [WordFolderError]) {
        var sheets: [WordSheet] = [], errors: [WordFolderError] = []
        for tag in languages {
            do throws(WordFolderError) { sheets.append(try sheet(tag)) } catch { errors.append(error) }
        }
        let others = sheets.isEmpty ? (["en"] + self.languages).filter { !languages.contains($0) } : []
        for tag in others where sheets.isEmpty {
            do throws(WordFolderError) { sheets.append(try sheet(tag)) } catch { continue }
        }
        return (sheets, errors)
    }

    private func sheet(_ tag: String) throws(WordFolderError) -> WordSheet {
        guard Self.isTag(tag) else { throw .badTag(tag) }
        let sheet: WordSheet
        do throws(WordSheetError) {
            sheet = try WordSheet(contentsOf: "\(path)/\(tag).sheet")
        } catch {
            throw .sheet(tag, error)
        }
        guard sheet.language == tag else { throw .otherLanguage(tag, sheet.language) }
        return sheet
    }

    /// Languages as a profile or a site file names them: `fr`, or up to four that take turns, `fr,ar`. Nil for anything else.
    public static func languages(_ text: String) -> [String]? {
        let tags = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return tags.count <= 4 && tags.allSatisfy(isTag) ? tags : nil
    }

    /// Letters, digits and hyphens of RFC 5646, eight at most: as a sheet has room for.
    public static func isTag(_ text: String) -> Bool {
        (2...8).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}

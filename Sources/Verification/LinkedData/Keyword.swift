/// The names that begin with `@` and mean something (JSON-LD 1.1 section 1.7).
extension Text {
    static let atBase: Text = "@base"
    static let atContainer: Text = "@container"
    static let atContext: Text = "@context"
    static let atDirection: Text = "@direction"
    static let atGraph: Text = "@graph"
    static let atID: Text = "@id"
    static let atImport: Text = "@import"
    static let atIncluded: Text = "@included"
    static let atIndex: Text = "@index"
    static let atJSON: Text = "@json"
    static let atLanguage: Text = "@language"
    static let atList: Text = "@list"
    static let atNest: Text = "@nest"
    static let atNone: Text = "@none"
    static let atPrefix: Text = "@prefix"
    static let atPropagate: Text = "@propagate"
    static let atProtected: Text = "@protected"
    static let atReverse: Text = "@reverse"
    static let atSet: Text = "@set"
    static let atType: Text = "@type"
    static let atValue: Text = "@value"
    static let atVersion: Text = "@version"
    static let atVocab: Text = "@vocab"

    private static let keywords: Set<Text> = [
        .atBase, .atContainer, .atContext, .atDirection, .atGraph, .atID, .atImport, .atIncluded, .atIndex, .atJSON, .atLanguage, .atList,
        .atNest, .atNone, .atPrefix, .atPropagate, .atProtected, .atReverse, .atSet, .atType, .atValue, .atVersion, .atVocab,
    ]

    /// Begins like one: to be asked before any that is named.
    var mayBeKeyword: Bool { withOctets { $0.first == UInt8(ascii: "@") } }

    var isKeyword: Bool { mayBeKeyword && Text.keywords.contains(self) }

    /// `@` and letters: reserved, so ignored wherever it is not a keyword.
    var looksLikeKeyword: Bool {
        guard mayBeKeyword, count > 1 else { return false }
        return utf8.dropFirst().allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
    }
}

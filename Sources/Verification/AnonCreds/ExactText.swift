/// A text that equals others octet for octet. `String` also equals canonically equivalent texts, which have other numbers (anoncreds.md
/// section 3) and are other identifiers (section 1).
struct ExactText: Hashable, Sendable {
    let string: String

    init(_ string: String) { self.string = string }

    static func == (left: ExactText, right: ExactText) -> Bool { left.string.utf8.elementsEqual(right.string.utf8) }

    func hash(into hasher: inout Hasher) {
        for octet in string.utf8 { hasher.combine(octet) }
        hasher.combine(UInt8(0xFF))
    }

    /// The attribute's name as it stands in keys: without U+0020, in lower case without a locale, scalar by scalar (anoncreds.md section
    /// 1).
    static func view(_ name: String) -> ExactText {
        var view = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where scalar != " " { view.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars) }
        return ExactText(String(view))
    }

    /// The base of the link secret, which is no attribute.
    static let linkSecret = ExactText("master_secret")
}

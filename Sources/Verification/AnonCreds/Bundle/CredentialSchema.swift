/// Which attributes credentials of a kind have (anoncreds.md section 1).
public struct CredentialSchema: Sendable {
    public let id: String, issuerID: String
    public let name: String, version: String
    public let attributeNames: [String]
    /// The schema's spelling by view.
    let spellings: [ExactText: String]

    /// Throws where two attributes have one view, or there are none or more than 125.
    public init(id: String, issuerID: String, name: String, version: String, attributeNames: [String]) throws(ContextFault) {
        guard 1...Limits.attributes ~= attributeNames.count else { throw ContextFault(id, "attrNames", .tooMany) }
        var spellings: [ExactText: String] = [:]
        for attribute in attributeNames {
            let view = ExactText.view(attribute)
            // An attribute of the link secret's name would share its base.
            guard view != .linkSecret, spellings.updateValue(attribute, forKey: view) == nil else {
                throw ContextFault(id, "attrNames", .duplicate)
            }
        }
        (self.id, self.issuerID, self.name, self.version) = (id, issuerID, name, version)
        self.attributeNames = attributeNames
        self.spellings = spellings
    }

    /// How the schema writes an attribute that somebody else may write with other blanks or capitals; nil where it has none of that view.
    public func spelling(of attribute: String) -> String? { spellings[ExactText.view(attribute)] }

    func has(_ view: ExactText) -> Bool { spellings[view] != nil }

    /// What the bases of a definition are for.
    var bases: Set<ExactText> { Set(spellings.keys).union([.linkSecret]) }
}

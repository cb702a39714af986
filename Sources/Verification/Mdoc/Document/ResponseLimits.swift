import CBOR

/// How much of a stranger's response is looked at.
enum ResponseLimits {
    /// Octets of a message of the session, put together again (mdoc.md section 2.2). A document with a portrait has up to 60 thousand.
    static let octets = 256 << 10
    /// A gate asks for two or three; each costs two signatures.
    static let documents = 8
    /// A document has one to four: the standard's, and those of a state.
    static let nameSpaces = 32
    /// Elements of all namespaces together. The longest of the public samples has 43; an issuer's list of digests is longer.
    static let items = 1000

    /// Everything well-formed: honest wallets write longer heads than they need, and indefinite lengths (mdoc.md section 6).
    static let options = CBOROptions(form: .wellFormed, allowsIndefinite: true, bytes: octets, depth: 32, items: 20_000)
}

extension CBORItem {
    /// What `#6.24(bstr item)` holds. Throws `wrongType` for anything else, and what is wrong inside.
    func wrapped() throws(CBORError) -> CBORItem {
        guard let content = content(of: CBOREncoding.embeddedTag) else { throw fault(.wrongType) }
        return try content.embeddedInPlace(options: ResponseLimits.options).root
    }

    /// The pairs of a map with texts for keys. Throws `wrongType` for anything else.
    func named() throws(CBORError) -> [(name: String, value: CBORItem)] {
        var named: [(name: String, value: CBORItem)] = []
        for pair in try require(\.pairs) { named.append((try pair.key.require(\.text), pair.value)) }
        return named
    }

    /// The value of a member that has to be there. Throws `wrongType` where this is no map, `missing`.
    func member(_ name: String) throws(CBORError) -> CBORItem {
        guard kind == .map else { throw fault(.wrongType) }
        guard let value = self[name] else { throw fault(.missing) }
        return value
    }
}

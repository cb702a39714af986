import CBOR

/// How much of a list is looked at. Those of today have 13 to 40 entries of about a thousand octets (mdoc.md section 6.2).
public enum VICALLimits {
    /// Octets of the list.
    public static let octets = 2 << 20
    /// One for every authority of the world that issues such documents, and some that were renewed.
    public static let entries = 1000
    /// Kinds of documents that one root vouches for, in all its entries. There are four in lists of today.
    public static let docTypes = 64
    /// Octets of a docType and of the provider's name.
    public static let text = 256

    /// Everything well-formed, as for responses. An entry has up to fifteen members, one of them a map of extensions.
    static let options = CBOROptions(form: .wellFormed, allowsIndefinite: true, bytes: octets, depth: 32, items: 100_000)
}

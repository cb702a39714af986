import CBOR
import Envelopes
import TrustedKeyWallet

/// What a gate is to believe of Trusted Key wallets beside the entries of their issuers, as octets (trust-format.md section 7): lists of
/// revoked addresses. `TrustedKeyBelief` looks at it.
public struct TrustedKeyContents: Hashable, Sendable {
    /// The addresses that somebody has revoked.
    public struct AddressList: Hashable, Sendable {
        /// What the issuer's entry calls it, compared octet for octet.
        public var url: String
        /// When it was taken, by the operator's clock.
        public var fetched: Seconds
        /// Twenty octets each, one after the other, in their order and none twice.
        public var addresses: [UInt8]

        public init(url: String, fetched: Seconds, addresses: [UInt8]) {
            self.url = url
            self.fetched = fetched
            self.addresses = addresses
        }

        public var count: Int { addresses.count / TrustedKeyContents.addressLength }

        /// Each address by itself.
        public var each: [[UInt8]] { rows.map { Array($0) } }
    }

    /// In rows of `lists.json`.
    package static let listKind = "trustedkey-addresses"
    public static let mostLists = 16
    /// In all lists together: some 8 MB of memory.
    public static let mostAddresses = 65_536
    static let addressLength = 20

    public var lists: [AddressList]

    public init(lists: [AddressList] = []) { self.lists = lists }

    public var isEmpty: Bool { lists.isEmpty }

    /// When what is here was taken.
    var times: [Seconds] { lists.map(\.fetched) }

    /// The same, with the list of this URL alone, or without any.
    package func only(_ url: String?) -> TrustedKeyContents {
        TrustedKeyContents(lists: lists.filter { list in url.map { list.url.isExactly($0) } ?? false })
    }
}

extension TrustedKeyContents.AddressList {
    private static let lineFeed = UInt8(ascii: "\n")

    /// A list as a trust folder has it: one address a line, `0x` and 40 lower-case digits, sorted. No line is a list that revokes nobody.
    ///
    /// - Parameter file: for messages about faults.
    package init(url: String, fetched: Seconds, text: [UInt8], file: String) throws(TrustError) {
        var octets: [UInt8] = []
        var lines = text.split(separator: Self.lineFeed, omittingEmptySubsequences: false)
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        for (position, line) in lines.enumerated() {
            guard line.count <= Self.longestLine, let address = RevokedAddress(String(decoding: line, as: UTF8.self)) else {
                throw TrustError(
                    file: file, member: "line \(position + 1)", reason: .wrongValue, allowed: "0x and 40 lower-case hexadecimal digits")
            }
            octets += address.octets
        }
        self.init(url: url, fetched: fetched, addresses: octets)
        if let position = firstUnordered {
            throw TrustError(
                file: file, member: "line \(position + 1)", reason: .wrongValue, allowed: "an address above that of the line before")
        }
    }

    private static let longestLine = 42

    /// Each address by itself.
    var rows: [ArraySlice<UInt8>] {
        stride(from: 0, to: addresses.count, by: TrustedKeyContents.addressLength).map {
            addresses[$0..<min($0 + TrustedKeyContents.addressLength, addresses.count)]
        }
    }

    /// The place of the first address that is not above the one before it.
    var firstUnordered: Int? {
        let rows = rows
        return rows.indices.dropFirst().first { !rows[$0 - 1].lexicographicallyPrecedes(rows[$0]) }
    }
}

/// The octets of a bundle's section `trustedkey`, version 1: a CBOR map in the core deterministic encoding (RFC 8949 section 4.2.1).
///
/// ```
/// trustedkey = { "lists": [+ { "url": text, "fetched": int, "addresses": bstr }] }       ; in the order of the octets of their URLs
/// ```
extension TrustedKeyContents {
    static let kind = "trustedkey"
    static let version: UInt64 = 1

    private static let options = CBOROptions(form: .deterministic, bytes: TrustBundle.largest, depth: 4)

    func encoded() throws(CBORError) -> [UInt8] {
        try CBORWriter.encode { writer in
            writer.map { map in
                map.entry("lists") { writer in
                    writer.array { writer in
                        for list in lists {
                            writer.map {
                                $0.entry("url") { $0.text(list.url) }
                                $0.entry("fetched") { $0.integer(list.fetched) }
                                $0.entry("addresses") { $0.bytes(list.addresses) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// What a section holds. Order and counts are for `TrustBundle` to check, the addresses for `TrustedKeyBelief`.
    init(decoding octets: [UInt8]) throws(CBORError) {
        let root = try CBORDocument(parsing: octets, options: Self.options).root
        var lists: [AddressList] = []
        for item in try root.map({ fields throws(CBORError) in try fields.require("lists").require(\.elements) }) {
            lists.append(
                try item.map { fields throws(CBORError) in
                    AddressList(
                        url: try fields.require("url").require(\.text), fetched: try fields.require("fetched").require(\.int64),
                        addresses: try fields.require("addresses").require(\.bytes))
                })
        }
        // An empty section is none.
        guard !lists.isEmpty else { throw root.fault(.missing) }
        self.lists = lists
    }
}

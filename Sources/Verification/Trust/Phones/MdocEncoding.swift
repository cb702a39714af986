import CBOR
import Envelopes

/// The octets of a bundle's section `mdoc`, version 1: a CBOR map in the core deterministic encoding (RFC 8949 section 4.2.1).
///
/// ```
/// mdoc = { "roots": [* root], "vicals": [* vical], "revocations": [* revocations], "tokens": [* token], "readers": [* [1*3 bstr]] }
/// root = { "certificate": bstr, "country": text, "docTypes": [+ text], ? "signerUsage": text, ? "vical": text }
/// vical = { "provider": text, ? "issue": uint, "date": int, ? "nextUpdate": int, "digest": bstr, "signer": bstr }
/// revocations = { "fetched": int, "bytes": bstr }
/// token = { "uri": text, "fetched": int, "bytes": bstr }
/// ```
/// Each array but a reader's chain is in the order of the octets of its elements, none twice.
extension MdocContents {
    static let kind = "mdoc"
    static let version: UInt64 = 1

    /// A thousand roots with a few kinds of documents each.
    private static let options = CBOROptions(form: .deterministic, bytes: TrustBundle.largest, depth: 6, items: 100_000)

    /// The one encoding of these contents, whatever order they are in.
    func encoded() throws(CBORError) -> [UInt8] {
        let members: [(String, [[UInt8]])] = [
            ("roots", try Self.sorted(roots)), ("vicals", try Self.sorted(vicals)), ("revocations", try Self.sorted(revocations)),
            ("tokens", try Self.sorted(tokens)), ("readers", try Self.sorted(readers.map(ReaderChain.init))),
        ]
        return CBOREncoding.map(
            members.map { (CBOREncoding.text($0.0), CBOREncoding.array($0.1)) }.sorted { $0.key.lexicographicallyPrecedes($1.key) })
    }

    private static func sorted<Element: MdocElement>(_ elements: [Element]) throws(CBORError) -> [[UInt8]] {
        var encoded: [[UInt8]] = []
        for element in elements { encoded.append(try CBORWriter.encode { element.write(to: &$0) }) }
        return encoded.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// What a section holds. Its elements are looked at by `MdocBelief`; here only types are checked, and that there is no other encoding.
    init(decoding octets: [UInt8]) throws(CBORError) {
        let root = try CBORDocument(parsing: octets, options: Self.options).root
        let contents = try root.map { fields throws(CBORError) in
            MdocContents(
                roots: try Self.elements(&fields, "roots"), vicals: try Self.elements(&fields, "vicals"),
                revocations: try Self.elements(&fields, "revocations"), tokens: try Self.elements(&fields, "tokens"),
                readers: try Self.elements(&fields, "readers").map { (chain: ReaderChain) in chain.certificates })
        }
        // An empty section is none.
        guard !contents.isEmpty else { throw root.fault(.missing) }
        guard try contents.encoded() == octets else { throw root.fault(.unsortedKeys) }
        self = contents
    }

    private static func elements<Element: MdocElement>(_ fields: inout CBOREntries, _ name: String) throws(CBORError) -> [Element] {
        var elements: [Element] = []
        for item in try fields.require(name).require(\.elements) { elements.append(try Element(item)) }
        return elements
    }
}

/// An element of one of the section's arrays.
private protocol MdocElement {
    init(_ item: CBORItem) throws(CBORError)
    func write(to writer: inout CBORWriter)
}

extension MdocContents.Root: MdocElement {
    fileprivate init(_ item: CBORItem) throws(CBORError) {
        self = try item.map { fields throws(CBORError) in
            var docTypes: [String] = []
            for text in try fields.require("docTypes").require(\.elements) { docTypes.append(try text.require(\.text)) }
            return Self(
                certificate: try fields.require("certificate").require(\.bytes), country: try fields.require("country").require(\.text),
                docTypes: docTypes, signerUsage: try Self.text(fields.take("signerUsage")), provider: try Self.text(fields.take("vical")))
        }
    }

    private static func text(_ item: CBORItem?) throws(CBORError) -> String? {
        guard let item else { return nil }
        return try item.require(\.text)
    }

    fileprivate func write(to writer: inout CBORWriter) {
        writer.map { map in
            map.entry("certificate") { $0.bytes(certificate) }
            map.entry("country") { $0.text(country) }
            map.entry("docTypes") { writer in
                writer.array { writer in
                    for docType in docTypes.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) { writer.text(docType) }
                }
            }
            if let signerUsage { map.entry("signerUsage") { $0.text(signerUsage) } }
            if let provider { map.entry("vical") { $0.text(provider) } }
        }
    }
}

extension MdocContents.Vical: MdocElement {
    fileprivate init(_ item: CBORItem) throws(CBORError) {
        self = try item.map { fields throws(CBORError) in
            let issue = fields.take("issue"), nextUpdate = fields.take("nextUpdate")
            return Self(
                provider: try fields.require("provider").require(\.text),
                issue: try issue.map { (item) throws(CBORError) in try item.require(\.uint64) },
                date: try fields.require("date").require(\.int64),
                nextUpdate: try nextUpdate.map { (item) throws(CBORError) in try item.require(\.int64) },
                digest: try fields.require("digest").require(\.bytes), signer: try fields.require("signer").require(\.bytes))
        }
    }

    fileprivate func write(to writer: inout CBORWriter) {
        writer.map { map in
            map.entry("provider") { $0.text(provider) }
            if let issue { map.entry("issue") { $0.unsigned(issue) } }
            map.entry("date") { $0.integer(date) }
            if let nextUpdate { map.entry("nextUpdate") { $0.integer(nextUpdate) } }
            map.entry("digest") { $0.bytes(digest) }
            map.entry("signer") { $0.bytes(signer) }
        }
    }
}

extension MdocContents.Revocations: MdocElement {
    fileprivate init(_ item: CBORItem) throws(CBORError) {
        self = try item.map { fields throws(CBORError) in
            Self(bytes: try fields.require("bytes").require(\.bytes), fetched: try fields.require("fetched").require(\.int64))
        }
    }

    fileprivate func write(to writer: inout CBORWriter) {
        writer.map { map in
            map.entry("fetched") { $0.integer(fetched) }
            map.entry("bytes") { $0.bytes(bytes) }
        }
    }
}

extension MdocContents.Token: MdocElement {
    fileprivate init(_ item: CBORItem) throws(CBORError) {
        self = try item.map { fields throws(CBORError) in
            Self(
                uri: try fields.require("uri").require(\.text), fetched: try fields.require("fetched").require(\.int64),
                bytes: try fields.require("bytes").require(\.bytes))
        }
    }

    fileprivate func write(to writer: inout CBORWriter) {
        writer.map { map in
            map.entry("uri") { $0.text(uri) }
            map.entry("fetched") { $0.integer(fetched) }
            map.entry("bytes") { $0.bytes(bytes) }
        }
    }
}

/// The certificates of one reader, in their own order.
private struct ReaderChain: MdocElement {
    let certificates: [[UInt8]]

    init(_ certificates: [[UInt8]]) { self.certificates = certificates }

    init(_ item: CBORItem) throws(CBORError) {
        var certificates: [[UInt8]] = []
        for element in try item.require(\.elements) { certificates.append(try element.require(\.bytes)) }
        self.certificates = certificates
    }

    func write(to writer: inout CBORWriter) {
        writer.array { writer in for certificate in certificates { writer.bytes(certificate) } }
    }
}

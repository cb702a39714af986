import CBOR
import Envelopes

/// One kind of what a gate believes, as a bundle carries it.
///
/// A new kind, or a new version of one, is a new row of `known` and nothing else in the format. Version 1 of the first three kinds stands
/// in the bundle's map under its own name, as it did before there were others.
struct TrustSection: Sendable {
    let kind: String
    let write: @Sendable (TrustContents, inout CBORWriter) -> Void
    let read: @Sendable (CBORItem, inout TrustContents) throws(CBORError) -> Void

    static let known = [section("issuers", \.issuers), section("contexts", \.contexts), section("lists", \.lists)]

    private static func section<Entry: TrustEntry>(
        _ kind: String, _ entries: WritableKeyPath<TrustContents, [Entry]> & Sendable
    ) -> TrustSection {
        TrustSection(
            kind: kind,
            write: { contents, writer in
                writer.array { writer in
                    for entry in contents[keyPath: entries] { writer.map { entry.write(to: &$0) } }
                }
            },
            read: { (item, contents) throws(CBORError) in
                for element in try item.require(\.elements) {
                    let entry = try element.map { fields throws(CBORError) in try Entry(&fields) }
                    contents[keyPath: entries].append(entry)
                }
            })
    }

    /// The member of a bundle that holds every section but those three: `{"kind": text, "version": uint, "content": bstr}`, at least one.
    static let others = "sections"

    /// A section of `others`.
    private struct Other: Sendable {
        let kind: String
        let version: UInt64
        /// The content; nil where there is nothing to say, and then no section.
        let encode: @Sendable (TrustContents) throws(CBORError) -> [UInt8]?
        let decode: @Sendable ([UInt8], inout TrustContents) throws(CBORError) -> Void
    }

    /// In the order of the octets of their kinds.
    private static let otherKinds = [
        Other(
            kind: AnonCredsContents.kind, version: AnonCredsContents.version,
            encode: { (contents) throws(CBORError) in contents.anoncreds.isEmpty ? nil : try contents.anoncreds.encoded() },
            decode: { (octets, contents) throws(CBORError) in contents.anoncreds = try AnonCredsContents(decoding: octets) }),
        Other(
            kind: MdocContents.kind, version: MdocContents.version,
            encode: { (contents) throws(CBORError) in contents.mdoc.isEmpty ? nil : try contents.mdoc.encoded() },
            decode: { (octets, contents) throws(CBORError) in contents.mdoc = try MdocContents(decoding: octets) }),
        Other(
            kind: TrustedKeyContents.kind, version: TrustedKeyContents.version,
            encode: { (contents) throws(CBORError) in contents.trustedKey.isEmpty ? nil : try contents.trustedKey.encoded() },
            decode: { (octets, contents) throws(CBORError) in contents.trustedKey = try TrustedKeyContents(decoding: octets) }),
    ]

    /// The contents of the sections but for those three; none where there is nothing to say.
    static func otherContents(_ contents: TrustContents) throws(CBORError) -> [(kind: String, version: UInt64, content: [UInt8])] {
        var sections: [(kind: String, version: UInt64, content: [UInt8])] = []
        for other in otherKinds {
            if let content = try other.encode(contents) { sections.append((other.kind, other.version, content)) }
        }
        return sections
    }

    /// Writes them. A bundle without any has no such member: it is what it was before there were others.
    static func writeOthers(_ sections: [(kind: String, version: UInt64, content: [UInt8])], to map: inout CBORMapWriter) {
        guard !sections.isEmpty else { return }
        map.entry(others) { writer in
            writer.array { writer in
                for section in sections {
                    writer.map {
                        $0.entry("kind") { $0.text(section.kind) }
                        $0.entry("version") { $0.unsigned(section.version) }
                        $0.entry("content") { $0.bytes(section.content) }
                    }
                }
            }
        }
    }

    /// Reads the sections but for those three. What this gate does not know it refuses, by its name: a section can take away as well as
    /// give, so none is overlooked. Their order is for `TrustBundle` to check.
    ///
    /// - Parameter item: the value of `others`.
    static func readOthers(_ item: CBORItem, into contents: inout TrustContents) throws(TrustBundleError) {
        let sections = try TrustBundle.cbor { () throws(CBORError) in
            var sections: [(kind: String, version: UInt64, content: [UInt8])] = []
            for element in try item.require(\.elements) {
                sections.append(
                    try element.map { fields throws(CBORError) in
                        (
                            try fields.require("kind").require(\.text), try fields.require("version").require(\.uint64),
                            try fields.require("content").require(\.bytes)
                        )
                    })
            }
            return sections
        }
        guard !sections.isEmpty else { throw .malformed(item.fault(.missing)) }
        for section in sections {
            guard 1...TrustBundle.longestName ~= section.kind.utf8.count else { throw .malformed(item.fault(.wrongType)) }
            guard other(section.kind, section.version) != nil else {
                throw .sectionUnknown(kind: section.kind, version: section.version)
            }
        }
        for (place, section) in sections.enumerated() {
            guard !sections[..<place].contains(where: { $0.kind.isExactly(section.kind) }) else {
                throw .sectionRepeated(kind: section.kind)
            }
            try TrustBundle.cbor { () throws(CBORError) in try other(section.kind, section.version)?.decode(section.content, &contents) }
        }
    }

    private static func other(_ kind: String, _ version: UInt64) -> Other? {
        otherKinds.first { $0.kind.isExactly(kind) && $0.version == version }
    }
}

/// An element of a section.
protocol TrustEntry: Sendable {
    init(_ fields: inout CBOREntries) throws(CBORError)
    func write(to map: inout CBORMapWriter)
}

extension TrustContents.IssuerText: TrustEntry {
    init(_ fields: inout CBOREntries) throws(CBORError) {
        self.init(name: try fields.require("name").require(\.text), bytes: try fields.require("entry").require(\.bytes))
    }

    func write(to map: inout CBORMapWriter) {
        map.entry("name") { $0.text(name) }
        map.entry("entry") { $0.bytes(bytes) }
    }
}

extension TrustContents.ContextDocument: TrustEntry {
    init(_ fields: inout CBOREntries) throws(CBORError) {
        self.init(url: try fields.require("url").require(\.text), bytes: try fields.require("bytes").require(\.bytes))
    }

    func write(to map: inout CBORMapWriter) {
        map.entry("url") { $0.text(url) }
        map.entry("bytes") { $0.bytes(bytes) }
    }
}

extension PinnedStatusList: TrustEntry {
    init(_ fields: inout CBOREntries) throws(CBORError) {
        self.init(
            url: try fields.require("url").require(\.text), fetched: try fields.require("fetched").require(\.int64),
            bytes: try fields.require("bytes").require(\.bytes))
    }

    func write(to map: inout CBORMapWriter) {
        map.entry("url") { $0.text(url) }
        map.entry("fetched") { $0.integer(fetched) }
        map.entry("bytes") { $0.bytes(bytes) }
    }
}

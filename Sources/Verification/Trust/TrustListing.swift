import JSON

/// `contexts.json` or `lists.json` as somebody wrote it: a row is added or changed, and every other octet stays what it was
/// (trust-format.md section 3).
package struct TrustListing: Sendable {
    package enum Kind: String, Sendable {
        case contexts, lists

        package var file: String { rawValue + ".json" }
        var version: String { "gatehouse-" + rawValue }
    }

    package let kind: Kind
    /// UTF-8 octets of the file.
    package private(set) var bytes: [UInt8]

    /// One without rows.
    package init(_ kind: Kind) {
        self.kind = kind
        bytes = Array("{\n  \"\(kind.version)\": 1,\n  \"\(kind.rawValue)\": []\n}\n".utf8)
    }

    /// One that is there. What its rows hold is looked at when the folder is read.
    package init(_ kind: Kind, bytes: [UInt8]) throws(TrustError) {
        self.kind = kind
        self.bytes = bytes
        _ = try list()
    }

    private func list() throws(TrustError) -> JSONValue {
        let file = try TrustMember(file: kind.file, bytes: bytes)
        guard let members = file.value.members else { throw file.fault(.wrongType) }
        var found: [String: TrustMember] = [:]
        for member in members { found[member.name] = TrustMember(file: kind.file, path: member.name, value: member.value) }
        let version = try found.required(kind.version, of: file)
        guard version.value.int64 == 1 else { throw version.fault(.unsupportedVersion) }
        let list = try found.required(kind.rawValue, of: file)
        guard list.value.elements != nil else { throw list.fault(.wrongType) }
        return list.value
    }

    private func row(_ url: String) throws(TrustError) -> JSONValue? {
        try list().elements?.first { $0["url"]?.isString(url) == true }
    }

    /// A member of the row for a URL, where there is one.
    package func member(_ name: String, of url: String) throws(TrustError) -> String? { try row(url)?[name]?.string }

    /// The files that rows for other URLs name.
    package func files(without url: String) throws(TrustError) -> [String] {
        let others = try list().elements?.filter { $0["url"]?.isString(url) != true } ?? []
        return others.compactMap { $0["file"]?.string }
    }

    /// Changes the row for a URL, or adds one at the end.
    ///
    /// - Parameter members: beside `url`. Those of the row that are not named here stay.
    package mutating func put(_ url: String, _ members: [(name: String, value: String)]) throws(TrustError) {
        if let row = try row(url) {
            change(row, members)
        } else {
            add(Self.row(url, members), to: try list())
        }
        _ = try list()
    }

    private mutating func change(_ row: JSONValue, _ members: [(name: String, value: String)]) {
        var edits: [(range: Range<Int>, text: [UInt8])] = []
        for member in members {
            if let known = row[member.name] {
                edits.append((known.sourceRange, Self.string(member.value)))
            } else if let end = row["url"]?.sourceRange.upperBound {
                edits.append((end..<end, Array(",".utf8) + Self.string(member.name) + Array(":".utf8) + Self.string(member.value)))
            }
        }
        // From the end on: an edit moves what stands behind it.
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) { bytes.replaceSubrange(edit.range, with: edit.text) }
    }

    private mutating func add(_ row: [UInt8], to list: JSONValue) {
        guard let last = list.elements.map(Array.init)?.last?.sourceRange else {
            return bytes.replaceSubrange(list.sourceRange, with: Array("[\n    ".utf8) + row + Array("\n  ]".utf8))
        }
        // The new row stands as far behind its comma as the last one behind its own.
        var start = last.lowerBound
        while start > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start - 1]) { start -= 1 }
        let addition: [UInt8] = Array(",".utf8) + Array(bytes[start..<last.lowerBound]) + Array(row)
        bytes.insert(contentsOf: addition, at: last.upperBound)
    }

    /// A row as it stands in the file, on one line.
    package static func row(_ url: String, _ members: [(name: String, value: String)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("url", url)
            for member in members { writer.member(member.name, member.value) }
        }
        return writer.bytes
    }

    private static func string(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }
}

import Envelopes
import JSON

/// `mdoc.json` as commands write it: one row a line, in the order of the rows.
extension MdocListing {
    package var bytes: [UInt8] {
        var parts: [[UInt8]] = [Array("  \"gatehouse-mdoc\": 1".utf8)]
        parts.append(Self.array("roots", roots.map { $0.write }))
        parts.append(Self.array("vicals", vicals.map { vical in { vical.write(row: &$0) } }))
        parts.append(Self.array("revocationLists", revocations.map { $0.write }))
        parts.append(Self.array("statusTokens", tokens.map { $0.write }))
        parts.append(Self.array("readers", readers.map { file in { $0.member("file", file) } }))
        return Array("{\n".utf8) + Array(parts.joined(separator: Array(",\n".utf8))) + Array("\n}\n".utf8)
    }

    private static func array(_ name: String, _ rows: [(inout JSONWriter) -> Void]) -> [UInt8] {
        guard !rows.isEmpty else { return Array("  \"\(name)\": []".utf8) }
        let lines = rows.map { row in
            var writer = JSONWriter()
            writer.object { row(&$0) }
            return Array("    ".utf8) + writer.bytes
        }
        return Array("  \"\(name)\": [\n".utf8) + Array(lines.joined(separator: Array(",\n".utf8))) + Array("\n  ]".utf8)
    }
}

extension MdocListing.Root {
    fileprivate func write(_ row: inout JSONWriter) {
        row.member("file", file)
        row.member("sha256", Hexadecimal.text(digest))
        row.member("country", country)
        row.name("docTypes")
        row.array { writer in for docType in docTypes { writer.string(docType) } }
        if let signerUsage { row.member("signerUsage", signerUsage) }
        if let provider { row.member("vical", provider) }
    }
}

extension MdocContents.Vical {
    fileprivate func write(row: inout JSONWriter) {
        row.member("provider", provider)
        if let issue { row.member("issue", issue) }
        row.member("date", Timestamp.text(date) ?? "\(date)")
        if let nextUpdate { row.member("nextUpdate", Timestamp.text(nextUpdate) ?? "\(nextUpdate)") }
        row.member("sha256", Hexadecimal.text(digest))
        row.member("signer", Hexadecimal.text(signer))
    }
}

extension MdocListing.Fetched {
    fileprivate func write(_ row: inout JSONWriter) {
        if let uri { row.member("uri", uri) }
        row.member("file", file)
        row.member("fetched", Timestamp.text(fetched) ?? "\(fetched)")
    }
}

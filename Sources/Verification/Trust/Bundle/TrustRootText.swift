import JSON

extension TrustRoot {
    /// The text of a root file, to be written: whether it is one, `init` says.
    ///
    /// - Parameter signers: objects as a signer's own file has them, copied octet for octet.
    package static func text(threshold: Int, signers: [JSONValue]) -> [UInt8] {
        let rows = signers.map { "    " + String(decoding: $0.source, as: UTF8.self) }.joined(separator: ",\n")
        return Array("{\n  \"gatehouse-root\": 1,\n  \"threshold\": \(threshold),\n  \"signers\": [\n\(rows)\n  ]\n}\n".utf8)
    }

    /// The object of one signer in a root file, as it stands there; nil where there is none of that name.
    ///
    /// - Parameter bytes: of a file that `init` took.
    package static func signer(_ id: String, in bytes: [UInt8]) -> JSONValue? {
        guard let file = try? JSONDocument(parsing: bytes).root else { return nil }
        return file["signers"]?.elements?.first { $0["kid"]?.isString(id) == true }
    }
}

import CBOR
import Envelopes

/// Everything a gate is to believe about AnonCreds credentials beside the entries of their issuers, as octets (trust-format.md section 6):
/// what the files that entries name and a bundle's section both come down to. `AnonCredsBelief` looks at it.
public struct AnonCredsContents: Hashable, Sendable {
    /// Schemas, definitions, registries and status lists of one issuer.
    public struct File: Hashable, Sendable {
        /// What the issuer's entry calls it, compared octet for octet.
        public var name: String
        /// UTF-8 octets of a JSON object, as they were pinned.
        public var bytes: [UInt8]

        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// A file is one issuer's.
    public static let mostFiles = 64
    /// In all files together. Each takes about 300 kB of memory, most of it for tables.
    public static let mostDefinitions = 64
    public static let mostSchemas = 128
    public static let mostRegistries = 128
    /// Two of each registry would do: the newest, and the one before it where a wallet is given time.
    public static let mostLists = 512
    /// UTF-8 octets of an id, and of any other text.
    public static let longestText = 512

    public var files: [File]

    public init(files: [File] = []) { self.files = files }

    public var isEmpty: Bool { files.isEmpty }

    /// The same, with the file of this name alone, or without any.
    package func only(_ name: String?) -> AnonCredsContents {
        AnonCredsContents(files: files.filter { file in name.map { file.name.isExactly($0) } ?? false })
    }
}

/// The octets of a bundle's section `anoncreds`, version 1: a CBOR map in the core deterministic encoding (RFC 8949 section 4.2.1).
///
/// ```
/// anoncreds = { "files": [+ { "name": text, "bytes": bstr }] }       ; in the order of the octets of their names, none twice
/// ```
extension AnonCredsContents {
    static let kind = "anoncreds"
    static let version: UInt64 = 1

    private static let options = CBOROptions(form: .deterministic, bytes: TrustBundle.largest, depth: 4)

    func encoded() throws(CBORError) -> [UInt8] {
        try CBORWriter.encode { writer in
            writer.map { map in
                map.entry("files") { writer in
                    writer.array { writer in
                        for file in files {
                            writer.map {
                                $0.entry("name") { $0.text(file.name) }
                                $0.entry("bytes") { $0.bytes(file.bytes) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// What a section holds. Order and counts are for `TrustBundle` to check, the files for `AnonCredsBelief`.
    init(decoding octets: [UInt8]) throws(CBORError) {
        let root = try CBORDocument(parsing: octets, options: Self.options).root
        var files: [File] = []
        for item in try root.map({ fields throws(CBORError) in try fields.require("files").require(\.elements) }) {
            files.append(
                try item.map { fields throws(CBORError) in
                    File(name: try fields.require("name").require(\.text), bytes: try fields.require("bytes").require(\.bytes))
                })
        }
        // An empty section is none.
        guard !files.isEmpty else { throw root.fault(.missing) }
        self.files = files
    }
}

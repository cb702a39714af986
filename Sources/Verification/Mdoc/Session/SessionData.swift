import CBOR

/// The messages of a session, both ways (mdoc.md section 3).
struct SessionData {
    /// Octets of the longest message, put together again: a document with a portrait has up to 60 thousand (mdoc.md section 2.2).
    static let longest = 256 << 10

    /// Ciphertext and tag.
    let data: [UInt8]?
    let status: SessionStatus?

    private enum Name {
        static let readerKey = "eReaderKey", data = "data", status = "status"
    }

    /// Two members, what later editions add to them, and the chunks of data that somebody writes piece by piece: each is an item.
    private static let options = CBOROptions(form: .wellFormed, allowsIndefinite: true, bytes: longest, depth: 32, items: 20_000)

    /// Nil for what is no SessionData: not well-formed, a member of another type, neither of the two.
    init?(_ octets: Span<UInt8>) {
        guard let root = try? CBORDocument(parsing: octets, options: Self.options).root, root.kind == .map else { return nil }
        let data = root[Name.data], status = root[Name.status]
        guard data != nil || status != nil else { return nil }
        self.data = data?.bytes
        self.status = status?.uint64.map { SessionStatus(rawValue: $0) }
        guard (data == nil) == (self.data == nil), (status == nil) == (self.status == nil) else { return nil }
    }

    /// SessionEstablishment.
    static func establishment(readerKey: [UInt8], data: [UInt8]) -> [UInt8] {
        CBOREncoding.map([
            (CBOREncoding.text(Name.readerKey), readerKey), (CBOREncoding.text(Name.data), CBOREncoding.bytes(data)),
        ])
    }

    /// SessionData with a message.
    static func encode(_ data: [UInt8]) -> [UInt8] {
        CBOREncoding.map([(CBOREncoding.text(Name.data), CBOREncoding.bytes(data))])
    }

    /// SessionData with a status alone.
    static func encode(_ status: SessionStatus) -> [UInt8] {
        CBOREncoding.map([(CBOREncoding.text(Name.status), CBOREncoding.unsigned(status.rawValue))])
    }
}

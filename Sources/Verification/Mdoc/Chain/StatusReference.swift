import CBOR

/// `status` of a security object: where to look whether the document was withdrawn (mdoc.md section 6.3). The issuer signed it.
struct StatusReference {
    /// A place in a status list.
    struct ListEntry {
        let uri: String
        let index: UInt64
        /// DER of a certificate under which the token's signer stands, where the issuer names one.
        let certificate: [UInt8]?
    }

    /// An identifier that a list of withdrawn ones may have.
    struct Identifier {
        let uri: String
        let id: [UInt8]
        let certificate: [UInt8]?
    }

    let entry: ListEntry?
    let identifier: Identifier?

    init(_ item: CBORItem) throws(CBORError) {
        guard item.kind == .map else { throw item.fault(.wrongType) }
        entry = try item["status_list"].map { (list) throws(CBORError) in
            ListEntry(
                uri: try list.member("uri").require(\.text), index: try list.member("idx").require(\.uint64),
                certificate: try list["certificate"].map { (der) throws(CBORError) in try der.require(\.bytes) })
        }
        identifier = try item["identifier_list"].map { (list) throws(CBORError) in
            Identifier(
                uri: try list.member("uri").require(\.text), id: try list.member("id").require(\.bytes),
                certificate: try list["certificate"].map { (der) throws(CBORError) in try der.require(\.bytes) })
        }
    }
}

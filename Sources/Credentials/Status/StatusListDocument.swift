import CBOR
import JSON

/// A status list of the trust bundle taken apart: whose word it is, is not decided yet.
struct StatusListDocument {
    enum Form {
        /// A JSON-LD credential.
        case credential(JSONDocument)
        /// A token in JOSE form and its claims (Token Status List section 5.1).
        case text(CompactJWS, JSONValue)
        /// A token in COSE form (Token Status List section 5.2).
        case binary(CWT)
    }

    let url: String
    let fetched: Seconds
    let form: Form

    /// - Parameter document: as it came. White space around a text is not part of it.
    init(_ document: TrustContents.StatusListDocument) throws(StatusListFault) {
        url = document.url
        fetched = document.fetched
        let blank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = document.bytes.first(where: { !blank($0) }), let last = document.bytes.lastIndex(where: { !blank($0) }) else { throw .listMalformed }
        let isText = first < 0x80
        let bytes = isText ? Array(document.bytes[...last].drop(while: blank)) : document.bytes
        if first == UInt8(ascii: "{") {
            guard let json = try? JSONDocument(parsing: bytes, limits: IssuerProof.limits) else { throw .listMalformed }
            form = .credential(json)
        } else if !isText || bytes.allSatisfy({ Hexadecimal.value($0) != nil }) {
            guard let token = try? CWT(bytes), token.signed.header.type?.isText(CWT.statusListType) == true else { throw .listMalformed }
            form = .binary(token)
        } else {
            guard let token = try? CompactJWS(bytes[...], malformed: .payloadMalformed), token.header.isType("statuslist+jwt"),
                  let claims = try? JSONDocument(parsing: token.payload, limits: IssuerProof.limits).root, claims.kind == .object,
                  claims["iss"] == nil || claims["iss"]?.kind == .string
            else { throw .listMalformed }
            form = .text(token, claims)
        }
    }

    /// Who made the list, as it says itself. A token need not say it.
    var statedIssuer: String? {
        switch form {
        case .credential(let json): json.root["issuer"].flatMap { $0.string ?? $0["id"]?.string }
        case .text(_, let claims): claims["iss"]?.string
        case .binary(let token): token.statedIssuer
        }
    }
}

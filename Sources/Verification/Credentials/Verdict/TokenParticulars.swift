import CBOR
import Envelopes
import JSON

extension Particulars {
    private static let limits = JSONLimits(bytes: 4 << 20)

    /// An SD-JWT or JWT: header, payload, and how much is disclosed.
    mutating func readToken(_ text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false)
        let token = (parts.first ?? []).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        see(
            .claim,
            ["\(max(0, parts.count - 2)) disclosures"] + parts.dropFirst().prefix(Particular.most).compactMap { Self.name(disclosure: $0) })
        if let header = token.first.flatMap({ Self.object($0) }) {
            see(.algorithm, [Self.words(header["alg"])])
            see(.header, ["typ \(Self.words(header["typ"]))"] + (header["crit"].map { ["crit \(Self.words($0))"] } ?? []))
            see(.key, header["kid"].map { [Self.words($0)] } ?? (header["x5c"] == nil ? ["no kid"] : []))
            if let chain = header["x5c"] {
                see(
                    certificates: (chain.elements.map(Array.init) ?? []).map {
                        $0.string.flatMap { Base64.decode($0, alphabet: .standard) } ?? []
                    })
            }
        }
        guard token.count > 1, let payload = Self.object(token[1]) else { return }
        state(issuer: payload["iss"]?.string)
        see(.type, [payload["vct"].map(Self.words) ?? "no vct"])
        see(.digest, [Self.words(payload["_sd_alg"])])
        see(.audience, payload["aud"].map { [Self.words($0)] } ?? [])
        see(StatedStatus.all(in: payload))
        for name in ["exp", "nbf", "iat"] {
            guard let value = payload[name] else { continue }
            if let seconds = value.int64 { seeTime(name, seconds) } else { see(.time, ["\(name) \(Self.words(value))"]) }
        }
        for name in ["validUntil", "expirationDate", "validFrom", "issuanceDate"] {
            see(.time, payload[name].map { ["\(name) \(Self.words($0))"] } ?? [])
        }
    }

    /// A CBOR web token.
    mutating func readCWT(_ octets: [UInt8]) {
        let octets = octets.first.map { $0 >= 0x80 } == true ? octets : Hexadecimal.decode(octets[...]) ?? []
        guard let root = try? CBORDocument(parsing: octets, options: CWT.options).root else { return }
        let token = root.content(of: CWT.tag) ?? root, isSealed = token.tag == COSEEncrypt0.tag
        // Without a tag only where it came out of a code.
        guard let parts = (token.content(of: isSealed ? COSEEncrypt0.tag : COSESign1.tag) ?? root).elements,
            parts.count == (isSealed ? 3 : 4)
        else { return }
        let headers = [(try? parts[0].embedded(options: CWT.options))?.root, parts[1]]
        func parameter(_ label: Int64) -> CBORItem? { headers.lazy.compactMap { $0?[label] }.first }
        see(.algorithm, [parameter(1).map { "\($0.int64.map { "\($0)" } ?? "no number")" } ?? "none"])
        see(.key, parameter(4)?.bytes.map { [Self.words($0)] } ?? (parameter(33) == nil ? ["no kid"] : []))
        if let chain = parameter(33) { see(certificates: chain.bytes.map { [$0] } ?? chain.elements?.compactMap(\.bytes)) }
        guard !isSealed, let claims = (try? parts[2].embedded(options: CWT.options))?.root else { return }
        state(issuer: claims[CWTClaims.Label.issuer]?.text)
        see(.type, [claims[CWTClaims.Label.identity] == nil ? "no claim 169" : CWTFormat.identityType])
        see(
            .audience,
            claims[CWTClaims.Label.audience].map { ($0.text.map { [$0] } ?? $0.elements?.compactMap(\.text)) ?? ["no text"] } ?? [])
        see(StatedStatus.all(in: claims))
        for (name, label) in [("exp", CWTClaims.Label.expires), ("nbf", CWTClaims.Label.notBefore), ("iat", CWTClaims.Label.issuedAt)] {
            if let seconds = claims[label]?.int64 { seeTime(name, seconds) }
        }
    }

    /// What a disclosure says a claim is called; never its value.
    private static func name(disclosure text: ArraySlice<UInt8>) -> String? {
        guard let octets = Base64.decode(text),
            let elements = (try? JSONDocument(parsing: octets, limits: limits))?.root.elements.map(Array.init)
        else { return nil }
        return elements.count == 3 ? words(elements[1]) : nil
    }

    private static func object(_ text: ArraySlice<UInt8>) -> JSONValue? {
        guard let octets = Base64.decode(text), let root = (try? JSONDocument(parsing: octets, limits: limits))?.root, root.kind == .object
        else { return nil }
        return root
    }

    /// A string without its quotes, several of them in a row, other scalars as JSON; of anything larger only what it is: it may be about a
    /// person.
    static func words(_ value: JSONValue?) -> String {
        guard let value else { return "(not there)" }
        if let text = value.string { return text }
        if value.kind == .object { return "an object" }
        guard let elements = value.elements.map(Array.init) else { return String(decoding: value.source, as: UTF8.self) }
        let texts = elements.prefix(Particular.most).compactMap(\.string)
        return texts.count == elements.count && !texts.isEmpty ? texts.joined(separator: " ") : "an array of \(elements.count)"
    }

    /// A COSE `kid`: text where it is that, else its octets.
    private static func words(_ octets: [UInt8]) -> String {
        if let text = String(validating: octets, as: UTF8.self), octets.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) { return text }
        return "hex:" + octets.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

import Cryptography
import JSON
import TestSupport

@testable import CBOR
@testable import Credentials
@testable import Envelopes

/// An encoding that is accepted is walked to its last octet; in the deterministic form, writing it again gives the same octets.
func fuzzCBOR(_ octets: UnsafeBufferPointer<UInt8>) {
    for options in [CBOROptions.standard, .deterministic, .tolerant] {
        guard let document = try? CBORDocument(parsing: octets.span, options: options) else { continue }
        require(document.root.sourceRange == 0..<octets.count, "the encoding is kept whole")
        walk(document.root)
        guard options == .deterministic else { continue }
        require((try? CBORDocument(parsing: octets.span, options: .standard)) != nil, "the deterministic form is one of the shortest ones")
        require((try? CBORWriter.encode { write(document.root, &$0) })?.elementsEqual(octets) == true, "a value has one deterministic form")
    }
    let tight = CBOROptions(form: .wellFormed, allowsIndefinite: true, bytes: 64, depth: 2, items: 8)
    if (try? CBORDocument(parsing: octets.span, options: tight)) != nil {
        require((try? CBORDocument(parsing: octets.span, options: .tolerant)) != nil, "limits allow no more")
    }
}

private func walk(_ item: CBORItem) {
    require(!item.sourceRange.isEmpty && item.source.count == item.sourceRange.count, "an item has a place")
    for pair in item.pairs ?? [] {
        walk(pair.key)
        walk(pair.value)
    }
    for element in item.elements ?? [] { walk(element) }
    if let content = item.content { walk(content) }
    if let text = item.text { require(item.isText(text) && item.textBytes == Array(text.utf8), "a text has one value") }
}

private func write(_ item: CBORItem, _ writer: inout CBORWriter) {
    if let pairs = item.pairs {
        // Keys of other types than the writer's are copied with everything in them.
        guard pairs.allSatisfy({ $0.key.int64 != nil || $0.key.text != nil }) else { return writer.copy(item) }
        writer.map { map in
            for pair in pairs {
                if let number = pair.key.int64 { map.entry(number) { write(pair.value, &$0) } }
                if let text = pair.key.text { map.entry(text) { write(pair.value, &$0) } }
            }
        }
    } else if let elements = item.elements {
        writer.array { array in for element in elements { write(element, &array) } }
    } else if let content = item.content, let tag = item.tag {
        writer.tag(tag)
        write(content, &writer)
    } else if let value = item.uint64 {
        writer.unsigned(value)
    } else if let value = item.int64 {
        writer.integer(value)
    } else if let value = item.bytes {
        writer.bytes(value)
    } else if let value = item.text {
        writer.text(value)
    } else if let value = item.bool {
        writer.bool(value)
    } else if item.isNull {
        writer.null()
    } else if let value = item.simple {
        writer.simple(value)
    } else if let value = item.float?.double, !value.isNaN {
        writer.float(value)
    } else {
        writer.copy(item)
    }
}

/// `B`: claims that the issuer signs. Otherwise a token as a stranger can send it.
func fuzzCOSE(_ octets: UnsafeBufferPointer<UInt8>) {
    let isBuilt = octets.first == UInt8(ascii: "B")
    let message = isBuilt ? Binary.token(Array(octets.dropFirst())) : Array(octets)
    if !isBuilt, let item = try? CBORDocument(parsing: message, options: CWT.options).root {
        _ = try? COSEKey(item)
        if let signed = try? COSESign(item) {
            require((try? signed.verify(threshold: 1, signers: [.init(keyID: [1], key: Binary.key)])) == nil, "nobody signed this")
        }
    }
    guard let credential = Linked.verifier.verify(message, at: Issuer.now).credential, credential.form == .cwt else { return }
    require(credential.issuer == Issuer.id && credential.type == CWTFormat.identityType, "issuer and type are trusted")
    if let expires = credential.validity.expires { require(Issuer.now < expires, "nothing expired is accepted") }
    if !isBuilt { require(credential.claims.root.source == Binary.recorded, "no claim was changed") }
}

/// A status list as an issuer could publish it by mistake: every entry it has can be asked for, and none that it has not.
func fuzzStatus(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    let size = Int(script.octet() & 0x3F), index = UInt64(script.word()) << UInt64(script.octet() & 63)
    let compressed = script.take(octets.count)
    let encoded = "u" + Issuer.text(Base64.encodeURL(compressed))
    if let list = try? BitstringStatusList(encodedList: encoded, format: .bitstring) {
        require(list.octets.count <= StatusInflation.cap && list.octets.count * 8 >= 131_072, "a list has bounds")
        let value = list.value(at: index, size: size)
        require(value == nil || (1...32).contains(size) && index * UInt64(size) < UInt64(list.octets.count) * 8, "an entry is in the list")
        require(list.status(at: index, purpose: .revocation, size: size) != .suspended, "a list has its own purpose")
    }
    if let list = try? TokenStatusList(bits: UInt64(size & 15), compressed: compressed) {
        require(list.octets.count <= StatusInflation.cap && [1, 2, 4, 8].contains(list.size), "a list has bounds")
        require((list.value(at: index) == nil) == (index >= list.count), "an entry is in the list")
    }
}

enum Binary {
    static let key: PublicKey = {
        let raw = (0..<32).map { Issuer.rawKey[$0] }
        do { return try PublicKey(ed25519: raw.span) } catch { fatalError("\(error)") }
    }()

    /// The claims of the token a stranger could have recorded, as `CWTFormat` tells them.
    static let recorded: [UInt8] = {
        guard let credential = Linked.verifier.verify(good, at: Issuer.now).credential else {
            fatalError("\(Linked.verifier.verify(good, at: Issuer.now).reasons)")
        }
        return credential.claims.root.source
    }()

    static let good: [UInt8] = token(
        (try? CBORWriter.encode { writer in
            writer.map { map in
                map.entry(1) { $0.text(Issuer.id) }
                map.entry(4) { $0.integer(Issuer.now + 1000) }
                map.entry(6) { $0.integer(Issuer.now - 1000) }
                map.entry(169) { identity in
                    identity.map { map in
                        map.entry(4) { $0.text("Asha") }
                        map.entry(16) { $0.bytes([0xFF, 0xD8, 0xFF]) }
                        map.entry(17) { $0.integer(1) }
                    }
                }
            }
        }) ?? [])

    /// Tags 61 and 18 on a signature of the issuer's over the payload.
    static func token(_ payload: [UInt8]) -> [UInt8] {
        let protected =
            (try? CBORWriter.encode { writer in
                writer.map { map in
                    map.entry(1) { $0.integer(-8) }
                    map.entry(4) { $0.bytes(Array(Linked.method.utf8)) }
                }
            }) ?? []
        let signed =
            (try? CBORWriter.encode { writer in
                writer.array { array in
                    array.text("Signature1")
                    array.bytes(protected)
                    array.bytes([])
                    array.bytes(payload)
                }
            }) ?? []
        return
            (try? CBORWriter.encode { writer in
                writer.tag(61)
                writer.tag(18)
                writer.array { array in
                    array.bytes(protected)
                    array.map { _ in }
                    array.bytes(payload)
                    array.bytes(Issuer.sign(signed))
                }
            }) ?? []
    }
}

let cborSeeds: [[UInt8]] = [
    Binary.good, [0xA2, 0x01, 0x82, 0x20, 0xF9, 0x3C, 0x00, 0x61, 0x61, 0xC1, 0xFB, 0x40, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18],
    [0x9F, 0x5F, 0x41, 0x01, 0x40, 0xFF, 0x7F, 0x60, 0xFF, 0xBF, 0x00, 0xF6, 0xFF, 0xFF], [0xF8, 0xFF],
    [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xD8, 24, 0x41, 0x00],
]

let coseSeeds: [[UInt8]] = [
    Binary.good,
    Array(Hex.text(Binary.good).utf8),
    [UInt8(ascii: "B"), 0xA2, 0x01] + [0x76] + Array(Issuer.id.utf8) + [0x18, 0xA9, 0xA1, 0x04, 0x61, 0x61],
    [0xD8, 98, 0x84, 0x40, 0xA0, 0x41, 0x00, 0x81, 0x83, 0x43, 0xA1, 0x01, 0x27, 0xA1, 0x04, 0x41, 0x01, 0x58, 0x40]
        + [UInt8](repeating: 0, count: 64),
    [0xA4, 0x01, 0x01, 0x20, 0x06, 0x21, 0x58, 0x20] + [UInt8](repeating: 7, count: 32) + [0x03, 0x27],
]

let statusSeeds: [[UInt8]] = [
    [1, 5, 0, 0] + gzip([UInt8](repeating: 0x20, count: 16_384)), [2, 5, 0, 9] + gzip([UInt8](repeating: 1, count: 40_000)),
    [1, 5, 0, 0, 0x78, 0xDA, 0x63, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01], [8, 0, 0, 0, 0x78, 0xDA, 0x4B, 0x04, 0x00, 0x00, 0x62, 0x00, 0x62],
]

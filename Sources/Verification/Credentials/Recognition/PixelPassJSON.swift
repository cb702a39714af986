import CBOR
import JSON

/// CBOR as the JSON it was made of (pixelpass.md section 2, steps 4 and 5).
///
/// The issuer signed JSON, and PixelPass wrote that as CBOR: what is verified has to be the same JSON again. Names, texts and the order of
/// elements are octet for octet the same; the order of members plays no part in any proof. Numbers are the same by value, which is all
/// that proofs look at: RDF literals and RFC 8785 are made of the double, or of every digit of an integer. A whole number is written with
/// all its digits and without point or exponent, whether the encoder had it as an integer or a float, and any other float in the shortest
/// text that reads back the same. What JSON cannot have been is refused: octets, tags, names that are no texts, `undefined`, infinities.
enum PixelPassJSON {
    /// Throws `wrongType` where the item is no JSON. The caller wipes the text.
    static func text(of root: CBORItem) throws(CBORError) -> [UInt8] {
        var writer = JSONWriter(reserving: root.sourceRange.count * 2)
        defer { writer.erase() }
        try write(root, to: &writer)
        return writer.bytes
    }

    /// As deep as the parser allows, which is 32.
    private static func write(_ item: CBORItem, to writer: inout JSONWriter) throws(CBORError) {
        switch item.kind {
        case .map:
            writer.beginObject()
            for pair in item.pairs ?? [] {
                writer.name(try pair.key.require(\.text))
                try write(pair.value, to: &writer)
            }
            writer.endObject()
        case .array:
            writer.beginArray()
            for element in item.elements ?? [] { try write(element, to: &writer) }
            writer.endArray()
        case .text: writer.string(try item.require(\.text))
        case .unsigned, .negative: writer.integer(try item.require(\.integer))
        case .float:
            let value = try item.require(\.float).double
            guard value.isFinite else { throw item.fault(.wrongType) }
            writer.number(value)
        case .simple:
            if item.isNull { writer.null() } else { writer.bool(try item.require(\.bool)) }
        case .bytes, .tag: throw item.fault(.wrongType)
        }
    }

}

extension JSONWriter {
    /// From here on a whole number is a double in RDF, whoever writes it (JSON-LD 1.1 API section 8.6).
    private static var largestInteger: Double { 1e21 }

    /// A finite number: a whole one with all its digits, and without point or exponent.
    mutating func number(_ value: Double) {
        if value.magnitude < Self.largestInteger, let whole = Int128(exactly: value) {
            integer(whole)
        } else {
            double(value)
        }
    }
}

import CBOR
import Envelopes
import JSON

/// The identity data of claim 169 as JSON: names are the labels as decimal text, byte strings base64url. Biometrics are signed, and none of
/// this gate's business: they are left out unread (pixelpass.md section 3). The picture of a face is `CWTPhoto`'s.
enum CWTIdentity {
    /// Maps in maps: biometrics hold a few.
    private static let deepest = 8

    /// Throws `payloadMalformed` for two keys that would have one name, and for a type JSON has nothing for.
    static func document(_ identity: CBORItem) throws(RejectReason) -> JSONDocument {
        var writer = JSONWriter(reserving: identity.sourceRange.count * 2)
        defer { writer.erase() }
        guard let pairs = identity.pairs else { throw .payloadMalformed }
        writer.beginObject()
        for pair in pairs {
            let name = try name(pair.key)
            if isBiometric(name, pair.value) { continue }
            writer.name(name)
            try write(pair.value, to: &writer, depth: 1)
        }
        writer.endObject()
        // Refuses a name that occurs twice.
        return try SignedJSON.document(writer.bytes, limits: .standard)
    }

    /// By its label, or by its name where PixelPass' table did not map it; not a face by its name that may be a picture, which a path of
    /// the trust entry may find.
    private static func isBiometric(_ name: String, _ value: CBORItem) -> Bool {
        if let labelled = IdentityClaim(label: name) { return labelled.isBiometric }
        guard let named = IdentityClaim(name: name) else { return false }
        return named.isBiometric && !(named == .face && (value.text != nil || value.bytes != nil))
    }

    /// What is under a label, which may be an integer or the same as decimal text: PixelPass for Kotlin made texts of all, once
    /// (pixelpass.md section 3). Throws `payloadMalformed` where both are there: nobody could say which one counts.
    static func value(_ label: Int64, in map: CBORItem) throws(RejectReason) -> CBORItem? {
        let number = map[label], text = map[String(label)]
        guard number == nil || text == nil else { throw .payloadMalformed }
        return number ?? text
    }

    private static func name(_ key: CBORItem) throws(RejectReason) -> String {
        guard let name = key.int64.map(String.init) ?? key.text else { throw .payloadMalformed }
        return name
    }

    private static func write(_ item: CBORItem, to writer: inout JSONWriter, depth: Int) throws(RejectReason) {
        guard depth < deepest else { throw .tooComplex }
        if let pairs = item.pairs {
            writer.beginObject()
            for pair in pairs {
                writer.name(try name(pair.key))
                try write(pair.value, to: &writer, depth: depth + 1)
            }
            writer.endObject()
        } else if let elements = item.elements {
            writer.beginArray()
            for element in elements { try write(element, to: &writer, depth: depth + 1) }
            writer.endArray()
        } else if let text = item.text {
            writer.string(text)
        } else if let bytes = item.bytes {
            writer.string(String(decoding: Base64.encodeURL(bytes), as: UTF8.self))
        } else if let integer = item.int64 {
            writer.integer(integer)
        } else if let unsigned = item.uint64 {
            writer.integer(unsigned)
        } else if let bool = item.bool {
            writer.bool(bool)
        } else if item.isNull {
            writer.null()
        } else if let float = item.float?.double, float.isFinite {
            // PixelPass for Kotlin makes floats of whole numbers.
            writer.number(float)
        } else if item.kind == .tag, let tag = item.tag, let content = item.content(of: tag) {
            try write(content, to: &writer, depth: depth + 1)
        } else {
            throw .payloadMalformed
        }
    }
}

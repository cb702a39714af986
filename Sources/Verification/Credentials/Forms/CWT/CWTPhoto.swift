import CBOR
import Envelopes
import JSON

/// The photos of claim 169 that are not signed as octets under label 16, as a data URI (RFC 2397): hexadecimal text of older issuers, and
/// the picture of a face that 1.2.2 puts in its place (pixelpass.md section 3). Templates and everything else that is measured on a body
/// stay where they are.
///
/// The media type is what the issuer calls it. Whoever decodes it goes by the octets.
enum CWTPhoto {
    /// Labels in one of the biometrics, and the format of a picture.
    private enum Label {
        static let data: Int64 = 0, format: Int64 = 1, subformat: Int64 = 2
        static let image: Int64 = 0
    }

    private static let formats: [Int64: String] = [1: "image/jpeg", 2: "image/jp2", 3: "image/avif", 4: "image/webp"]
    private static let subformats = formats.merging([0: "image/png"]) { own, _ in own }
    /// Faces of one person that are looked through for a picture.
    private static let most = 8

    static func all(in identity: CBORItem) throws(RejectReason) -> [IdentityClaim: JSONDocument] {
        var photos: [IdentityClaim: JSONDocument] = [:]
        if let photo = try value(.photo, identity), photo.kind == .text, let octets = octets(photo) {
            photos[.photo] = try document(octets, value(.photoFormat, identity)?.int64.flatMap { formats[$0] })
        }
        if let faces = try value(.face, identity) { photos[.face] = try picture(faces) }
        return photos
    }

    private static func value(_ claim: IdentityClaim, _ identity: CBORItem) throws(RejectReason) -> CBORItem? {
        try CWTIdentity.value(Int64(claim.rawValue), in: identity)
    }

    /// Octets, or the same as hexadecimal text.
    private static func octets(_ item: CBORItem) -> [UInt8]? {
        guard let octets = item.bytes ?? item.textBytes.flatMap({ Hexadecimal.decode($0[...]) }), !octets.isEmpty else { return nil }
        return octets
    }

    /// The first picture of a face in a format that has a name; the specification has an array, and its example one without. Inji makes its
    /// tokens of JSON, which has texts only: what is no hexadecimal stays as it was signed.
    private static func picture(_ faces: CBORItem) throws(RejectReason) -> JSONDocument? {
        for face in (faces.elements ?? [faces]).prefix(most) {
            let format = try CWTIdentity.value(Label.format, in: face), subformat = try CWTIdentity.value(Label.subformat, in: face)
            guard let data = try CWTIdentity.value(Label.data, in: face), format == nil || format?.int64 == Label.image else { continue }
            let type = subformat?.int64.flatMap { subformats[$0] }
            guard subformat == nil || type != nil else { continue }
            if let octets = octets(data) { return try document(octets, type) }
            if let text = data.text, !text.isEmpty { return try document(text) }
        }
        return nil
    }

    private static func document(_ octets: [UInt8], _ type: String?) throws(RejectReason) -> JSONDocument {
        let digits = String(decoding: Base64.encodeStandard(octets), as: UTF8.self)
        return try document("data:\(type ?? "application/octet-stream");base64,\(digits)")
    }

    private static func document(_ text: String) throws(RejectReason) -> JSONDocument {
        var writer = JSONWriter(reserving: text.utf8.count + 64)
        defer { writer.erase() }
        writer.string(text)
        return try SignedJSON.document(writer.bytes, limits: .standard)
    }
}

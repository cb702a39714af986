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
        if let text = value(.photo, identity)?.textBytes, let octets = Hexadecimal.decode(text[...]), !octets.isEmpty {
            photos[.photo] = try document(octets, value(.photoFormat, identity)?.int64.flatMap { formats[$0] })
        }
        if let (octets, type) = picture(value(.face, identity)) { photos[.face] = try document(octets, type) }
        return photos
    }

    private static func value(_ claim: IdentityClaim, _ identity: CBORItem) -> CBORItem? { identity[Int64(claim.rawValue)] }

    /// The first picture of a face in a format that has a name; the specification has an array, and its example one without.
    private static func picture(_ faces: CBORItem?) -> ([UInt8], String?)? {
        guard let faces else { return nil }
        for face in (faces.elements ?? [faces]).prefix(most) {
            guard let octets = face[Label.data]?.bytes, !octets.isEmpty, face[Label.format].map({ $0.int64 == Label.image }) ?? true
            else { continue }
            guard let subformat = face[Label.subformat] else { return (octets, nil) }
            if let type = subformat.int64.flatMap({ subformats[$0] }) { return (octets, type) }
        }
        return nil
    }

    private static func document(_ octets: [UInt8], _ type: String?) throws(RejectReason) -> JSONDocument {
        var writer = JSONWriter(reserving: octets.count / 3 * 4 + 64)
        defer { writer.erase() }
        let digits = String(decoding: Base64.encodeStandard(octets), as: UTF8.self)
        writer.string("data:\(type ?? "application/octet-stream");base64,\(digits)")
        return try SignedJSON.document(writer.bytes, limits: .standard)
    }
}

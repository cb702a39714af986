import Envelopes
import JSON
import Trust

extension CredentialForm {
    /// Recognises a form by its octets alone; nothing is verified and no label is believed.
    ///
    /// - Parameter bytes: a credential without white space around it.
    init(recognising bytes: [UInt8]) {
        guard let first = bytes.first else {
            self = .unknown
            return
        }
        if first == UInt8(ascii: "{") {
            let found = (try? JSONScan.members(["proof", "@context"], of: bytes.span, limits: ReceivedCredential.limits)) ?? []
            self = found.contains { $0 != nil } ? .ldpVC : .unknown
        } else if bytes.allSatisfy({ (0x21...0x7E).contains($0) }) {
            self = Self.recognise(text: bytes)
        } else {
            self = Self.recognise(binary: bytes[...])
        }
    }

    /// Printable ASCII: JOSE texts by their dots and tildes, then CBOR in hex or base64url.
    private static func recognise(text: [UInt8]) -> CredentialForm {
        let dots = text.prefix { $0 != UInt8(ascii: "~") }.count { $0 == UInt8(ascii: ".") }
        if text.contains(UInt8(ascii: "~")) { return dots == 2 ? .sdJWT : .unknown }
        if dots == 2 { return .jwtVC }
        // A few octets are enough to see the outermost CBOR head.
        let head = text.prefix(8)
        if text.count % 2 == 0, let octets = Hexadecimal.decode(head), text.allSatisfy({ Hexadecimal.value($0) != nil }) {
            let form = recognise(binary: octets[...])
            if form != .unknown { return form }
        }
        guard let octets = Base64.decode(head) ?? Base64.decode(head.prefix(4)) else { return .unknown }
        return recognise(binary: octets[...])
    }

    /// CBOR: tag 61 (CWT, RFC 8392) or tag 18 (COSE_Sign1, RFC 9052) is a CWT; a map is an mdoc (ISO 18013-5 section 8.3.2.1.2.2).
    private static func recognise(binary: ArraySlice<UInt8>) -> CredentialForm {
        let head = Array(binary.prefix(2))
        guard let first = head.first else { return .unknown }
        if first == 0xD2 || (first == 0xD8 && head.count > 1 && head[1] == 61) { return .cwt }
        return (0xA1...0xB7).contains(first) || first == 0xBF ? .mdoc : .unknown
    }
}

import CBOR
import Cryptography

extension MobileDocument.DeviceProof {
    /// DeviceAuthenticationBytes: what the device signs, over this very session (mdoc.md section 6).
    ///
    /// - Parameters:
    ///   - transcript: SessionTranscript, encoded.
    ///   - nameSpaces: DeviceNameSpacesBytes as received.
    static func payload(transcript: [UInt8], docType: String, nameSpaces: CBORItem) -> [UInt8] {
        CBOREncoding.embedded(
            CBOREncoding.array([
                CBOREncoding.text("DeviceAuthentication"), transcript, CBOREncoding.text(docType), nameSpaces.source,
            ]))
    }

    private var message: MdocCOSE {
        switch self {
        case .signature(let message), .mac(let message): message
        }
    }

    /// Whether it carries what it is over, which is then equal to `payload`. Throws for another one: it is compared, and nothing more.
    func carries(_ payload: [UInt8]) throws(DocumentFault) -> Bool {
        guard let embedded = message.payload else { return false }
        guard embedded == payload else { throw .invalid(.devicePayload) }
        return true
    }

    /// Returns how the device proved that it holds `key`; throws where it did not.
    func verify(
        _ payload: [UInt8], with key: CurvePoint, _ macKeys: borrowing some DeviceMACKeys & ~Copyable
    ) throws(DocumentFault) -> DeviceAuthentication {
        switch self {
        case .signature(let message):
            guard message.algorithm == key.curve.signatureAlgorithm else { throw .invalid(.deviceAlgorithm) }
            guard message.isSigned(by: key, over: payload) else { throw .invalid(.deviceSignature) }
            return .signature
        case .mac(let message):
            guard message.algorithm == MdocCOSE.hmac else { throw .invalid(.deviceAlgorithm) }
            let tag = try Self.tag(over: message.structure(.mac0, payload: payload), key, macKeys)
            guard constantTimeEqual(tag.span, message.proof.span) else { throw .invalid(.deviceMAC) }
            return .mac
        }
    }

    private static func tag(
        over structure: [UInt8], _ key: CurvePoint, _ macKeys: borrowing some DeviceMACKeys & ~Copyable
    ) throws(DocumentFault) -> [UInt8] {
        do throws(CryptographyError) {
            let secret = try macKeys.deviceMACKey(for: key)
            return try MessageAuthentication.tag(of: structure.span, key: secret)
        } catch {
            throw .invalid(error == .algorithmMismatch ? .deviceMACCurve : error == .unavailable ? .unavailable : .deviceMAC)
        }
    }
}

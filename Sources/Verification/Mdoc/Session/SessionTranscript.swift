import CBOR
import Cryptography

/// What both sides saw of the beginning of a session (mdoc.md section 3): keys are derived from it, and the phone's key signs it, so that
/// an answer is worth nothing in any other session.
public struct SessionTranscript: Hashable, Sendable {
    /// How the engagement came over.
    public enum Handover: Hashable, Sendable {
        /// By a code.
        case code
        /// By NFC: the messages Handover Select and Handover Request. This gate has no NFC; recorded sessions have.
        case nfc(select: [UInt8], request: [UInt8]?)
    }

    /// SessionTranscript, the array of three.
    public let octets: [UInt8]

    /// - Parameters:
    ///   - engagement: the octets of DeviceEngagement as received.
    ///   - readerKey: EReaderKeyBytes, `#6.24(bstr COSE_Key)`.
    public init(engagement: [UInt8], readerKey: [UInt8], handover: Handover = .code) {
        let last =
            switch handover {
            case .code: CBOREncoding.null
            case .nfc(let select, let request):
                CBOREncoding.array([CBOREncoding.bytes(select), request.map { CBOREncoding.bytes($0) } ?? CBOREncoding.null])
            }
        octets = CBOREncoding.array([CBOREncoding.embedded(engagement), readerKey, last])
    }

    public init(engagement: DeviceEngagement, readerKey: [UInt8]) {
        self.init(engagement: engagement.octets, readerKey: readerKey)
    }

    /// SessionTranscriptBytes, `#6.24(bstr SessionTranscript)`.
    public var bytes: [UInt8] { CBOREncoding.embedded(octets) }

    /// SHA-256 of SessionTranscriptBytes: the salt of every key of the session. Throws `unavailable`.
    public func salt() throws(CryptographyError) -> [UInt8] {
        let bytes = bytes
        return try Digest.hash(bytes.span, .sha256)
    }
}

import CBOR
import Cryptography

/// A phone's DeviceEngagement: its ephemeral key, and how to reach it (mdoc.md section 1). Everything in it is the phone's word.
///
/// What was read stays as it was, octet for octet: the session's keys are derived from it.
public struct DeviceEngagement: Sendable {
    /// The engagement as it was in the code.
    public let octets: [UInt8]
    /// COSE_Key of the phone, as received.
    public let deviceKey: [UInt8]
    /// EDeviceKeyBytes, `#6.24(bstr COSE_Key)` as received, its tag's head included.
    public let deviceKeyBytes: [UInt8]
    let point: CurvePoint
    private let methods: RetrievalMethods

    private enum Member {
        static let version: Int64 = 0, security: Int64 = 1, retrieval: Int64 = 2
    }

    private static let cipherSuite: Int64 = 1
    /// Second editions count on from 1.0 and add members, which are passed over.
    private static let majorVersion = "1."
    /// Members and options of a generous engagement are a few dozen; the octets of a code bound the rest.
    private static let options = CBOROptions(
        form: .wellFormed, allowsIndefinite: true, bytes: EngagementText.longest, depth: 32, items: 1000)

    /// Octets of the value of the Ident characteristic.
    private static let identLength = 16

    /// From the text of a code. Throws why the gate cannot answer it.
    public init(qr text: String) throws(EngagementError) {
        try self.init(qr: Array(text.utf8))
    }

    /// From the text of a code, as the reader of codes gives it.
    public init(qr text: [UInt8]) throws(EngagementError) {
        try self.init(octets: try EngagementText.decode(text))
    }

    /// From the octets of the engagement.
    public init(octets: [UInt8]) throws(EngagementError) {
        guard let root = try? CBORDocument(parsing: octets, options: Self.options).root, root.kind == .map,
            let version = root[Member.version]?.text, let security = root[Member.security]?.elements, security.count >= 2,
            let suite = security[0].int64, let key = security[1].content(of: CBOREncoding.embeddedTag)?.bytes
        else { throw .notAnEngagement }
        guard version.utf8.starts(with: Self.majorVersion.utf8) else { throw .unsupportedVersion }
        guard suite == Self.cipherSuite else { throw .unsupportedCipherSuite }
        self.octets = octets
        deviceKey = key
        deviceKeyBytes = security[1].source
        point = try SessionKey.decode(key)
        methods = try Self.methods(root[Member.retrieval])
    }

    private static func methods(_ item: CBORItem?) throws(EngagementError) -> RetrievalMethods {
        guard let item else { throw .noUsableMethod }
        guard let list = item.elements else { throw .notAnEngagement }
        let methods = RetrievalMethods(list)
        guard methods.central != nil || methods.peripheral != nil else { throw .noUsableMethod }
        return methods
    }

    /// The curve of the phone's key, and so of the gate's.
    public var curve: NISTCurve { point.curve }

    /// The service's UUID, 16 octets big-endian, where the phone offers mdoc central client mode: the gate advertises it.
    public var central: [UInt8]? { methods.central }

    /// The service's UUID, 16 octets big-endian, where the phone offers mdoc peripheral server mode: the phone advertises it.
    public var peripheral: [UInt8]? { methods.peripheral }

    /// The PSM of an L2CAP channel to the phone that advertises, 0x80 to 0xFF.
    public var psm: UInt16? { methods.psm }

    /// Address of the phone that advertises, 6 octets as in the engagement. It may have another one by now.
    public var address: [UInt8]? { methods.address }

    /// The value of the Ident characteristic, 16 octets, by which a phone knows that it has found the gate that read its code (mdoc.md
    /// section 2.1). Throws `unavailable`.
    public func ident() throws(CryptographyError) -> [UInt8] {
        var derivation = try KeyDerivation()
        var ident = [UInt8](repeating: 0, count: Self.identLength)
        let info = Array("BLEIdent".utf8), key = deviceKeyBytes
        var output = ident.mutableSpan
        try output.withUnsafeMutableBytes { (output) throws(CryptographyError) in
            try derivation.fill(output, from: key.span, salt: Span(), info: info.span)
        }
        return ident
    }
}

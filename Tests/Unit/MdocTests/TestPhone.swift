import CBOR
import Cryptography
import Testing

@testable import Mdoc

/// An engagement put together piece by piece, so that each piece can be another one.
struct TestEngagement {
    static let uuid = [UInt8](0x10..<0x20)

    var version: [UInt8] = CBOREncoding.text("1.0")
    var suite: [UInt8] = CBOREncoding.unsigned(1)
    /// COSE_Key.
    var key: [UInt8]
    /// Encodings of retrieval methods; nil leaves the member away.
    var methods: [[UInt8]]? = [TestEngagement.bluetooth([(1, CBOREncoding.bool(true)), (11, CBOREncoding.bytes(uuid))])]
    /// Members more.
    var more: [(key: [UInt8], value: [UInt8])] = []

    static func bluetooth(version: UInt64 = 1, _ options: [(Int64, [UInt8])]) -> [UInt8] {
        CBOREncoding.array([
            CBOREncoding.unsigned(2), CBOREncoding.unsigned(version),
            CBOREncoding.map(options.map { (CBOREncoding.integer($0.0), $0.1) }),
        ])
    }

    var octets: [UInt8] {
        var members = [
            (key: CBOREncoding.unsigned(0), value: version),
            (CBOREncoding.unsigned(1), CBOREncoding.array([suite, CBOREncoding.embedded(key)])),
        ]
        if let methods { members.append((CBOREncoding.unsigned(2), CBOREncoding.array(methods))) }
        return CBOREncoding.map(members + more)
    }

    /// Why it is refused; nil where it is not.
    var refusal: EngagementError? {
        do throws(EngagementError) {
            _ = try DeviceEngagement(octets: octets)
            return nil
        } catch {
            return error
        }
    }
}

/// The phone's side of a session: the gate's own ciphers the other way round. That they are the standard's is what Annex D shows.
struct TestPhone: ~Copyable {
    let engagement: DeviceEngagement
    private let pair: CurveAgreement
    private var reading: SessionCipher?
    private var writing: SessionCipher?

    init(_ curve: NISTCurve = .p256, methods: [[UInt8]]? = nil) throws {
        let pair = try CurveAgreement(curve)
        var engagement = TestEngagement(key: SessionKey.encode(curve, point: pair.point))
        if let methods { engagement.methods = methods }
        self.engagement = try DeviceEngagement(octets: engagement.octets)
        self.pair = pair
    }

    /// Derives the phone's keys from the gate's transcript and key.
    mutating func meet(_ session: borrowing ReaderSession) throws {
        try meet(session.readerKeyBytes, session.transcript)
    }

    /// The same from EReaderKeyBytes.
    mutating func meet(_ readerKeyBytes: [UInt8], _ transcript: SessionTranscript) throws {
        let key = try CBORDocument(parsing: readerKeyBytes).root.content(of: 24)?.bytes ?? []
        let secret = try pair.agree(with: try SessionKey.decode(key))
        let salt = try transcript.salt()
        reading = try SessionCipher(.reader, sharing: secret, salt: salt)
        writing = try SessionCipher(.device, sharing: secret, salt: salt)
    }

    /// SessionData of the phone.
    mutating func say(_ plaintext: [UInt8], status: UInt64? = nil) throws -> [UInt8] {
        guard var cipher = writing.take() else { return [] }
        let data = try cipher.seal(plaintext.span)
        writing = consume cipher
        var members = [(key: CBOREncoding.text("data"), value: CBOREncoding.bytes(data))]
        if let status { members.append((CBOREncoding.text("status"), CBOREncoding.unsigned(status))) }
        return CBOREncoding.map(members)
    }

    /// What a message of the gate holds.
    mutating func read(_ message: [UInt8]) throws -> [UInt8] {
        guard var cipher = reading.take(), let data = try CBORDocument(parsing: message).root["data"]?.bytes else { return [] }
        let plaintext = try cipher.open(data)
        reading = consume cipher
        return plaintext.array()
    }
}

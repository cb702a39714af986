import CBOR
import Cryptography
import Envelopes

@testable import Mdoc

/// A code on a phone's screen: the first octet says whether the rest is its text, or the octets that the text stands for.
func fuzzEngagement(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let mode = octets.first else { return }
    let rest = Array(octets.dropFirst())
    let isText = mode & 1 == 1
    guard let engagement = try? isText ? DeviceEngagement(qr: rest) : DeviceEngagement(octets: rest) else { return }
    require(isText || engagement.octets == rest, "what was read stays as it was")
    require(engagement.central ?? engagement.peripheral != nil, "there is a way to the phone")
    for uuid in [engagement.central, engagement.peripheral] { require(uuid.map { $0.count == 16 } ?? true, "a UUID has 16 octets") }
    require(engagement.address.map { $0.count == 6 } ?? true, "an address has 6 octets")
    require(engagement.psm.map { (0x80...0xFF).contains($0) && engagement.peripheral != nil } ?? true, "a PSM is a dynamic one")
    require(!engagement.bearers().isEmpty, "a way to the phone is a bearer")
    let text = Array("mdoc:".utf8) + Base64.encodeURL(engagement.octets)
    require((try? DeviceEngagement(qr: text))?.octets == engagement.octets, "the shortest text of it is read the same")
    require((try? engagement.ident())?.count == 16, "there is an Ident")
    require((try? ReaderSession(engagement)) != nil, "a session can be begun")
}

/// A message of the phone: the first octet says whether the rest is the message, or what is sealed in one.
func fuzzSessionData(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let mode = octets.first else { return }
    let rest = Array(octets.dropFirst())
    guard var session = try? recordedSession() else { return require(false, "the recorded session can be begun") }
    let isSealed = mode & 1 == 1
    let message = isSealed ? SessionData.encode(sealed(rest)) : rest
    do throws(SessionEnd) {
        let opened = try session.open(message.span)
        let plaintext = opened.plaintext.withOctets { octets in octets.indices.map { octets[$0] } }
        require(plaintext == (isSealed ? rest : recordedText), "only what the phone sealed opens")
        require(session.hasEnded == (opened.status != nil), "a status ends the session, and nothing else that opens does")
    } catch {
        require(!isSealed, "what the phone sealed opens")
        require(session.hasEnded, "a failure is final")
        let answer = error.answer.flatMap { SessionData($0.span) }
        require(error.answer == nil || answer?.status != nil, "what is owed to the phone is a status")
    }
}

private let gate: [UInt8] = (0..<32).map { UInt8($0) &+ 1 }
private let phone: [UInt8] = (0..<32).map { UInt8($0) &+ 33 }

private func recordedEngagement() throws -> [UInt8] {
    let pair = try CurveAgreement(.p256, privateKey: phone.span)
    return CBOREncoding.map([
        (CBOREncoding.unsigned(0), CBOREncoding.text("1.0")),
        (
            CBOREncoding.unsigned(1),
            CBOREncoding.array([
                CBOREncoding.unsigned(1), CBOREncoding.embedded(SessionKey.encode(.p256, point: pair.point)),
            ])
        ),
        (CBOREncoding.unsigned(2), CBOREncoding.array([bluetooth])),
    ])
}

private let bluetooth = CBOREncoding.array([
    CBOREncoding.unsigned(2), CBOREncoding.unsigned(1),
    CBOREncoding.map([
        (CBOREncoding.unsigned(0), CBOREncoding.bool(true)), (CBOREncoding.unsigned(1), CBOREncoding.bool(true)),
        (CBOREncoding.unsigned(10), CBOREncoding.bytes([UInt8](repeating: 1, count: 16))),
        (CBOREncoding.unsigned(11), CBOREncoding.bytes([UInt8](repeating: 2, count: 16))),
        (CBOREncoding.unsigned(20), CBOREncoding.bytes([UInt8](repeating: 3, count: 6))),
        (CBOREncoding.unsigned(21), CBOREncoding.unsigned(0x81)),
    ]),
])

private func recordedSession() throws -> ReaderSession {
    let engagement = try DeviceEngagement(octets: try recordedEngagement())
    return try ReaderSession(engagement, pair: try CurveAgreement(.p256, privateKey: gate.span))
}

/// Ciphertext and tag of the phone's first message.
private func sealed(_ plaintext: [UInt8]) -> [UInt8] {
    do {
        let session = try recordedSession()
        let key = try CBORDocument(parsing: session.readerKeyBytes).root.content(of: 24)?.bytes ?? []
        let secret = try CurveAgreement(.p256, privateKey: phone.span).agree(with: try SessionKey.decode(key))
        var cipher = try SessionCipher(.device, sharing: secret, salt: try session.transcript.salt())
        return try cipher.seal(plaintext.span)
    } catch {
        fatalError("\(error)")
    }
}

/// What a stranger may have heard, and what it holds.
private let recordedText = Array("a response".utf8)
private let recorded = sealed(recordedText)

let engagementSeeds: [[UInt8]] = {
    guard let octets = try? recordedEngagement() else { return [] }
    let digits = Base64.encodeURL(octets)
    return [[0] + octets, [1] + Array("mdoc:".utf8) + digits, [1] + Array("MDOC://".utf8) + digits + Array("==".utf8)]
}()

let sessionDataSeeds: [[UInt8]] = [
    [0] + SessionData.encode(recorded), [0] + SessionData.encode(SessionStatus.termination), [1] + recordedText,
    [0, 0xA2] + SessionData.encode(recorded).dropFirst() + SessionData.encode(SessionStatus.termination).dropFirst(),
    [0, 0xBF, 0x64] + Array("data".utf8) + [0x5F] + CBOREncoding.bytes(recorded) + [0xFF, 0xFF],
]

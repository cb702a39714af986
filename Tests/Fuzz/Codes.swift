import JSON
import TestSupport

@testable import CBOR
@testable import Credentials
@testable import Envelopes
@testable import Trust

/// The text of a code as a camera reads it. What is accepted says what a stranger could have recorded, and nothing else.
func fuzzCode(_ octets: UnsafeBufferPointer<UInt8>) {
    let first = CodeContent(reading: octets.span), again = CodeContent(reading: octets.span, prefix: [])
    require(octetsAndKind(first) == octetsAndKind(again), "a text is one thing")
    if let decoded = Base45.decode(octets.span) { require(base45(decoded).elementsEqual(octets), "a text has one value") }
    for prefix: [UInt8] in [Array("A:".utf8), Array(octets.prefix(3))] {
        if case .credential(let received) = CodeContent(reading: octets.span, prefix: prefix) { judge(received) }
    }
    guard case .credential(let received) = first else { return }
    judge(received)
}

private func octetsAndKind(_ content: CodeContent) -> [UInt8] {
    switch content {
    case .credential(let received): [0] + received.bytes
    case .engagement: [1]
    case .refused(let reason): [2] + Array(reason.code.utf8)
    case .ignored(let reason): [3, reason.rawValue]
    }
}

/// `C`: octets that a stranger compressed himself. `T`: what he has compressed, whatever it is.
func fuzzPixelPass(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let kind = octets.first else { return }
    let rest = Array(octets.dropFirst())
    let text = kind == UInt8(ascii: "C") ? base45(rest) : pixelPass(rest)
    guard let content = try? PixelPass.content(of: text.span) else { return }
    switch content {
    case .token(let token):
        require(token.count <= PixelPass.longest && (try? CBORDocument(parsing: token)) != nil, "a token is CBOR")
        if kind != UInt8(ascii: "C") { require(token == rest, "what goes in comes out") }
    case .text(let text):
        require(String(validating: text, as: UTF8.self) != nil, "a text is UTF-8")
        guard kind != UInt8(ascii: "C"), let head = rest.first, (0x80...0xBB).contains(head) else { break }
        guard let document = try? JSONDocument(parsing: text), let item = try? CBORDocument(parsing: rest).root else {
            return require(false, "what CBOR becomes is JSON")
        }
        require(isSame(document.root, item), "values stay what they were")
    }
    if case .credential(let received) = CodeContent(reading: text.span) { judge(received) }
}

private func isSame(_ value: JSONValue, _ item: CBORItem) -> Bool {
    switch item.kind {
    case .map:
        guard let members = value.members.map(Array.init), let pairs = item.pairs, members.count == pairs.count else { return false }
        return zip(members, pairs).allSatisfy { $0.key.stringBytes == $1.key.textBytes && isSame($0.value, $1.value) }
    case .array:
        guard let elements = value.elements.map(Array.init), let items = item.elements, elements.count == items.count else { return false }
        return zip(elements, items).allSatisfy { isSame($0, $1) }
    case .text: return value.stringBytes == item.textBytes
    case .unsigned, .negative: return value.number?.lexeme == item.integer.map { "\($0)" }
    case .float: return value.double == item.float?.double
    case .simple: return item.isNull ? value.isNull : value.bool == item.bool && item.bool != nil
    case .bytes, .tag: return false
    }
}

/// The value of claim 169, whatever it is, signed by the issuer: in a code it is what it is over the air.
func fuzzIdentity(_ octets: UnsafeBufferPointer<UInt8>) {
    let payload = [0xA2, 0x01, 0x60 | UInt8(Issuer.id.utf8.count)] + Array(Issuer.id.utf8) + [0x18, 0xA9] + Array(octets)
    let token = Binary.token(payload)
    let verdict = Linked.verifier.verify(token, at: Issuer.now)
    let code = pixelPass(token)
    if code.count <= CodeContent.longest {
        guard case .credential(let received) = CodeContent(reading: code.span) else { return require(false, "a token is a credential") }
        let other = Linked.verifier.verify(received, at: Issuer.now)
        require(other.reasons == verdict.reasons, "the way here does not matter")
        require(other.credential?.claims.root.source == verdict.credential?.claims.root.source, "nor does it to the claims")
    }
    guard let credential = verdict.credential, let members = credential.claims.root.members else { return }
    for member in members {
        guard let claim = IdentityClaim(label: member.name) else { continue }
        require(!claim.isBiometric, "biometrics are not read")
        require(credential.labels?.contains { $0.label == member.name && $0.name == claim.name } == true, "a claim has its name")
    }
    for role in ClaimRole.allCases { _ = credential.claim(role)?.source }
    if let portrait = credential.portrait, portrait.hasPrefix("data:") {
        let digits = portrait.utf8.drop { $0 != UInt8(ascii: ",") }.dropFirst()
        let isSigned = Array(octets).contains(portrait.utf8)
        require(isSigned || Base64.decode(Array(digits)[...], alphabet: .standard) != nil, "a data URI is base64, or was signed so")
    }
}

/// A stranger's credential: refused, or one that he recorded.
private func judge(_ received: ReceivedCredential) {
    require(received.isFromCode && received.bytes.count <= PixelPass.longest, "a code holds little")
    guard let credential = Linked.verifier.verify(received, at: Issuer.now).credential, credential.form == .cwt else { return }
    require(credential.claims.root.source == Binary.recorded, "no claim was changed")
}

private let document: [UInt8] = Array(#"{"@context":["https://www.w3.org/2018/credentials/v1"],"proof":{},"n":[1,-2.5,true]}"#.utf8)
private let documentCBOR: [UInt8] =
    [0xA3, 0x68] + Array("@context".utf8) + [0x80, 0x65] + Array("proof".utf8) + [
        0xA0, 0x61, 0x6E, 0x86, 0x01, 0x38, 0x20, 0xFB, 0x40, 0x14,
    ]
    + [0, 0, 0, 0, 0, 0, 0xF9, 0x3E, 0x00, 0xF6, 0x63, 0xE2, 0x82, 0xAC]

let codeSeeds: [[UInt8]] = [
    pixelPass(Binary.good), pixelPass(Array(Binary.good.dropFirst(3))), pixelPass(document), pixelPass(documentCBOR), document,
    Array("NCFKVPV0QSIP600GP5L0".utf8), Array("mdoc:owBjMS4w".utf8), Array("HC1:NCF".utf8), Array("https://example.org".utf8),
    Array("eyJh.eyJh.YWJj~".utf8), Array(Hex.text(Binary.good).utf8), Array("OPENID4VP://X".utf8),
    Array(#"{"verifiableCredential":{"credential":"eyJh.eyJh.YWJj~"}}"#.utf8), Array("A:".utf8) + pixelPass(documentCBOR),
]

let pixelPassSeeds: [[UInt8]] =
    [Binary.good, document, documentCBOR, Array("hello".utf8), [0x84, 0x40, 0xA0, 0x40, 0x40], [0xD0, 0x83, 0x40, 0xA0, 0x40]].flatMap {
        [[UInt8(ascii: "T")] + $0, [UInt8(ascii: "C")] + deflated($0, windowBits: 15, level: 9)]
    }

let identitySeeds: [[UInt8]] = [
    [0xA2, 0x04, 0x61, 0x61, 0x10, 0x43, 0xFF, 0xD8, 0xFF], [0xA2, 0x10, 0x66] + Array("ffd8ff".utf8) + [0x11, 0x04],
    [0xA1, 0x18, 0x3E, 0x81, 0xA3, 0x00, 0x43, 0xFF, 0xD8, 0xFF, 0x01, 0x00, 0x02, 0x04], [0x44, 0xA1, 0x04, 0x61, 0x61],
    [0xA1, 0x62] + Array("62".utf8) + [0xA3, 0x61, 0x30, 0x66] + Array("ffd8ff".utf8) + [0x61, 0x31, 0x00, 0x61, 0x32, 0x04],
    [0xA1, 0x18, 0x3E, 0xA3, 0x00, 0x64] + Array("5249".utf8) + [0x01, 0x00, 0x02, 0x00],
    [0xA3, 0x08, 0x68] + Array("19900517".utf8) + [0x12, 0x82, 0x01, 0x02, 0x18, 0x32, 0x80],
]

import Cryptography
import TestSupport

@testable import CBOR
@testable import Envelopes
@testable import Mdoc

/// A DeviceResponse as a stranger can send it: whatever it is, nobody whom the gate trusts has signed it, but for the one that is recorded.
func fuzzResponse(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let macKeys = Documents.macKeys(), let result = try? Documents.verify(octets.span, macKeys) else { return }
    require(result.documents.count <= ResponseLimits.documents, "documents have a bound")
    require(result.status == 0 || result.documents.isEmpty, "another status has no documents")
    for document in result.documents {
        require((document.fault == nil) == (document.detail == nil), "a fault has its detail")
        guard document.fault == nil else {
            require(document.claims.isEmpty && document.deviceClaims.isEmpty, "no claims beside a fault")
            continue
        }
        require(Documents.isRecorded(document), "no claim was changed")
    }
}

/// `O`: the contents of a security object; `C`: a COSE structure; `S`: a status list's bits and index; `K`: a device's key; otherwise a
/// document by itself. None of them may trap, and what is read keeps to its bounds.
func fuzzSecurityObject(_ octets: UnsafeBufferPointer<UInt8>) {
    let rest = Array(octets.dropFirst())
    switch octets.first {
    case UInt8(ascii: "O"):
        guard let object = try? SecurityObject(payload: CBOREncoding.embedded(rest)) else { return }
        require(object.digests.count <= ResponseLimits.nameSpaces, "namespaces have a bound")
        _ = object.authorizations.allow("a", "b")
    case UInt8(ascii: "C"):
        guard let item = try? CBORDocument(parsing: rest, options: ResponseLimits.options).root else { return }
        for kind in [MdocCOSE.Kind.sign1, .mac0] {
            guard let message = try? MdocCOSE(item, kind) else { continue }
            require(message.structure(kind, payload: []).count > message.protected.count, "the protected header is signed")
        }
    case UInt8(ascii: "S"):
        var script = Script(octets)
        _ = script.octet()
        let bits = UInt64(script.octet() & 15), index = UInt64(script.word()) << UInt64(script.octet() & 63)
        if let value = StatusListBits.value(at: index, bits: bits, script.take(octets.count)) {
            require(UInt64(value) < UInt64(1) << bits && index < StatusListBits.longest * 8, "an entry is in the list")
        }
    case UInt8(ascii: "K"):
        if let point = try? SessionKey.decode(rest) { require(NISTCurve.allCases.contains(point.curve), "a key is on a curve of NIST") }
    default:
        guard let item = try? CBORDocument(parsing: octets.span, options: ResponseLimits.options).root,
            let document = try? MobileDocument(item)
        else { return }
        require(document.items.reduce(0) { $0 + $1.items.count } <= ResponseLimits.items, "items have a bound")
    }
}

/// A recorded visit: its response is accepted, and nothing else is.
private enum Documents {
    static var document: TestDocument { TestDocument() }

    static func macKeys() -> TestMACKeys? {
        try? TestMACKeys(.p256, privateKey: [UInt8](repeating: 7, count: 32), transcript: TestDocument.transcript)
    }

    static let trust: MdocTrust = {
        do { return try MdocTrust.test() } catch { fatalError("\(error)") }
    }()

    static let response: [UInt8] = {
        guard let macKeys = macKeys(), let octets = try? document.octets(macKeys) else { fatalError("no document") }
        return TestDocument.response([octets])
    }()

    static func verify(_ octets: Span<UInt8>, _ macKeys: borrowing TestMACKeys) throws(ResponseError) -> DeviceResponseResult {
        try MdocVerifier(trust: trust).verify(
            response: octets, transcript: TestDocument.transcript, requested: [TestDocument.docType], macKeys: macKeys,
            now: DocumentFixtures.now)
    }

    /// A holder may hand over less; what is handed over is what the issuer wrote.
    static func isRecorded(_ result: DocumentResult) -> Bool {
        guard result.docType == TestDocument.docType, result.deviceClaims.isEmpty else { return false }
        return result.claims.nameSpaces.allSatisfy { nameSpace in
            nameSpace.elements.allSatisfy { element in
                nameSpace.name == TestDocument.nameSpace
                    && document.items.contains { $0.identifier == element.identifier && $0.value == element.value.source }
            }
        }
    }
}

let responseSeeds: [[UInt8]] = [
    Documents.response, TestDocument.response([[0xA0]], status: 10), TestDocument.response([]),
    CBOREncoding.map([
        (CBOREncoding.text("version"), CBOREncoding.text("1.0")),
        (CBOREncoding.text("documentErrors"), CBOREncoding.array([CBOREncoding.map([(CBOREncoding.text("a"), [0])])])),
        (CBOREncoding.text("status"), [0]),
    ]),
]

let securityObjectSeeds: [[UInt8]] = {
    guard let macKeys = Documents.macKeys(), let document = try? Documents.document.octets(macKeys),
        let root = try? CBORDocument(parsing: document).root, let cose = root["issuerSigned"]?["issuerAuth"],
        let object = try? cose.elements?[2].embedded().root.content(of: 24)?.bytes
    else { fatalError("no document") }
    return [
        document, [UInt8(ascii: "O")] + object, [UInt8(ascii: "C")] + cose.source,
        [UInt8(ascii: "K")] + SessionKey.encode(.p256, point: Hex.bytes(DocumentFixtures.devicePoint)),
        [UInt8(ascii: "S"), 2, 1, 0, 0] + deflated([0b11_10_01_00], windowBits: 15),
    ]
}()

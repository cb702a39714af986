import CBOR
import Cryptography
import Envelopes
import TestSupport
import Testing

@testable import Mdoc

/// Whether a document was withdrawn (mdoc.md section 6.3).
struct ChainStatusTests {
    static let uri = "https://issuer.example/status"

    /// A token of the test issuer's.
    struct Token {
        var type = "application/statuslist+cwt"
        var subject = ChainStatusTests.uri
        var expires: Int64? = DocumentFixtures.now + 1000
        var life: Int64?
        var bits: UInt64 = 2
        var list: [UInt8] = [0b11_10_01_00]
        var compressed: [UInt8]?
        var identifiers: [[UInt8]]?
        var key = DocumentFixtures.signerKey

        func octets() throws -> [UInt8] {
            var claims = [(key: CBOREncoding.unsigned(2), value: CBOREncoding.text(subject))]
            if let expires { claims.append((CBOREncoding.unsigned(4), CBOREncoding.integer(expires))) }
            claims.append((CBOREncoding.unsigned(6), CBOREncoding.integer(DocumentFixtures.now - 100)))
            if let life { claims.append((CBOREncoding.unsigned(65534), CBOREncoding.integer(life))) }
            if let identifiers {
                let map = CBOREncoding.map(identifiers.map { (CBOREncoding.bytes($0), CBOREncoding.map([])) })
                claims.append((CBOREncoding.unsigned(65530), CBOREncoding.map([(CBOREncoding.text("identifiers"), map)])))
            } else {
                let list = CBOREncoding.map([
                    (CBOREncoding.text("bits"), CBOREncoding.unsigned(bits)),
                    (CBOREncoding.text("lst"), CBOREncoding.bytes(compressed ?? deflated(self.list, windowBits: 15))),
                ])
                claims.append((CBOREncoding.unsigned(65533), list))
            }
            let payload = CBOREncoding.map(claims)
            let protected = TestDocument.protected(
                -7,
                [
                    (CBOREncoding.unsigned(16), CBOREncoding.text(type)),
                    (CBOREncoding.unsigned(33), CBOREncoding.bytes(hex(DocumentFixtures.signer))),
                ])
            return try TestDocument.signed(payload, protected: protected, unprotected: [], key: key, carries: payload)
        }
    }

    private static func entry(_ index: UInt64) -> [UInt8] {
        CBOREncoding.map([
            (
                CBOREncoding.text("status_list"),
                CBOREncoding.map([
                    (CBOREncoding.text("idx"), CBOREncoding.unsigned(index)), (CBOREncoding.text("uri"), CBOREncoding.text(uri)),
                ])
            )
        ])
    }

    private static func identifier(_ id: [UInt8]) -> [UInt8] {
        CBOREncoding.map([
            (
                CBOREncoding.text("identifier_list"),
                CBOREncoding.map([
                    (CBOREncoding.text("id"), CBOREncoding.bytes(id)), (CBOREncoding.text("uri"), CBOREncoding.text(uri)),
                ])
            )
        ])
    }

    private func verdict(
        _ reference: [UInt8], skips: Bool = false, _ change: (inout Token) -> Void = { _ in }
    ) throws -> DocumentResult {
        var token = Token()
        change(&token)
        let trust = try MdocTrust.test(tokens: [MdocTrust.StatusToken(uri: Self.uri, octets: try token.octets())])
        return try judge(changed { $0.status = reference }, trust, settings: .init(skipsStatus: skips))
    }

    @Test func everyValueHasItsMeaning() throws {
        let good = try verdict(Self.entry(0))
        #expect(good.fault == nil && good.statusAge == 100)
        #expect(try verdict(Self.entry(1)).fault == .statusRevoked)
        #expect(try verdict(Self.entry(2)).fault == .statusSuspended)
        #expect(try verdict(Self.entry(3)).fault == .statusUnknown)
        #expect(try verdict(Self.entry(1)).claims.isEmpty)
        #expect(try verdict(Self.entry(1), skips: true).fault == nil)
    }

    @Test func everyDoubtIsUnknown() throws {
        func detail(_ index: UInt64 = 1, _ change: @escaping (inout Token) -> Void) throws -> MdocDetail? {
            let result = try verdict(Self.entry(index), change)
            #expect(result.fault == .statusUnknown)
            return result.detail
        }
        #expect(try detail { $0.type = "application/cwt" } == .statusUnusable)
        #expect(try detail { $0.subject = "https://elsewhere.example" } == .statusUnusable)
        #expect(try detail { $0.expires = DocumentFixtures.now } == .statusUnusable)
        #expect(try detail { $0.key = DocumentFixtures.deviceKey } == .statusUnusable)
        #expect(try detail { $0.bits = 3 } == .statusUnusable)
        #expect(try detail(4) { _ in } == .statusUnusable)
        #expect(try detail(.max) { _ in } == .statusUnusable)
        #expect(try detail { $0.compressed = deflated([0], windowBits: 15) + [0] } == .statusUnusable)
        #expect(try detail { $0.compressed = deflated([0], windowBits: -15) } == .statusUnusable)
        #expect(try detail { $0.compressed = Array(deflated([0, 1, 2], windowBits: 15).dropLast()) } == .statusUnusable)
        #expect(try detail { $0.identifiers = [] } == .statusUnusable)
        #expect(try judge(changed { $0.status = Self.entry(0) }).detail == .statusMissing)
    }

    @Test func aListMayBeLongButNotEndless() throws {
        var octets = [UInt8](repeating: 0, count: Int(StatusListBits.longest))
        octets[octets.count - 1] = 1
        let longest = deflated(octets, windowBits: 15)
        #expect(StatusListBits.value(at: UInt64(octets.count) - 1, bits: 8, longest) == 1)
        #expect(StatusListBits.value(at: UInt64(octets.count), bits: 8, longest) == nil)
        #expect(StatusListBits.value(at: 0, bits: 8, deflated(octets + [0], windowBits: 15)) == nil)
    }

    @Test func aTokenPastItsLifeIsAWarning() throws {
        #expect(try verdict(Self.entry(0)) { $0.life = 40 }.warnings.contains(.statusStale(60)))
        #expect(try verdict(Self.entry(0)) { $0.life = 100 }.warnings == [.revocationListMissing])
    }

    @Test func anIdentifierOfTheListIsRevoked() throws {
        #expect(try verdict(Self.identifier([1])) { $0.identifiers = [[1], [2]] }.fault == .statusRevoked)
        #expect(try verdict(Self.identifier([3])) { $0.identifiers = [[1], [2]] }.fault == nil)
        #expect(try verdict(Self.identifier([3])).fault == .statusUnknown, "a status list is no list of identifiers")
    }
}

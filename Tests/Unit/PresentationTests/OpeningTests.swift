import CZlib
import Cryptography
import TestSupport
import Testing

@testable import Presentation

@Suite struct OpeningTests {
    static let key: [UInt8] = (0..<32).map { UInt8($0) &* 7 }
    static let nonce: [UInt8] = (0..<12).map { UInt8($0) }
    static let text = Array(#"{"verifiableCredential":{"credential":{"id":"urn:1","credentialSubject":{"name":"Asha"}}}}"#.utf8)

    static func sealed(_ compressed: [UInt8]) throws -> [UInt8] {
        var cipher = try AuthenticatedCipher()
        var message = compressed + [UInt8](repeating: 0, count: 16)
        try message.withUnsafeMutableBytes { try cipher.seal($0, key: key.span, nonce: nonce.span) }
        return message
    }

    /// The payload, or why there is none. Checks what must hold either way: a refused message is wiped and no payload
    /// is readable.
    static func open(
        _ message: [UInt8], _ opener: inout MessageOpener, key: [UInt8] = key, nonce: [UInt8] = nonce
    ) -> Result<[UInt8], OpeningError> {
        var buffer = message
        let result: Result<Int, OpeningError> = buffer.withUnsafeMutableBytes { buffer in
            do throws(OpeningError) {
                return .success(try opener.open(buffer, key: key.span, nonce: nonce.span))
            } catch {
                return .failure(error)
            }
        }
        let payload = opener.withPayload { span in span.indices.map { span[$0] } }
        switch result {
        case .success(let count):
            #expect(payload.count == count)
            return .success(payload)
        case .failure(let error):
            #expect(payload.isEmpty)
            #expect(buffer.allSatisfy { $0 == 0 })
            return .failure(error)
        }
    }

    static func openCompressed(_ compressed: [UInt8], _ opener: inout MessageOpener) throws -> Result<[UInt8], OpeningError> {
        open(try sealed(compressed), &opener)
    }

    static func noise(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 0x9e37_79b9_7f4a_7c15)
        return random.bytes(count)
    }

    @Test func storedFixedAndDynamicBlocksInflate() throws {
        var opener = try MessageOpener()
        let long = Array(repeating: Self.text, count: 2000).flatMap { $0 } + Self.noise(100_000)
        for payload in [Self.text, [0x7b], long] {
            for form in [Gzip(level: 0), Gzip(strategy: Z_FIXED), Gzip(), Gzip(level: 9), Gzip(strategy: Z_HUFFMAN_ONLY)] {
                #expect(try Self.openCompressed(form.member(payload), &opener) == .success(payload))
            }
        }
    }

    @Test func everyHeaderFieldIsAccepted() throws {
        var opener = try MessageOpener()
        for selection in 0..<16 {
            var form = Gzip()
            if selection & 1 != 0 { form.extra = [1, 2, 3, 0, 0xff] }
            if selection & 2 != 0 { form.name = Array("credential.json".utf8) }
            if selection & 4 != 0 { form.comment = Array("from the wallet".utf8) }
            if selection & 8 != 0 { form.hasHeaderCRC = true }
            for system: UInt8 in [0, 3, 13, 255] {
                form.operatingSystem = system
                #expect(try Self.openCompressed(form.member(Self.text), &opener) == .success(Self.text), "\(selection)")
            }
        }
        // FTEXT is a hint and changes nothing; the longest extra field is 65,535 bytes.
        #expect(try Self.openCompressed(Gzip(flags: 1).member(Self.text), &opener) == .success(Self.text))
        let long = Gzip(extra: Self.noise(65_535), name: [UInt8](repeating: 0x61, count: 5000), hasHeaderCRC: true)
        #expect(try Self.openCompressed(long.member(Self.text), &opener) == .success(Self.text))
    }

    @Test func wrongHeadersAreRefused() throws {
        var opener = try MessageOpener()
        for flag: UInt8 in [0x20, 0x40, 0x80, 0xe0] {
            #expect(try Self.openCompressed(Gzip(flags: flag).member(Self.text), &opener) == .failure(.corrupt))
        }
        let broken = Gzip(hasHeaderCRC: true, breaksHeaderCRC: true)
        #expect(try Self.openCompressed(broken.member(Self.text), &opener) == .failure(.corrupt))
        for method: UInt8 in [0, 7, 9, 15] {
            #expect(try Self.openCompressed(Gzip(method: method).member(Self.text), &opener) == .failure(.corrupt))
        }
        #expect(try Self.openCompressed(Self.text, &opener) == .failure(.notGzip))
        #expect(try Self.openCompressed([0x1f, 0x8c] + Self.text, &opener) == .failure(.notGzip))
        // zlib's own format is not gzip.
        #expect(try Self.openCompressed([0x78, 0x9c] + Self.text, &opener) == .failure(.notGzip))
    }

    @Test func everyTruncationOfTheMemberIsRefused() throws {
        var opener = try MessageOpener()
        let forms = [
            Gzip(level: 0), Gzip(strategy: Z_FIXED), Gzip(),
            Gzip(extra: [1, 2, 3], name: Array("n".utf8), comment: Array("c".utf8), hasHeaderCRC: true),
        ]
        for form in forms {
            let member = form.member(Self.text)
            for length in 1..<member.count {
                #expect(try Self.openCompressed(Array(member.prefix(length)), &opener) == .failure(.truncated), "\(length)")
            }
            #expect(try Self.openCompressed(member, &opener) == .success(Self.text))
        }
    }

    @Test func everyTruncationOfTheMessageIsRefused() throws {
        var opener = try MessageOpener()
        let message = try Self.sealed(Gzip().member(Self.text))
        for length in 0..<message.count {
            let expected: OpeningError = length < 16 ? .tooShort : .authenticationFailed
            #expect(Self.open(Array(message.prefix(length)), &opener) == .failure(expected))
        }
    }

    @Test func aTagAloneAndAMemberOfNothingAreEmptyPayloads() throws {
        var opener = try MessageOpener()
        #expect(try Self.openCompressed(Gzip().member([]), &opener) == .failure(.empty))
        #expect(try Self.openCompressed(Gzip(level: 0).member([]), &opener) == .failure(.empty))
        #expect(Self.open(try Self.sealed([]), &opener) == .failure(.empty))
        #expect(Self.open([UInt8](repeating: 0, count: 16), &opener) == .failure(.authenticationFailed))
    }

    @Test func nothingMayFollowTheMember() throws {
        var opener = try MessageOpener()
        let member = Gzip().member(Self.text)
        for tail in [[0], [0x1f], [0, 0, 0, 0], member, Gzip().member([])] {
            #expect(try Self.openCompressed(member + tail, &opener) == .failure(.trailingBytes))
        }
    }

    @Test func crcAndSizeAreChecked() throws {
        var opener = try MessageOpener()
        for form in [Gzip(crcDelta: 1), Gzip(crcDelta: 0x8000_0000), Gzip(sizeDelta: 1), Gzip(sizeDelta: 0x100)] {
            #expect(try Self.openCompressed(form.member(Self.text), &opener) == .failure(.corrupt))
        }
    }

    @Test func theCapIsExact() throws {
        var small = try MessageOpener(payloadCap: 1000)
        for form in [Gzip(), Gzip(level: 0)] {
            for payload in [[UInt8](repeating: 0x20, count: 1000), Self.noise(1000)] {
                #expect(try Self.openCompressed(form.member(payload), &small) == .success(payload))
                #expect(try Self.openCompressed(form.member(payload + [1]), &small) == .failure(.tooLarge))
            }
        }
    }

    @Test func aBombStopsAtTheCap() throws {
        var opener = try MessageOpener()
        let cap = MessageOpener.payloadCap
        let bomb = Gzip(level: 9).member([UInt8](repeating: 0, count: cap + 1))
        #expect(bomb.count < 20_000)
        #expect(try Self.openCompressed(bomb, &opener) == .failure(.tooLarge))
        let largest = [UInt8](repeating: 0, count: cap)
        #expect(try Self.openCompressed(Gzip(level: 9).member(largest), &opener) == .success(largest))
        #expect(try Self.openCompressed(Gzip().member(Self.text), &opener) == .success(Self.text))
    }

    @Test func wrongKeyNonceAndTagAreNoticed() throws {
        var opener = try MessageOpener()
        let message = try Self.sealed(Gzip().member(Self.text))
        var key = Self.key
        key[0] ^= 1
        #expect(Self.open(message, &opener, key: key) == .failure(.authenticationFailed))
        var nonce = Self.nonce
        nonce[11] ^= 1
        #expect(Self.open(message, &opener, nonce: nonce) == .failure(.authenticationFailed))
        for offset in 1...16 {
            var changed = message
            changed[message.count - offset] ^= 0x10
            #expect(Self.open(changed, &opener) == .failure(.authenticationFailed))
        }
        #expect(Self.open(message, &opener, key: [1, 2, 3]) == .failure(.unavailable))
        #expect(Self.open(message, &opener, nonce: []) == .failure(.unavailable))
        #expect(Self.open(message, &opener) == .success(Self.text))
    }

    /// Every byte of a member replaced by others: whatever comes out, the opener survives and stays usable. The CRC
    /// lets through only changes outside what it covers (header fields that carry no meaning).
    @Test func damagedMembersNeverYieldAnotherPayload() throws {
        var opener = try MessageOpener(payloadCap: 1 << 16)
        for form in [Gzip(level: 0), Gzip(strategy: Z_FIXED), Gzip(), Gzip(name: Array("n".utf8), hasHeaderCRC: true)] {
            let member = form.member(Self.text)
            for index in member.indices {
                for change: UInt8 in [0x01, 0x10, 0x80, 0xff] {
                    var damaged = member
                    damaged[index] ^= change
                    if case .success(let payload) = try Self.openCompressed(damaged, &opener) {
                        #expect(payload == Self.text)
                    }
                }
            }
        }
        #expect(try Self.openCompressed(Gzip().member(Self.text), &opener) == .success(Self.text))
    }

    /// The octets themselves, not only what is lent: after a wipe, and after a member whose last octets turn out wrong.
    @Test func aWipedPayloadIsGone() throws {
        var opener = try MessageOpener()
        let count = Self.text.count
        // Zeroed once, so that what is seen later was written by the opener.
        opener.output.initializeMemory(as: UInt8.self, repeating: 0)
        #expect(try Self.openCompressed(Gzip().member(Self.text), &opener) == .success(Self.text))
        #expect(Array(opener.output[..<count]) == Self.text)
        opener.wipe()
        #expect(opener.withPayload { $0.isEmpty })
        #expect(opener.output.allSatisfy { $0 == 0 })
        #expect(try Self.openCompressed(Gzip(crcDelta: 1).member(Self.text), &opener) == .failure(.corrupt))
        #expect(opener.output.allSatisfy { $0 == 0 })
    }

    @Test func aThousandVisitsReuseTheSameMemory() throws {
        var opener = try MessageOpener()
        let payload = Self.text + Self.noise(5000)
        let message = try Self.sealed(Gzip().member(payload))
        let broken = try Self.sealed(Gzip(crcDelta: 1).member(payload))
        for _ in 0..<1000 {
            #expect(Self.open(message, &opener) == .success(payload))
            #expect(Self.open(broken, &opener) == .failure(.corrupt))
            opener.wipe()
        }
    }
}

import Envelopes
import JSON
import TestSupport
import Testing

@testable import DIDComm

/// Envelopes that somebody cut or changed on their way: none opens.
struct EnvelopeMutantTests {
    private static let message = Array(#"{"@type":"x"}"#.utf8)

    private static func texts() throws -> [[UInt8]] {
        let sender = try TestKeys.key(TestKeys.wallet), gate = try TestKeys.recipient(TestKeys.gate)
        return [
            try Envelope.authcrypt(message.span, for: [gate], from: sender), try Envelope.anoncrypt(message.span, for: [gate]),
        ]
    }

    @Test func anEnvelopeIsCutAtEveryLength() throws {
        for text in try Self.texts() {
            for length in 0..<text.count { #expect(try !Opened(Array(text.prefix(length))).isMessage, "\(length)") }
        }
    }

    /// A bit of every octet: texts of JSON and base64 with one reading have no octet to spare.
    @Test func anOctetOfAnEnvelopeIsChanged() throws {
        var random = SeededRandom(seed: 31)
        for text in try Self.texts() {
            for index in text.indices {
                var mutant = text
                mutant[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                #expect(try !Opened(mutant).isMessage, "\(index)")
            }
        }
    }

    /// A bit of every octet that the header's base64 stands for, and every length of it.
    @Test func anOctetOfTheHeaderIsChangedOrCutOff() throws {
        for text in try Self.texts() {
            let root = try JSONDocument(parsing: text).root
            let header = Base64Reading.decode((root["protected"]?.stringBytes ?? [])[...]) ?? []
            func mutant(_ header: [UInt8]) -> [UInt8] {
                var writer = JSONWriter()
                writer.object { writer in
                    writer.member("protected", EnvelopeText.text(header))
                    for name in ["iv", "ciphertext", "tag"] { writer.member(name, root[name]?.string ?? "") }
                }
                return writer.bytes
            }
            #expect(try Opened(mutant(header)).isMessage)
            for index in header.indices {
                var changed = header
                changed[index] ^= 0x01
                #expect(try !Opened(mutant(changed)).isMessage, "\(index)")
                #expect(try !Opened(mutant(Array(header.prefix(index)))).isMessage, "\(index)")
            }
        }
    }

    @Test func nonsenseIsRefused() throws {
        var random = SeededRandom(seed: 19)
        let pieces = ["{", "}", "\"", ":", ",", "[", "]", "protected", "iv", "tag", "ciphertext", "AAAA", "=", "\\u0041", "null", "-"]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0..<24, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            #expect(try !Opened(Array(text.utf8)).isMessage, "\(text)")
        }
    }
}

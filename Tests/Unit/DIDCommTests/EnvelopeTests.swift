import Cryptography
import Envelopes
import Foundation
import JSON
import Testing

@testable import DIDComm

/// Envelopes that are made and opened here.
struct EnvelopeTests {
    private static let message = Array(#"{"@type":"x","text":"Ő"}"#.utf8)

    private static func authcrypt(_ message: [UInt8] = message, to seeds: [[UInt8]] = [TestKeys.gate]) throws -> [UInt8] {
        let sender = try TestKeys.key(TestKeys.wallet)
        return try Envelope.authcrypt(message.span, for: seeds.map { try TestKeys.recipient($0) }, from: sender)
    }

    private static func anoncrypt(_ message: [UInt8] = message, to seeds: [[UInt8]] = [TestKeys.gate]) throws -> [UInt8] {
        try Envelope.anoncrypt(message.span, for: seeds.map { try TestKeys.recipient($0) })
    }

    private static func root(_ text: [UInt8]) throws -> JSONValue { try JSONDocument(parsing: text).root }

    /// The envelope with another text in place of one of its members, or of its decoded header.
    private static func changed(_ text: [UInt8], _ member: String, _ change: (String) -> String) throws -> [UInt8] {
        var writer = JSONWriter()
        let members = try #require(root(text).members)
        writer.object { writer in
            for each in members {
                let value = each.value.string ?? ""
                writer.member(each.name, each.name == member ? change(value) : value)
            }
        }
        return writer.bytes
    }

    private static func header(_ text: [UInt8], _ change: (String) -> String) throws -> [UInt8] {
        try changed(text, "protected") { protected in
            let decoded = Base64Reading.decode(Array(protected.utf8)[...]) ?? []
            return EnvelopeText.text(Array(change(String(decoding: decoded, as: UTF8.self)).utf8))
        }
    }

    // MARK: what opens

    @Test func whatIsPackedOpensAndNamesItsSender() throws {
        let wallet = try TestKeys.recipient(TestKeys.wallet).kid
        #expect(try Opened(Self.authcrypt()) == .message(Self.message, sender: wallet))
        #expect(try Opened(Self.anoncrypt()) == .message(Self.message, sender: nil))
    }

    @Test(arguments: [0, 1, 15, 16, 63, 64, 65, 40_000]) func messagesOfEveryLengthComeBack(_ length: Int) throws {
        let message = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try Opened(Self.anoncrypt(message)) == .message(message, sender: nil))
    }

    @Test func noTwoEnvelopesOfOneMessageHaveAnythingInCommon() throws {
        let one = try Self.root(Self.authcrypt()), other = try Self.root(Self.authcrypt())
        for member in ["protected", "iv", "ciphertext", "tag"] { #expect(one[member]?.string != other[member]?.string) }
    }

    @Test func everyRecipientOpensAndNobodyElse() throws {
        let text = try Self.authcrypt(to: [TestKeys.other, TestKeys.gate])
        #expect(try Opened(text).isMessage)
        #expect(try Opened(text, by: TestKeys.other).isMessage)
        #expect(try Opened(text, by: TestKeys.wallet) == .fault(.notForUs))
    }

    @Test func thirtyTwoRecipientsAreTakenAndOneMoreIsNot() throws {
        let most = [[UInt8]](repeating: TestKeys.other, count: EnvelopeLimits.recipients - 1) + [TestKeys.gate]
        #expect(try Opened(Self.authcrypt(to: most)).isMessage)
        #expect(throws: CryptographyError.wrongLength) { try Self.authcrypt(to: most + [TestKeys.gate]) }
        #expect(throws: CryptographyError.wrongLength) { try Self.anoncrypt(to: []) }
    }

    @Test func ofTwoEntriesForTheKeyTheFirstCounts() throws {
        let text = try Self.anoncrypt(to: [TestKeys.gate, TestKeys.gate])
        #expect(try Opened(text).isMessage)
        let broken = try Self.header(text) { header in
            guard let key = header.range(of: #""encrypted_key":""#) else { return header }
            return header.replacingCharacters(in: key.upperBound..<header.index(key.upperBound, offsetBy: 4), with: "AAAA")
        }
        #expect(try Opened(broken) == .fault(.contentKey))
    }

    @Test func paddingIsTakenWholeOrNotAtAll() throws {
        let text = try Self.anoncrypt()
        #expect(try Opened(Self.changed(text, "tag") { $0 + "==" }).isMessage)
        #expect(try Opened(Self.changed(text, "tag") { $0 + "=" }) == .fault(.tag))
        #expect(try Opened(Self.changed(text, "tag") { $0 + "===" }) == .fault(.tag))
        #expect(try Opened(Self.changed(text, "iv") { $0 + "=" }) == .fault(.nonce))
    }

    @Test func membersThatNobodyKnowsAreReadPastAndNullIsNothing() throws {
        let text = try Self.anoncrypt()
        #expect(try Opened(Array("{\"more\":{\"a\":[1]},".utf8) + text.dropFirst()).isMessage)
        // The header is covered by the tag: that a null is nothing shows in how far an envelope gets.
        let null = try Self.header(text) { $0.replacingOccurrences(of: #"{"kid""#, with: #"{"sender":null,"iv":null,"kid""#) }
        #expect(try Opened(null) == .fault(.content))
    }

    // MARK: what does not

    @Test func anotherAlgorithmIsRefusedByItsName() throws {
        let text = try Self.authcrypt()
        #expect(try Opened(Self.header(text) { $0.replacingOccurrences(of: "ietf", with: "draft") }) == .fault(.encryption))
        #expect(try Opened(Self.header(text) { $0.replacingOccurrences(of: "JWM", with: "JWE") }) == .fault(.type))
        #expect(try Opened(Self.header(text) { $0.replacingOccurrences(of: "Authcrypt", with: "authcrypt") }) == .fault(.algorithm))
        #expect(try Opened(Self.header(text) { $0.replacingOccurrences(of: "Authcrypt", with: "Anoncrypt") }) == .fault(.entry))
        let anonymous = try Self.anoncrypt()
        #expect(try Opened(Self.header(anonymous) { $0.replacingOccurrences(of: "Anoncrypt", with: "Authcrypt") }) == .fault(.entry))
    }

    @Test func aMemberThatIsThereTwiceIsRefusedWhereverItIs() throws {
        let text = try Self.authcrypt()
        for member in ["protected", "iv", "ciphertext", "tag"] {
            let value = try Self.root(text)[member]?.string ?? ""
            #expect(try Opened(text.dropLast() + Array(",\"\(member)\":\"\(value)\"}".utf8)) == .fault(.malformed), "\(member)")
        }
        for member in ["enc", "typ", "alg", "recipients"] {
            #expect(try Opened(Self.header(text) { $0.dropLast() + ",\"\(member)\":1}" }) == .fault(.headerMalformed), "\(member)")
        }
        for member in ["kid", "sender", "iv"] {
            let twice = try Self.header(text) { $0.replacingOccurrences(of: #""header":{"#, with: #""header":{"\#(member)":1,"#) }
            #expect(try Opened(twice) == .fault(.headerMalformed), "\(member)")
        }
    }

    @Test func otherTextsAreNoEnvelope() throws {
        for text in ["", " ", "x", "[]", "1", "null", "\"protected\"", "{}x", "{", "\u{FEFF}{}"] {
            #expect(try Opened(Array(text.utf8)) == .fault(.malformed), "\(text)")
        }
        #expect(try Opened(Array("{}".utf8)) == .fault(.missing))
        #expect(try Opened(Array(#"{"@type":"x"}"#.utf8)) == .fault(.missing))
        for value in ["null", "1", "{}", "[]", "true"] {
            #expect(try Opened(Array(#"{"protected":\#(value),"iv":"","ciphertext":"","tag":""}"#.utf8)) == .fault(.member), "\(value)")
        }
    }

    @Test func otherAlphabetsAreRefused() throws {
        let text = try Self.anoncrypt((0..<255).map { $0 })
        let standard: (String) -> String = { $0.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/") }
        #expect(try Opened(Self.changed(text, "ciphertext", standard)) == .fault(.ciphertext))
        for character in ["+", "/", "%", " ", "\n", "=", "é", "\0"] {
            #expect(try Opened(Self.changed(text, "ciphertext") { character + $0.dropFirst() }) == .fault(.ciphertext), "\(character)")
            #expect(try Opened(Self.changed(text, "tag") { character + $0.dropFirst() }) == .fault(.tag), "\(character)")
        }
    }

    @Test func whatIsTooLongIsNotLookedAt() throws {
        let long = [UInt8](repeating: 0x20, count: EnvelopeLimits.text + 1)
        #expect(try Opened(long) == .fault(.tooLarge))
        let header = String(repeating: "A", count: EnvelopeLimits.header + 4)
        #expect(try Opened(Self.changed(Self.anoncrypt(), "protected") { _ in header }) == .fault(.header))
        let deep = #"{"protected":"","x":"# + String(repeating: "[", count: 9) + String(repeating: "]", count: 9) + "}"
        #expect(try Opened(Array(deep.utf8)) == .fault(.malformed))
    }

    @Test func everyFaultHasACodeOfTheLog() {
        #expect(
            Set(EnvelopeFault.allCases.map { $0.code }) == [
                .messageTooLarge, .messageMalformed, .envelopeMissing, .envelopeNotForUs, .envelopeInvalid,
            ])
        for fault in EnvelopeFault.allCases { if let code = AriesCode(rawValue: fault.rawValue) { #expect(code == fault.code) } }
    }
}

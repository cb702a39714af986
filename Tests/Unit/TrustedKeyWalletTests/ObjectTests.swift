import ClaimTestSupport
import Envelopes
import Testing

@testable import TrustedKeyWallet

/// trustedkey.md section 3, step 9, and section 6.
struct ObjectTests {
    private static let arc = "1.3.6.1.4.1.51341.", older = "1.3.6.1.4.1.53318295."

    private static func answer(asking objects: [String], _ claims: [[TestCertificate.Part]]) throws -> TestAnswer {
        var answer = try TestAnswer(asking: objects)
        answer.claims = try claims.map { try answer.claim($0).signed(by: answer.issuerKey) }
        return answer
    }

    @Test func onlyWhatWasAskedForIsShown() throws {
        let answer = try Self.answer(
            asking: [TestAnswer.mail, Self.arc + "2"],
            [
                [.init(TestAnswer.name, "Noor"), .init(TestAnswer.mail, "a@b.example", tag: 0x16)],
                [.init(Self.arc + "2", "12 3", tag: 0x12)],
            ])
        #expect(try answer.values() == ["a@b.example", "12 3"])
    }

    @Test func aLoginShowsTheKeyAlone() throws {
        var answer = try Self.answer(asking: [], [])
        answer.issuers = []
        #expect(try answer.values() == [])
        answer = try Self.answer(asking: [Self.arc + "15"], [])
        #expect(try answer.values() == [Hexadecimal.text(answer.holder.coordinates)])
        #expect(try answer.verified().claims.first?.source == nil)
    }

    @Test func whatWasAskedForIsThere() throws {
        #expect(try Self.answer(asking: [TestAnswer.name, TestAnswer.mail], [[.init(TestAnswer.name, "Noor")]]).fault() == .objectMissing)
        #expect(try Self.answer(asking: [TestAnswer.name], []).fault() == .objectMissing)
    }

    @Test func anObjectHasOneValue() throws {
        let name = TestAnswer.name
        #expect(try Self.answer(asking: [name], [[.init(name, "Noor")], [.init(name, "Noor", tag: 0x13)]]).values() == ["Noor"])
        #expect(try Self.answer(asking: [name], [[.init(name, "Noor")], [.init(name, "Nora")]]).fault() == .claimAmbiguous)
        #expect(try Self.answer(asking: [name], [[.init(name, "Noor"), .init(name, "Nora")]]).fault() == .claimAmbiguous)
        // Texts that look the same are two.
        #expect(try Self.answer(asking: [name], [[.init(name, "\u{e9}")], [.init(name, "e\u{301}")]]).fault() == .claimAmbiguous)
        // Also of what nobody asked for.
        let mail = TestAnswer.mail
        #expect(try Self.answer(asking: [name], [[.init(name, "N"), .init(mail, "a")], [.init(mail, "b")]]).fault() == .claimAmbiguous)
        #expect(
            try Self.answer(asking: [name], [[.init(name, "N"), .init(Self.older + "2", "1")], [.init(Self.arc + "2", "2")]]).fault()
                == .claimAmbiguous)
    }

    @Test func eachClaimSaysWhatItIs() throws {
        let name = TestAnswer.name, mail = TestAnswer.mail, arc = Self.arc
        func described(_ word: String) -> [TestCertificate.Part] {
            [.init(arc + "1", "Type \(word)"), .init(arc + "6", "Class \(word)"), .init(arc + "16", word)]
        }
        let claims = [described("1") + [.init(name, "Noor")], described("2") + [.init(mail, "a@b.example")]]
        let verified = try Self.answer(asking: [mail, name], claims).verified()
        #expect(verified.claims.map(\.source?.type) == ["Type 2", "Type 1"])
        #expect(verified.claims.map(\.source?.claimClass) == ["Class 2", "Class 1"])
        #expect(verified.claims.map(\.source?.levelOfAssurance) == ["2", "1"])
        #expect(try Self.answer(asking: [arc + "1"], claims).fault() == .claimAmbiguous)
        #expect(try Self.answer(asking: [arc + "1"], [claims[0]]).values() == ["Type 1"])
        #expect(try Self.answer(asking: [name], [claims[0] + [.init(arc + "6", "Class 9")]]).fault() == .claimAmbiguous)
    }

    @Test func whatHasToBeFetchedIsRefused() throws {
        let endpoint: [TestCertificate.Part] = [.init(Self.arc + "24", "https://issuer.example/1"), .init(TestAnswer.name, "Noor")]
        #expect(try Self.answer(asking: [Self.arc + "24"], [endpoint]).fault() == .objectRefused)
        #expect(try Self.answer(asking: [TestAnswer.name], [endpoint]).values() == ["Noor"])
    }

    @Test func theOlderArcIsTheNewer() throws {
        #expect(try Self.answer(asking: [Self.arc + "2"], [[.init(Self.older + "2", "7")]]).values() == ["7"])
        #expect(TrustedKeyObject(Self.older + "2") == TrustedKeyObject(Self.arc + "2"))
        #expect(TrustedKeyObject("1.3.6.1.4.1.533182950.2") != TrustedKeyObject(Self.arc + "2"))
    }

    @Test func textsAreOfFourKindsAndOfTheirCharacters() throws {
        let kinds: [(UInt8, String, Bool)] = [
            (0x0C, "N\u{f6}\u{f6}r \u{1F600}", true), (0x13, "Noor 1.", true), (0x13, "a@b", false), (0x16, "a@b", true),
            (0x12, "12 3", true),
            (0x12, "12a", false), (0x14, "Noor", false), (0x1A, "Noor", false), (0x1E, "No", false), (0x1C, "Noor", false),
            (0x0C, "", false),
        ]
        for (tag, text, isRead) in kinds {
            let answer = try Self.answer(asking: [TestAnswer.name], [[.init(TestAnswer.name, text, tag: tag)]])
            #expect(try answer.fault() == (isRead ? nil : .answerMalformed), "\(tag)")
        }
        for (tag, octets) in [(0x0C, [0xC3, 0x28]), (0x16, [0x80]), (0x0C, [0xED, 0xA0, 0x80])] as [(UInt8, [UInt8])] {
            var part = TestCertificate.Part(TestAnswer.name, "", tag: tag)
            part.text = octets
            #expect(try Self.answer(asking: [TestAnswer.name], [[part]]).fault() == .answerMalformed)
        }
    }

    @Test func allOfATextIsItsValue() throws {
        let text = "Noor\u{0}evil"
        #expect(try Self.answer(asking: [TestAnswer.name], [[.init(TestAnswer.name, text)]]).values() == [text])
    }

    @Test(arguments: [
        "", "2", "2.", ".5", "2..5", "2.05", "2.5.4.x", "2.5.4.3 ", "2.5,4", "-1.2", String(repeating: "1.", count: 40) + "1",
    ])
    func identifiersAreNumbersWithDots(_ text: String) { #expect(TrustedKeyObject(text) == nil) }
}

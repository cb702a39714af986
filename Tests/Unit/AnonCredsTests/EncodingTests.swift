import Testing

@testable import AnonCreds

/// Texts and their numbers (anoncreds.md sections 2 and 3).
struct EncodingTests {
    @Test func textsHaveTheNumbersOfTheReference() throws {
        let pairs = Vectors.file("encoding.json").elementList
        #expect(pairs.count == 26)
        for pair in pairs {
            let raw = try #require(pair["raw"]?.string), encoded = try #require(pair["encoded"]?.string)
            #expect(AttributeEncoding.isNumber(encoded, of: raw), "\(raw)")
        }
    }

    @Test func equivalentTextsAreDifferentNumbers() throws {
        #expect(try Encoding.number(of: "a\u{301}") != Encoding.number(of: "\u{E1}"))
        #expect(ExactText("a\u{301}") != ExactText("\u{E1}"))
    }

    @Test(arguments: [
        "", "-", "+1", "01", "00", "-0", " 1", "1 ", "1.0", "1e3", "0x1", "٣", "1\u{0}", "--1", String(repeating: "7", count: 1201),
    ])
    func otherTextsAreNoIntegers(_ text: String) {
        #expect(throws: PresentationReason.presentationMalformed) { try ProofNumber(text: Array(text.utf8), signed: true) }
    }

    @Test func onlyRevealedValuesHaveASign() throws {
        #expect(throws: PresentationReason.presentationMalformed) { try ProofNumber(text: Array("-1".utf8)) }
        #expect(try ProofNumber(text: Array("-1".utf8), signed: true) == ProofNumber(-1))
        #expect(try ProofNumber(text: Array("0".utf8)) == .zero)
        #expect(try ProofNumber(text: Array(String(repeating: "9", count: 1200).utf8)).bitCount == 3987)
    }

    @Test func magnitudesAreMinimalAndOrdered() {
        #expect(ProofNumber(magnitude: [0, 0, 1]) == ProofNumber(1))
        #expect(ProofNumber(1).isMagnitudeLess(than: ProofNumber(256)))
        #expect(!ProofNumber(256).isMagnitudeLess(than: ProofNumber(256)))
        #expect(ProofNumber(Int64.min).bitCount == 64)
        #expect(ProofNumber(255).isNatural(below: 8))
        #expect(!ProofNumber(256).isNatural(below: 8))
        #expect(!ProofNumber(-1).isNatural(below: 8))
    }

    @Test func viewsHaveNoBlanksAndNoCapitals() {
        #expect(ExactText.view("Full Name").string == "fullname")
        #expect(ExactText.view("ÁRVÍZ Tűrő").string == "árvíztűrő")
        #expect(ExactText.view("a\tb").string == "a\tb")
        // Scalar by scalar: no final sigma.
        #expect(ExactText.view("ΟΔΟΣ").string == "οδοσ")
    }
}

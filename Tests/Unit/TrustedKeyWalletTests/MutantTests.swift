import Envelopes
import TestSupport
import Testing

@testable import TrustedKeyWallet

/// trustedkey.md section 3: nothing of an accepted answer can be changed so that another value comes out of it.
struct MutantTests {
    private static func answer() throws -> TestAnswer {
        var answer = try TestAnswer(asking: [TestAnswer.name, "1.3.6.1.4.1.51341.21"])
        answer.claims.append(try answer.claim([.init("1.3.6.1.4.1.51341.21", "true")], serial: [5]).signed(by: answer.issuerKey))
        return answer
    }

    private static func check(_ octets: [UInt8], _ answer: TestAnswer, _ verifier: TrustedKeyVerifier, _ what: String) {
        do throws(TrustedKeyFault) {
            let parsed = try TrustedKeyAnswer(url: octets, to: answer.request)
            let verified = try verifier.verify(parsed, to: answer.request, at: answer.now)
            #expect(verified.claims.map(\.value) == ["Noor van Dijk", "true"], "\(what)")
            #expect(verified.claims.map(\.source?.root) == [0, 0], "\(what)")
        } catch {}
    }

    @Test func noLengthOfItIsAnotherAnswer() throws {
        let answer = try Self.answer(), verifier = try answer.verifier(), url = Array(try answer.url().utf8)
        for length in url.indices {
            #expect(throws: TrustedKeyFault.self, "\(length)") {
                try verifier.verify(
                    TrustedKeyAnswer(url: Array(url.prefix(length)), to: answer.request), to: answer.request, at: answer.now)
            }
        }
    }

    @Test func noOctetOfItCanBeAnother() throws {
        let answer = try Self.answer(), verifier = try answer.verifier(), url = Array(try answer.url().utf8)
        var random = SeededRandom(seed: 5)
        for place in url.indices {
            // One bit everywhere, and anything at all in every fourth place.
            let octets = [url[place] ^ 1] + (place % 4 == 0 ? random.bytes(1) : [])
            for octet in octets where octet != url[place] {
                var changed = url
                changed[place] = octet
                Self.check(changed, answer, verifier, "\(place): \(octet)")
            }
        }
    }

    @Test func noOctetOfAClaimCanBeAnother() throws {
        var answer = try Self.answer()
        let verifier = try answer.verifier(), claims = answer.claims
        answer.token = try answer.madeToken()
        for place in claims[0].indices {
            for bit in [1, 0x80] as [UInt8] {
                answer.claims[0] = claims[0]
                answer.claims[0][place] ^= bit
                #expect(throws: TrustedKeyFault.self, "\(place)") {
                    try verifier.verify(
                        TrustedKeyAnswer(url: Array(answer.url().utf8), to: answer.request), to: answer.request, at: answer.now)
                }
            }
        }
    }

    @Test func noOctetsAnywhereTrap() throws {
        let answer = try Self.answer(), verifier = try answer.verifier(), url = Array(try answer.url().utf8)
        var random = SeededRandom(seed: 7)
        for round in 0..<1_500 {
            var changed = url
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 30..<changed.count, using: &random),
                    end = min(changed.count, place + Int.random(in: 0...40, using: &random))
                switch round % 4 {
                case 0: changed.removeSubrange(place..<end)
                case 1: changed.insert(contentsOf: changed[place..<end], at: Int.random(in: 0..<place, using: &random))
                case 2: changed.replaceSubrange(place..<end, with: random.bytes(end - place))
                default: changed.swapAt(place, Int.random(in: 30..<changed.count, using: &random))
                }
                if changed.count < 40 { changed = url }
            }
            Self.check(changed, answer, verifier, "\(round)")
        }
    }
}

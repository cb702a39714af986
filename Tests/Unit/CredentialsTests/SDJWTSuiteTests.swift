import Credentials
import Foundation
import JSON
import Testing

/// The cases of the SD-JWT reference implementation (RFC 9901's own examples among them): issued here as their specifications say,
/// presented as the holder wishes, and verified to be what they expect.
@Suite(.enabled(if: Suites.isPresent(Suites.sdJWT), Suites.absent))
struct SDJWTSuiteTests {
    /// What the holder wants to show of a part of the claims.
    private enum Wish {
        case everything, nothing
        case just(Specification)

        var discloses: Bool {
            switch self {
            case .everything: true
            case .nothing: false
            case .just(let wish): wish.isTruthy
            }
        }

        func member(_ name: String) -> Wish { descend { $0[name] } }
        func element(_ index: Int) -> Wish { descend { $0[index] } }

        private func descend(_ step: (Specification) -> Specification?) -> Wish {
            guard case .just(let wish) = self else { return self }
            return step(wish).map { .just($0) } ?? .nothing
        }
    }

    /// Issues claims; what is hidden becomes a digest, and a disclosure where the holder wishes.
    private struct Issuer {
        var presented: [String] = []
        private var salt = 0

        mutating func issue(_ claims: Specification, _ wish: Wish) -> String {
            switch claims {
            case .scalar(let text): return text
            case .list(let elements):
                var texts: [String] = []
                for (index, element) in elements.enumerated() {
                    let wish = wish.element(index)
                    let inside = issue(element.value, element.hidden && !wish.discloses ? .nothing : wish)
                    texts.append(element.hidden ? "{\"...\":\"\(hide("[\(nextSalt()),\(inside)]", wish))\"}" : inside)
                }
                return "[" + texts.joined(separator: ",") + "]"
            case .map(let members):
                var texts: [String] = [], digests: [String] = []
                for member in members {
                    let wish = wish.member(member.name)
                    let inside = issue(member.value, member.hidden && !wish.discloses ? .nothing : wish)
                    let name = jsonString(member.name)
                    if member.hidden {
                        digests.append(hide("[\(nextSalt()), \(name), \(inside)]", wish))
                    } else {
                        texts.append("\(name):\(inside)")
                    }
                }
                if !digests.isEmpty { texts.append("\"_sd\":" + list(digests.sorted())) }
                return "{" + texts.joined(separator: ",") + "}"
            }
        }

        private mutating func hide(_ text: String, _ wish: Wish) -> String {
            let disclosure = base64URL(text)
            if wish.discloses { presented.append(disclosure) }
            return digest(disclosure)
        }

        private mutating func nextSalt() -> String {
            salt += 1
            return "\"salt \(salt)\""
        }
    }

    static func names(_ part: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Suites.sdJWT.appending(path: part).path)) ?? []
        return names.filter { Suites.isPresent(Suites.sdJWT.appending(path: "\(part)/\($0)/specification.yml")) }.sorted()
    }

    private func specification(_ path: String) throws -> Specification {
        Specification(yaml: try String(contentsOf: Suites.sdJWT.appending(path: path + "/specification.yml"), encoding: .utf8))
    }

    /// The claims a verifier sees, in a canonical order. They are issued inside one member, because some examples bring their own `iss` or
    /// `exp`.
    private func seen(_ claims: Specification, _ wish: Wish, bound: Bool = false) throws -> String {
        var issuer = Issuer()
        var credential = TestCredential(key: .p256)
        credential.set("_sd", nil)
        credential.set("claims", issuer.issue(claims, wish))
        credential.disclosures = issuer.presented.shuffled()
        if bound { credential.bind(holder: .otherP256) }
        let verdict = try verdict(credential)
        let verified = try #require(verdict.credential, "\(verdict.reasons)")
        #expect(verified.notes.contains(.keyBindingNotFresh) == bound)
        return try canonical(String(decoding: try #require(verified.claims.root["claims"]).source, as: UTF8.self))
    }

    private func canonical(_ json: String) throws -> String {
        let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
        return String(decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
    }

    @Test func theSpecificationsAreUnderstood() {
        let text =
            "a: # comment\n  - !sd one\n  - !sd\n    - !sd 'x: y'\n    - 2.50\n  - !sd b: {\"c\": [!sd 1, null]}\n    d:\n      e: True\n!sd f: \"42\"\n"
        let specification = Specification(yaml: text)
        #expect(specification.json == #"{"a":["one",["x: y",2.50],{"b":{"c":[1,null]},"d":{"e":true}}],"f":"42"}"#)
        var issuer = Issuer()
        _ = issuer.issue(specification, .everything)
        #expect(issuer.presented.count == 6)
        issuer = Issuer()
        _ = issuer.issue(specification, .nothing)
        #expect(issuer.presented.isEmpty)
    }

    @Test(arguments: names("tests/testcases")) func testCase(_ name: String) throws {
        let specification = try specification("tests/testcases/" + name)
        let claims = try #require(specification["user_claims"])
        let expected = try #require(specification["expect_verified_user_claims"])
        let wish = try #require(specification["holder_disclosed_claims"])
        let bound = specification["key_binding"]?.isTruthy == true
        #expect(try seen(claims, .just(wish), bound: bound) == canonical(expected.json))
        #expect(try seen(claims, .everything) == canonical(claims.json))
    }

    @Test(arguments: names("examples")) func example(_ name: String) throws {
        let claims = try #require(try specification("examples/" + name)["user_claims"])
        #expect(try seen(claims, .everything, bound: true) == canonical(claims.json))
        #expect(try seen(claims, .nothing) != "")
    }
}

import TestSupport

/// The parts of `<issuer JWT>~<disclosure>~...~[<key binding JWT>]`.
struct PresentationParts {
    /// Header, payload, signature.
    var token: [[UInt8]]
    var disclosures: [[UInt8]]
    var binding: [UInt8]

    init?(_ text: [UInt8]) {
        var parts = text.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false).map(Array.init)
        guard parts.count >= 2, let last = parts.popLast() else { return nil }
        token = parts.removeFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        guard token.count == 3 else { return nil }
        (disclosures, binding) = (parts, last)
    }

    var text: [UInt8] {
        Array(([Array(token.joined(separator: Array(".".utf8)))] + disclosures + [binding]).joined(separator: Array("~".utf8)))
    }

    /// The JSON of base64url text.
    static func tree(_ text: [UInt8]) -> Tree? { Base64URL.decode(text).flatMap { Tree(parsing: $0) } }
}

extension Mutator {
    static let disclosureMutators: [Mutator] = [
        presentation("disclosure: withheld", 20) { parts, random, _ in
            for _ in 0...random.below(3) where !parts.disclosures.isEmpty {
                parts.disclosures.remove(at: random.below(parts.disclosures.count))
            }
            if random.chance(60) { parts.binding = [] }
        },
        presentation("disclosures: in another order") { parts, random, _ in
            random.shuffle(&parts.disclosures)
            if random.chance(60) { parts.binding = [] }
        },
        presentation("disclosure: repeated") { parts, random, _ in
            if let one = random.one(of: parts.disclosures) { parts.disclosures.insert(one, at: random.below(parts.disclosures.count + 1)) }
        },
        presentation("disclosure: edited", 30) { parts, random, _ in
            guard let place = random.one(of: parts.disclosures.indices), var disclosure = PresentationParts.tree(parts.disclosures[place])
            else { return }
            if let path = random.one(of: disclosure.leaves) { disclosure.set(path, random.chance(50) ? .string("forged") : .json("true")) }
            parts.disclosures[place] = Base64URL.encode(disclosure.octets)
        },
        presentation("disclosure: same content in other text", 15) { parts, random, _ in
            guard let place = random.one(of: parts.disclosures.indices) else { return }
            let text = parts.disclosures[place]
            let written = Base64URL.decode(text) ?? []
            parts.disclosures[place] =
                random.one(of: [
                    text + Array("=".utf8), text + Array("A".utf8), Base64URL.encode(written + [0x20]), Base64URL.encode([0x20] + written),
                    text + [0x20],
                ]) ?? text
        },
        presentation("disclosure: added", 20) { parts, random, _ in
            let texts = [
                #"["c2FsdA","portrait","\#(portrait)"]"#, #"["c2FsdA","face","\#(portrait)"]"#, #"["c2FsdA","exp",32503680000]"#,
                #"["c2FsdA","forged"]"#,
                #"["c2FsdA","vct","forged"]"#, #"["c2FsdA","_sd",[]]"#, #"["c2FsdA","...","x"]"#, #"{}"#, #"[]"#,
            ]
            parts.disclosures.insert(Base64URL.encode(random.one(of: texts) ?? ""), at: random.below(parts.disclosures.count + 1))
            if random.chance(60) { parts.binding = [] }
        },
        presentation("payload: edited", 30) { parts, random, sample in
            guard var payload = PresentationParts.tree(parts.token[1]) else { return }
            switch random.below(7) {
            case 5: payload["iss"] = nil
            case 6: payload["aud"] = random.chance(50) ? nil : .json(random.one(of: [#""forged""#, "[]", #"["forged"]"#]) ?? "")
            case 0: payload.append(Tree.Member("portrait", .string(portrait)))
            case 1: payload["exp"] = .json("32503680000")
            case 2: payload["iss"] = .string(random.one(of: sample.issuers) ?? "")
            case 3: payload["_sd"] = nil
            default: if let path = random.one(of: payload.leaves) { payload.set(path, .string("forged")) }
            }
            parts.token[1] = Base64URL.encode(payload.octets)
        },
        presentation("header: edited", 20) { parts, random, sample in
            guard var header = PresentationParts.tree(parts.token[0]) else { return }
            switch random.below(7) {
            case 0: header["alg"] = .string(random.one(of: ["none", "HS256", "ES256", "ES256K", "EdDSA", "Ed25519", "RS256"]) ?? "")
            case 1: header["kid"] = .string(random.one(of: sample.methods) ?? "")
            case 6: header["kid"] = nil
            case 2: header["x5c"] = random.chance(50) ? nil : .array([])
            case 3: header["typ"] = .string(random.one(of: ["JWT", "dc+sd-jwt", "kb+jwt"]) ?? "")
            case 4: header["crit"] = .json(#"["b64"]"#)
            default: header["jwk"] = .json(#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
            }
            parts.token[0] = Base64URL.encode(header.octets)
        },
        presentation("signature", 15) { parts, random, _ in
            var signature = Base64URL.decode(parts.token[2]) ?? []
            guard !signature.isEmpty else { return }
            switch random.below(6) {
            case 0: signature = MirroredSignature.of(signature, order: random.one(of: MirroredSignature.orders) ?? [])
            case 1: signature = Array(repeating: 0, count: signature.count)
            case 2: signature.append(0)
            case 3: signature.removeLast()
            case 4: signature = []
            default: signature[random.below(signature.count)] ^= 1 << UInt8(random.below(8))
            }
            parts.token[2] = Base64URL.encode(signature)
        },
        presentation("key binding", 15) { parts, random, _ in
            let token = Array(parts.token.joined(separator: Array(".".utf8)))
            parts.binding =
                random.one(of: [[], Array("a.b.c".utf8), token, parts.binding + Array("A".utf8), Array(parts.binding.dropLast())]) ?? []
        },
        octets("presentation: in a wrapper", 15) { octets, random, _ in
            let text = String(decoding: octets, as: UTF8.self),
                face = #""credential":{"biometrics":{"face":"\#(portrait)"}},"portrait":"\#(portrait)""#
            octets = Array(
                (random.one(of: [
                    #"{\#(face),"verifiableCredential":{"credential":"\#(text)","processedCredential":{"portrait":"forged"}}}"#,
                    #"{\#(face),"verifiableCredential":"\#(text)"}"#,
                    #""\#(text)""#, #"{\#(face),"credential":"\#(text)"}"#, #"{"verifiableCredential":["\#(text)"],\#(face)}"#,
                ]) ?? text).utf8)
        },
    ]

    private static func presentation(
        _ name: String, _ weight: Int = 10, _ change: @escaping @Sendable (inout PresentationParts, inout SeededRandom, Sample) -> Void
    ) -> Mutator {
        octets(name, weight) { octets, random, sample in
            guard var parts = PresentationParts(octets) else { return }
            change(&parts, &random, sample)
            octets = parts.text
        }
    }
}

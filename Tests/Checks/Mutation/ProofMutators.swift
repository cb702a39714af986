import Envelopes
import TestSupport

extension Mutator {
    /// The proof: which key, which suite, what for, and the signature's own text.
    static let proofMutators: [Mutator] = [
        tree("proof: member changed", 20) { tree, random, sample in editProof(of: &tree, random.next()) { change(&$0, &random, sample) } },
        tree("proof: member removed or repeated") { tree, random, _ in
            editProof(of: &tree, random.next()) { proof in
                guard var members = proof.members, let place = random.one(of: members.indices) else { return }
                if random.chance(60) {
                    members.remove(at: place)
                } else {
                    members.append(Tree.Member(name: members[place].name, value: .string("forged")))
                }
                proof = .object(members)
            }
        },
        tree("proof: another member") { tree, random, sample in
            let member = random.one(of: [
                Tree.Member("domain", .string("gate")), Tree.Member("challenge", .string("c")), Tree.Member("nonce", .string("n")),
                Tree.Member("id", .string("urn:p")),
                Tree.Member("expires", .string("2999-01-01T00:00:00Z")), Tree.Member("@context", tree["@context"] ?? .array([])),
                Tree.Member("@context", .json("null")),
                Tree.Member("@context", inlineProofContext(&random, sample)), Tree.Member("previousProof", .string("urn:p")),
                Tree.Member("face", .string(portrait)),
                Tree.Member("jws", .string("e30..AA")), Tree.Member("proofValue", .string("z1")),
                Tree.Member("cryptosuite", .string("eddsa-jcs-2022")),
                Tree.Member("@graph", .array([])), Tree.Member("@id", .string("_:b0")), Tree.Member("signatureValue", .string("AA")),
                Tree.Member("creator", .string("urn:c")),
            ])
            if let member { editProof(of: &tree, random.next()) { $0.append(member) } }
        },
        tree("proof: several", 15) { tree, random, sample in
            guard let good = tree["proof"] else { return }
            var bad = good
            change(&bad, &random, sample)
            let other = random.one(of: sample.others)?["proof"] ?? bad
            tree["proof"] = random.one(of: [
                .array([good]), .array([good, bad]), .array([bad, good]), .array([good, good]), .array([]), .array([other, good]),
                .array([good, other]), other,
                .array(Array(repeating: bad, count: 8) + [good]), .array([.array([good])]), .array([.json("null"), good]),
                .object([Tree.Member("@graph", .array([good]))]),
            ])
        },
        tree("proof: in another place") { tree, random, _ in
            guard let proof = tree["proof"] else { return }
            let name = random.one(of: ["https://w3id.org/security#proof", "sec:proof", "Proof", "proofs", "@included"]) ?? ""
            if random.chance(50) { tree["proof"] = nil }
            if random.chance(50) {
                tree["credentialSubject"]?.append(Tree.Member("proof", proof))
            } else {
                tree.append(Tree.Member(name, proof))
            }
        },
        tree("signature: bits", 15) { tree, random, _ in
            editSignature(of: &tree, random.next()) { signature in
                guard !signature.isEmpty else { return }
                switch random.below(5) {
                case 0: signature.removeLast()
                case 1: signature.append(random.octet())
                case 2: signature.insert(0, at: 0)
                case 3: signature = Array(repeating: 0, count: signature.count)
                default: signature[random.below(signature.count)] ^= 1 << UInt8(random.below(8))
                }
            }
        },
        tree("signature: its mirror", 3) { tree, random, _ in
            guard let order = random.one(of: MirroredSignature.orders) else { return }
            editSignature(of: &tree, random.next()) { $0 = MirroredSignature.of($0, order: order) }
        },
        tree("signature: other text", 15) { tree, random, _ in
            editProof(of: &tree, random.next()) { proof in
                if let text = proof["proofValue"]?.string { proof["proofValue"] = .string(multibase(text, &random)) }
                if let text = proof["jws"]?.string { proof["jws"] = .string(detached(text, &random)) }
            }
        },
        tree("signature: header", 15) { tree, random, _ in
            editProof(of: &tree, random.next()) { proof in
                guard let parts = proof["jws"]?.string?.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false),
                    parts.count == 3,
                    let octets = Base64URL.decode(Array(parts[0])), var header = Tree(parsing: octets)
                else { return }
                changeHeader(&header, &random)
                proof["jws"] = .string(
                    String(decoding: Base64URL.encode(header.octets), as: UTF8.self) + ".." + String(decoding: parts[2], as: UTF8.self))
            }
        },
        tree("issuer: another trusted one", 15) { tree, random, sample in
            let issuer = Tree.string(random.chance(40) ? "did:web:twin.example" : random.one(of: sample.issuers) ?? "")
            let method = random.one(of: sample.methods) ?? ""
            switch random.below(4) {
            case 0: tree["issuer"] = issuer
            case 1: tree["issuer"] = .object([Tree.Member("id", issuer)])
            case 2:
                tree["issuer"] = .object([
                    Tree.Member("id", tree["issuer"]?.string.map(Tree.string) ?? issuer), Tree.Member("name", .string("forged")),
                    Tree.Member("image", .string(portrait)),
                ])
            default: tree["issuer"] = .array([tree["issuer"] ?? issuer, issuer])
            }
            if random.chance(40) { editProof(of: &tree, random.next()) { $0["verificationMethod"] = .string(method) } }
        },
    ]

    /// - Parameter choice: says which, where there are several.
    private static func editProof(of tree: inout Tree, _ choice: UInt64, _ change: (inout Tree) -> Void) {
        guard let proof = tree["proof"] else { return }
        var proofs = proof.elements ?? [proof]
        guard !proofs.isEmpty else { return }
        let place = Int(choice % UInt64(proofs.count))
        change(&proofs[place])
        tree["proof"] = proof.elements == nil ? proofs[0] : .array(proofs)
    }

    private static func inlineProofContext(_ random: inout SeededRandom, _ sample: Sample) -> Tree {
        .array([
            .string(random.one(of: sample.contexts) ?? ""), .json(#"{"assertionMethod":"https://w3id.org/security#authenticationMethod"}"#),
        ])
    }

    private static func change(_ proof: inout Tree, _ random: inout SeededRandom, _ sample: Sample) {
        let types = [
            "RsaSignature2018", "Ed25519Signature2018", "Ed25519Signature2020", "EcdsaSecp256k1Signature2019",
            "EcdsaSecp256r1Signature2019", "JsonWebSignature2020", "DataIntegrityProof",
        ]
        let values: [(String, Tree)] = [
            ("type", .string(random.one(of: types) ?? "")), ("type", .array([proof["type"] ?? .array([]), .string("urn:other")])),
            ("cryptosuite", .string(random.one(of: ["eddsa-rdfc-2022", "ecdsa-rdfc-2019", "eddsa-jcs-2022", "ecdsa-jcs-2019"]) ?? "")),
            ("created", .string("2024-01-01T00:00:00Z")),
            ("created", .string((proof["created"]?.string ?? "").replacing("Z", with: "+00:00"))), ("created", .json("0")),
            ("created", .string((proof["created"]?.string ?? "").lowercased())), ("proofPurpose", .string("authentication")),
            ("proofPurpose", .string("https://w3id.org/security#assertionMethod")), ("proofPurpose", .string("keyAgreement")),
            ("verificationMethod", .string(random.one(of: sample.methods) ?? "")),
            ("verificationMethod", .object([Tree.Member("id", proof["verificationMethod"] ?? .array([]))])),
            (
                "verificationMethod",
                .string("did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2#z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2")
            ),
            ("expires", .string("2001-01-01T00:00:00Z")),
        ]
        if let (name, value) = random.one(of: values) { proof[name] = value }
    }

    /// Changes the octets of the signature and writes them down as they were.
    private static func editSignature(of tree: inout Tree, _ choice: UInt64, _ change: (inout [UInt8]) -> Void) {
        editProof(of: &tree, choice) { proof in
            if let text = proof["proofValue"]?.string, var octets = Base58.decode(Array(text.utf8.dropFirst())[...]) {
                change(&octets)
                proof["proofValue"] = .string("z" + Base58.encode(octets))
            }
            if let text = proof["jws"]?.string, let dot = text.lastIndex(of: "."),
                var octets = Base64URL.decode(Array(text[text.index(after: dot)...].utf8))
            {
                change(&octets)
                proof["jws"] = .string(String(text[...dot]) + String(decoding: Base64URL.encode(octets), as: UTF8.self))
            }
        }
    }

    private static func multibase(_ text: String, _ random: inout SeededRandom) -> String {
        let digits = String(text.dropFirst())
        let octets = Base58.decode(Array(digits.utf8)[...]) ?? []
        return random.one(of: [
            "z1" + digits, "z11" + digits, digits, "Z" + digits, "m" + digits, text + "1", text + " ", " " + text, "zz" + digits,
            text + "0", "u" + String(decoding: Base64URL.encode(octets), as: UTF8.self),
            "f" + Hex.text(octets), "z", "", String(text.reversed()),
            "z" + Base58.encode(octets + [0]),
        ]) ?? text
    }

    private static func detached(_ text: String, _ random: inout SeededRandom) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return text }
        let last = parts[2].last.map(String.init) ?? ""
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let next = letters.firstIndex(of: Character(last.isEmpty ? "A" : last)).flatMap {
            letters.index($0, offsetBy: 1, limitedBy: letters.index(before: letters.endIndex))
        }
        return random.one(of: [
            parts[0] + ".aGVsbG8." + parts[2], parts[0] + ".e30." + parts[2], parts[0] + "=.." + parts[2], text + "=", text + "==",
            parts[0] + "." + parts[2],
            text + ".", "." + text, parts[0] + ".." + parts[2].dropLast() + String(next.map { letters[$0] } ?? "A"), parts[0] + "..",
            ".." + parts[2],
            parts[0] + ".." + parts[2].replacing("-", with: "+").replacing("_", with: "/"), " " + text, text + "\n",
            parts[0] + ". ." + parts[2],
        ]) ?? text
    }

    private static func changeHeader(_ header: inout Tree, _ random: inout SeededRandom) {
        switch random.below(9) {
        case 0: header["alg"] = .string(random.one(of: ["none", "HS256", "RS256", "PS256", "ES256", "ES256K", "EdDSA", "ES384"]) ?? "")
        case 1: header["b64"] = random.chance(50) ? .json("true") : nil
        case 2: header["crit"] = random.chance(50) ? .json(#"["b64","exp"]"#) : nil
        case 3: header["kid"] = .string("other")
        case 4: header = .object((header.members ?? []).reversed())
        case 5: header["jwk"] = .json(#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
        case 6: header.append(Tree.Member("alg", .string("none")))
        case 7: header["crit"] = .json("[]")
        default: header["typ"] = .string("JWT")
        }
    }
}

import TestSupport

extension Mutator {
    /// What a wallet puts around the credential. It is nobody's word.
    static let wrapperMutators: [Mutator] = [
        tree("wrapper", 30) { tree, random, sample in
            var forged = tree
            if let path = random.one(of: forged["credentialSubject"]?.leaves ?? []) {
                forged["credentialSubject"]?.set(path, .string("forged"))
            }
            tree = wrapper(tree, forged, &random, sample)
        }
    ]

    private static func wrapper(_ good: Tree, _ forged: Tree, _ random: inout SeededRandom, _ sample: Sample) -> Tree {
        typealias Member = Tree.Member
        func object(_ members: Member...) -> Tree { .object(members) }
        let metadata = Member(
            "vcMetadata",
            object(
                Member("isVerified", .json("true")), Member("format", .string(random.one(of: ["ldp_vc", "mso_mdoc", "vc+sd-jwt"]) ?? "")),
                Member("issuer", .string(random.one(of: sample.issuers) ?? ""))))
        let face = Member("credential", object(Member("biometrics", object(Member("face", .string(portrait))))))
        return random.one(of: [
            object(
                metadata, face, Member("verifiableCredential", object(Member("credential", good), Member("processedCredential", forged)))),
            object(
                Member("verifiableCredential", object(Member("processedCredential", forged), Member("credential", good))), face, metadata),
            object(metadata, face, Member("verifiableCredential", good)),
            object(Member("verifiableCredential", object(Member("credential", forged))), metadata),
            object(Member("verifiableCredential", object(Member("credential", .string(good.text)))), face),
            object(Member("verifiableCredential", object(Member("credential", .array([good, forged]))))),
            object(Member("verifiableCredential", .array([good, forged])), face),
            object(Member("verifiableCredential", forged), Member("verifiableCredential", good)),
            object(Member("verifiableCredential", good), Member("credential", forged), Member("proof", good["proof"] ?? .array([]))),
            .object((forged.members ?? []) + [Member("verifiableCredential", object(Member("credential", good)))]),
            .object((good.members ?? []) + [Member("verifiableCredential", object(Member("credential", forged)))]),
            .object((good.members ?? []) + [face, metadata]), .array([good]), .string(good.text), object(Member("credential", good)),
            object(Member("verifiableCredential", object(Member("credential", object(Member("credential", good)))))),
            object(Member("verifiableCredential", .object((good.members ?? []) + [Member("credential", forged)])), face),
        ]) ?? good
    }
}

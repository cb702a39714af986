import Foundation
import JSON
import ProofVectors
import TestSupport
import Testing

@testable import DIDComm

/// `envelopes.json`: five that open, with what is in them, and twenty-five that do not. `aries-check` compares the values in between too.
@Suite(.enabled(if: AriesSuite.isThere, "\(AriesSuite.folder) is not there"))
struct EnvelopeVectorTests {
    private static let reasons: [String: EnvelopeFault] = [
        "r01_other_recipient": .notForUs, "r02_iv_changed": .content, "r02_ciphertext_changed": .content, "r02_tag_changed": .content,
        "r03_protected_changed": .content, "r04_enc": .encryption, "r05_alg": .algorithm, "r06_typ": .type,
        "r07_authcrypt_without_sender": .entry, "r08_authcrypt_without_iv": .entry, "r09_no_recipients": .recipients,
        "r10_33_recipients": .recipients, "r11_anoncrypt_with_sender": .entry, "r12_other_sender": .contentKey,
        "r13_sender_not_base58": .sender, "r14_key_short": .wrappedKey, "r15_no_protected": .missing, "r15_no_iv": .member,
        "r15_no_ciphertext": .member, "r15_no_tag": .member, "r16_nonce_of_24": .nonce, "r17_tag_of_8": .tag,
        "r18_member_twice": .malformed, "r19_not_base64": .header, "r20_low_order": .sender,
    ]

    @Test func everyEnvelopeOpensOrIsRefusedForItsReason() throws {
        let file = try AriesSuite.file("envelopes")
        let seed = Hex.bytes(file["gate"]?["ed25519_seed"]?.string ?? "")
        var opened = 0, refused = 0
        for vector in try #require(file["vectors"]?.elements) {
            let name = vector["name"]?.string ?? ""
            let text = vector["text"]?.stringBytes ?? vector["envelope"]?.compact ?? []
            let outcome = try Opened(text, by: seed)
            if vector["expect"]?.isString("open") == true {
                opened += 1
                #expect(outcome == .message(Hex.bytes(vector["message"]?.string ?? ""), sender: vector["sender"]?.string), "\(name)")
            } else {
                refused += 1
                #expect(outcome == Self.reasons[name].map { .fault($0) }, "\(name)")
            }
        }
        #expect(opened == 5 && refused == 25)
    }

    @Test func theKeysHaveTheirNamesInEveryForm() throws {
        let file = try AriesSuite.file("envelopes")
        for name in ["gate", "wallet", "other"] {
            let vector = try #require(file[name])
            let key = try TestKeys.key(Hex.bytes(vector["ed25519_seed"]?.string ?? ""))
            #expect(key.kid == vector["kid"]?.string)
            #expect(key.didKey == vector["did_key"]?.string)
            let secret = Hex.bytes(vector["x25519_secret"]?.string ?? "")
            let isSame = key.hasSecret(secret.span)
            #expect(isSame)
            let didKey = key.didKey
            #expect(EnvelopeRecipient(reference: didKey)?.kid == key.kid)
            #expect(EnvelopeRecipient(reference: didKey + "#" + didKey.dropFirst("did:key:".count))?.kid == key.kid)
            #expect(EnvelopeRecipient(reference: key.kid)?.didKey == didKey)
        }
    }
}

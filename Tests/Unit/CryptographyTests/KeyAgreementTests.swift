import Cryptography
import Testing

@Suite struct KeyAgreementTests {
    // RFC 7748 section 6.1; in Tuvali's terms Alice is the verifier and Bob the wallet.
    static let aliceSecret = hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    static let alicePublic = hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    static let bobSecret = hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    static let bobPublic = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    static let shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")

    @Test func bothSidesOfTheStandardExampleAgree() throws {
        let alice = try KeyAgreement(privateKey: Self.aliceSecret.span)
        let bob = try KeyAgreement(privateKey: Self.bobSecret.span)
        #expect(array(alice.publicKey) == Self.alicePublic)
        #expect(array(bob.publicKey) == Self.bobPublic)
        let fromAlice = try alice.agree(with: bob.publicKey.span)
        let fromBob = try bob.agree(with: alice.publicKey.span)
        #expect(array(fromAlice) == Self.shared)
        #expect(array(fromBob) == Self.shared)
    }

    @Test func freshPairsDifferAndAgree() throws {
        var gate = try KeyAgreement()
        let wallet = try KeyAgreement()
        let first = array(gate.publicKey)
        try gate.renew()
        #expect(array(gate.publicKey) != first)
        let one = try gate.agree(with: wallet.publicKey.span)
        let other = try wallet.agree(with: gate.publicKey.span)
        #expect(array(one) == array(other))
    }

    @Test func lowOrderPeersAreRefused() throws {
        let gate = try KeyAgreement()
        let peers = [
            String(repeating: "00", count: 32),
            "01" + String(repeating: "00", count: 31),
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ec" + String(repeating: "ff", count: 30) + "7f",
            "ed" + String(repeating: "ff", count: 30) + "7f",
            "ee" + String(repeating: "ff", count: 30) + "7f",
        ]
        for peer in peers {
            let key = hex(peer)
            let error = failure { () throws(CryptographyError) in _ = try gate.agree(with: key.span) }
            #expect(error == .lowOrderPoint, "\(peer)")
        }
        // A refusal leaves the pair usable.
        _ = try gate.agree(with: Self.bobPublic.span)
    }

    @Test func everyOtherLengthIsRefused() throws {
        let gate = try KeyAgreement()
        for length in 0...80 where length != 32 {
            let key = [UInt8](repeating: 9, count: length)
            #expect(failure { () throws(CryptographyError) in _ = try gate.agree(with: key.span) } == .wrongLength)
            #expect(failure { () throws(CryptographyError) in _ = try KeyAgreement(privateKey: key.span) } == .wrongLength)
        }
    }

    @Test func aForgottenKeyAgreesWithNobody() throws {
        var gate = try KeyAgreement()
        gate.forget()
        #expect(array(gate.publicKey) == [UInt8](repeating: 0, count: 32))
        do throws(CryptographyError) {
            _ = try gate.agree(with: Self.bobPublic.span)
            Issue.record("agreed without a key")
        } catch {
            #expect(error == .keyForgotten)
        }
        try gate.renew()
        _ = try gate.agree(with: Self.bobPublic.span)
    }
}

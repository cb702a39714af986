import Cryptography
import TestSupport
import Testing

/// RFC 4231 sections 4.2 and 4.3.
struct MessageAuthenticationTests {
    @Test func tagsAreThoseOfTheStandard() throws {
        let first = try Secret(copying: [UInt8](repeating: 0x0B, count: 20).span)
        #expect(
            try MessageAuthentication.tag(of: Array("Hi There".utf8).span, key: first)
                == Hex.bytes("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
        let second = try Secret(copying: Array("Jefe".utf8).span)
        #expect(
            try MessageAuthentication.tag(of: Array("what do ya want for nothing?".utf8).span, key: second)
                == Hex.bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    }
}

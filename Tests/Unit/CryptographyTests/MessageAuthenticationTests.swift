import Cryptography
import TestSupport
import Testing

/// RFC 4231 sections 4.2 and 4.3.
struct MessageAuthenticationTests {
    private func tag(_ key: [UInt8], _ message: String) throws -> String {
        let key = try Secret(copying: key.span), message = Array(message.utf8)
        return Hex.text(try MessageAuthentication.tag(of: message.span, key: key))
    }

    @Test func tagsAreThoseOfTheStandard() throws {
        #expect(
            try tag([UInt8](repeating: 0x0B, count: 20), "Hi There")
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            try tag(Array("Jefe".utf8), "what do ya want for nothing?")
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}

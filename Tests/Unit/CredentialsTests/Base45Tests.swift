import TestSupport
import Testing

@testable import Envelopes

@Suite struct Base45Tests {
    private func decode(_ text: String) -> [UInt8]? { Base45.decode(Array(text.utf8).span) }

    /// RFC 9285 sections 4.3 and 4.4.
    @Test(arguments: [("AB", "BB8"), ("Hello!!", "%69 VD92EX0"), ("base-45", "UJCLQE7W581"), ("ietf!", "QED8WEX0"), ("", "")])
    func published(_ octets: String, _ text: String) {
        #expect(decode(text) == Array(octets.utf8))
        #expect(base45(Array(octets.utf8)) == Array(text.utf8))
    }

    @Test("one character too many, groups beyond their octets, and all that is no character of it")
    func refused() {
        // FGW is 65,535 and U5 is 255: the largest there are.
        #expect(decode("FGW") == [0xFF, 0xFF] && decode("U5") == [0xFF])
        for text in ["B", "BB8B", "GGW", "FGX", "FHW", ":::", "V5", "U6", "::", "bb8", "BB\u{e4}", "BB8\n", "B,8", "BB8 ", "0"] {
            #expect(decode(text) == nil, "\(text)")
        }
        #expect(decode("BB8 0") == [0x41, 0x42, 36])
        for octet in UInt8.min...UInt8.max {
            let isDigit = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8).contains(octet)
            #expect((Base45.decode([octet, UInt8(ascii: "0")].span) != nil) == isDigit, "\(octet)")
        }
    }

    @Test("every two octets, and each alone, there and back")
    func everyGroup() {
        for number in 0...0xFFFF {
            let octets = [UInt8(number >> 8), UInt8(number & 0xFF)]
            guard Base45.decode(base45(octets).span) == octets else {
                Issue.record("\(octets)")
                return
            }
        }
        for octet in UInt8.min...UInt8.max { #expect(Base45.decode(base45([octet]).span) == [octet]) }
    }
}

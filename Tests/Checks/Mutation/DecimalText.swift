/// Numbers of a thousand digits as they are written, for changing them: nothing is shared with the gate.
enum DecimalText {
    /// Digits without a sign.
    static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } && (text.utf8.count == 1 || text.first != "0")
    }

    /// Big-endian, without leading zeros.
    static func octets(_ text: String) -> [UInt8] {
        var octets: [UInt8] = []
        for digit in text.utf8 {
            var carry = Int(digit - UInt8(ascii: "0"))
            for place in octets.indices {
                carry += Int(octets[place]) * 10
                octets[place] = UInt8(carry & 255)
                carry >>= 8
            }
            if carry > 0 { octets.append(UInt8(carry)) }
        }
        return octets.reversed()
    }

    static func text(_ octets: [UInt8]) -> String {
        var digits: [UInt8] = []
        for octet in octets {
            var carry = Int(octet)
            for place in digits.indices {
                carry += Int(digits[place]) << 8
                digits[place] = UInt8(carry % 10)
                carry /= 10
            }
            while carry > 0 {
                digits.append(UInt8(carry % 10))
                carry /= 10
            }
        }
        return digits.isEmpty ? "0" : String(digits.reversed().map { Character(Unicode.Scalar($0 + UInt8(ascii: "0"))) })
    }

    /// One more or one less; zero less one is one.
    static func stepped(_ octets: [UInt8], up: Bool) -> [UInt8] {
        var octets = [0] + octets
        for place in octets.indices.reversed() {
            octets[place] = up ? octets[place] &+ 1 : octets[place] &- 1
            if octets[place] != (up ? 0 : 255) { return Array(octets.drop { $0 == 0 }) }
        }
        return [1]
    }

    /// With one bit of it, or the one above its highest, another.
    static func flipped(_ octets: [UInt8], bit: Int) -> [UInt8] {
        var octets = [0] + octets
        let place = octets.count - 1 - bit / 8
        if octets.indices.contains(place) { octets[place] ^= 1 << UInt8(bit % 8) }
        return Array(octets.drop { $0 == 0 })
    }
}

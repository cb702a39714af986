import Envelopes

/// What Inji's verifier takes for a URI: whatever Java's `java.net.URI` reads, with a scheme, and with a host where the scheme is of the
/// web; and hosts that Java has no word for, but the web does: with an underscore (RFC 3986 section 3.2.2), and in other scripts (RFC
/// 3987).
enum AbsoluteURI {
    static func isValid(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), isScheme(octets[..<colon]), hasLegalText(text, octets) else {
            return false
        }
        let (body, fragment) = cut(octets[(colon + 1)...], at: UInt8(ascii: "#"))
        // Something must follow the scheme, and a fragment has no second one in it.
        guard !body.isEmpty, fragment?.contains(UInt8(ascii: "#")) != true else { return false }
        let scheme = String(decoding: octets[..<colon], as: UTF8.self)
        guard scheme == "http" || scheme == "https" else { return true }
        guard body.starts(with: "//".utf8) else { return false }
        return hasHost(body.dropFirst(2).prefix { !"/?".utf8.contains($0) })
    }

    private static func cut(_ octets: ArraySlice<UInt8>, at mark: UInt8) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        guard let place = octets.firstIndex(of: mark) else { return (octets, nil) }
        return (octets[..<place], octets[(place + 1)...])
    }

    /// RFC 3986 section 3.1.
    private static func isScheme(_ octets: ArraySlice<UInt8>) -> Bool {
        guard let first = octets.first, isLetter(first) else { return false }
        return octets.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    /// No space, control or delimiter (RFC 2396 section 2.4.3); `%` begins two hexadecimal digits; other scripts may stand as they are.
    private static func hasLegalText(_ text: String, _ octets: [UInt8]) -> Bool {
        for scalar in text.unicodeScalars {
            if scalar.value <= 0x20 || "<>\"\\^`{|}\u{7F}".unicodeScalars.contains(scalar) { return false }
            if scalar.value > 0x7F, scalar.properties.isWhitespace || scalar.properties.generalCategory == .control { return false }
        }
        for place in octets.indices where octets[place] == UInt8(ascii: "%") {
            guard octets.dropFirst(place + 1).prefix(2).filter({ Hexadecimal.value($0) != nil }).count == 2 else { return false }
        }
        return true
    }

    /// `[user@]host[:port]` (RFC 2396 section 3.2.2): a name of labels, or an address in brackets.
    private static func hasHost(_ authority: ArraySlice<UInt8>) -> Bool {
        let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
        if host.first == UInt8(ascii: "[") {
            guard let close = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = host[(host.startIndex + 1)..<close]
            guard !address.isEmpty, address.allSatisfy({ Hexadecimal.value($0) != nil || ":.".utf8.contains($0) }) else { return false }
            return isPort(host[(close + 1)...])
        }
        let (name, port) = cut(host, at: UInt8(ascii: ":"))
        guard port?.allSatisfy(isDigit) != false else { return false }
        var labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        return labels.allSatisfy { label in
            guard let first = label.first, let last = label.last else { return false }
            return first != UInt8(ascii: "-") && last != UInt8(ascii: "-")
                && label.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 > 0x7F }
                && areLetters(label)
        }
    }

    /// Whether what is not ASCII is of a script: letters, their marks, digits.
    private static func areLetters(_ label: ArraySlice<UInt8>) -> Bool {
        String(decoding: label, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            if scalar.isASCII || scalar.properties.isAlphabetic { return true }
            return [.nonspacingMark, .spacingMark, .decimalNumber].contains(scalar.properties.generalCategory)
        }
    }

    private static func isPort(_ octets: ArraySlice<UInt8>) -> Bool {
        octets.isEmpty || (octets.first == UInt8(ascii: ":") && octets.dropFirst().allSatisfy(isDigit))
    }

    private static func isLetter(_ octet: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= octet | 0x20 }
    private static func isDigit(_ octet: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet }
}

extension String {
    /// Equal octet for octet. `==` also holds for canonically equivalent texts, which no identifier in a credential may rely on.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension ArraySlice<UInt8> {
    /// The parts between separators, empty ones too: one more than there are separators.
    ///
    /// - Returns: nil when there are more than `most` parts. The library's `split` does the same and takes most of a verification's time.
    package func separated(by separator: UInt8, most: Int) -> [ArraySlice<UInt8>]? {
        let octets = span
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        for position in octets.indices where octets[position] == separator {
            guard parts.count + 1 < most else { return nil }
            parts.append(self[startIndex + start..<startIndex + position])
            start = position + 1
        }
        guard parts.count < most else { return nil }
        parts.append(self[startIndex + start..<endIndex])
        return parts
    }
}

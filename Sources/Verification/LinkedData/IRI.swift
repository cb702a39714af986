/// The five components of an IRI reference (RFC 3986 section 3, appendix B) and the resolution of one against another (section 5.2).
struct IRIReference {
    var scheme: Text?
    var authority: Text?
    var path: Text
    var query: Text?
    var fragment: Text?

    init(_ text: Text) {
        var rest = Array(text.utf8)[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = Text(decoding: rest[(hash + 1)...])
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = Text(decoding: rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        if let length = IRIReference.schemeLength(rest) {
            scheme = Text(decoding: rest.prefix(length))
            rest = rest.dropFirst(length + 1)
        }
        if rest.starts(with: "//".utf8) {
            let after = rest.dropFirst(2)
            let end = after.firstIndex(of: UInt8(ascii: "/")) ?? after.endIndex
            authority = Text(decoding: after[..<end])
            rest = after[end...]
        }
        path = Text(decoding: rest)
    }

    /// Octets of the scheme in front of a colon; nil when there is no scheme.
    static func schemeLength(_ octets: some Collection<UInt8>) -> Int? {
        var length = 0
        for byte in octets {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if length == 0 { return nil }
            case UInt8(ascii: ":"): return length > 0 ? length : nil
            default: return nil
            }
            length += 1
        }
        return nil
    }

    /// The components put together again (section 5.3).
    var text: Text {
        var text = ""
        if let scheme { text += scheme.string + ":" }
        if let authority { text += "//" + authority.string }
        text += path.string
        if let query { text += "?" + query.string }
        if let fragment { text += "#" + fragment.string }
        return Text(text)
    }

    /// The target of `reference` seen from `base` (section 5.2.2, strict).
    static func resolve(_ reference: Text, against base: Text) -> Text {
        var target = IRIReference(reference)
        let base = IRIReference(base)
        if target.scheme != nil || target.authority != nil {
            target.path = removeDotSegments(target.path)
        } else {
            if target.path.isEmpty {
                target.path = base.path
                target.query = target.query ?? base.query
            } else if target.path.utf8.first == UInt8(ascii: "/") {
                target.path = removeDotSegments(target.path)
            } else {
                target.path = removeDotSegments(merge(target.path, onto: base))
            }
            target.authority = base.authority
        }
        target.scheme = target.scheme ?? base.scheme
        return target.text
    }

    private static func merge(_ path: Text, onto base: IRIReference) -> Text {
        if base.authority != nil, base.path.isEmpty { return Text("/" + path.string) }
        guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        // In octets: as characters, a slash and a combining mark after it are one.
        return Text(decoding: Array(base.path.utf8[...slash]) + Array(path.utf8))
    }

    /// Section 5.2.4, over segments rather than octet by octet.
    private static func removeDotSegments(_ path: Text) -> Text {
        guard path.contains(".") else { return path }
        return path.withOctets { octets in
            let slash = UInt8(ascii: "/")
            let first = octets.first == slash ? 1 : 0
            var kept: [UInt8] = first == 1 ? [slash] : []
            kept.reserveCapacity(octets.count)
            // Where in `kept` each segment begins.
            var starts: [Int] = []
            func keep(_ segment: UnsafeRawBufferPointer) {
                if !starts.isEmpty { kept.append(slash) }
                starts.append(kept.count)
                kept.append(contentsOf: segment)
            }
            var start = first
            while start <= octets.count {
                let rest = UnsafeRawBufferPointer(rebasing: octets[start...])
                let segment = UnsafeRawBufferPointer(rebasing: rest.prefix { $0 != slash })
                let isLast = segment.count == rest.count
                let isDots = segment.count <= 2 && segment.allSatisfy { $0 == UInt8(ascii: ".") }
                switch isDots ? segment.count : 0 {
                case 1: break
                case 2:
                    // The slash before it goes too, unless it was the first.
                    if let start = starts.popLast() { kept.removeLast(kept.count - start + (starts.isEmpty ? 0 : 1)) }
                default: keep(segment)
                }
                if isLast, isDots, !segment.isEmpty { keep(UnsafeRawBufferPointer(rebasing: rest.suffix(0))) }
                start += segment.count + 1
            }
            return Text(decoding: kept)
        }
    }
}

extension Text {
    /// Begins with a scheme and a colon, so it needs no base. (Blank node identifiers do not: `_` begins no scheme.)
    var hasScheme: Bool { withOctets { IRIReference.schemeLength($0) != nil } }

    var isBlankNode: Bool { withOctets { $0.starts(with: "_:".utf8) } }

    /// An IRI that may stand in a dataset: a scheme, one fragment, and none of the octets N-Quads forbids between angle brackets.
    var isWellFormedIRI: Bool {
        withOctets { octets in
            guard IRIReference.schemeLength(octets) != nil else { return false }
            var fragments = 0
            for octet in octets {
                switch octet {
                case UInt8(ascii: "#"): fragments += 1
                case 0...0x20, 0x7F, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"),
                    UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"):
                    return false
                default: continue
                }
            }
            return fragments <= 1
        }
    }

    /// BCP 47 as far as RDF needs it: `[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*`.
    var isWellFormedLanguage: Bool {
        var length = 0
        var first = true
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): length += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !first: length += 1
            case UInt8(ascii: "-") where length > 0:
                length = 0
                first = false
            default: return false
            }
            if length > 8 { return false }
        }
        return length > 0
    }
}

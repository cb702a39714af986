import CBOR
import TestSupport

/// A CWT taken apart into encoded items, to be put together otherwise.
struct TokenParts {
    var tags: [UInt8]
    /// Protected header, unprotected header, payload, signature; each a whole CBOR item.
    var items: [[UInt8]]

    /// - Parameter octets: of a token, not hexadecimal.
    init?(_ octets: [UInt8]) {
        guard let document = try? CBORDocument(parsing: octets) else { return nil }
        var item = document.root
        while let content = item.content { item = content }
        guard let elements = item.elements, elements.count == 4 else { return nil }
        tags = Array(octets[..<item.sourceRange.lowerBound])
        items = elements.map(\.source)
    }

    var octets: [UInt8] { tags + Self.head(4, items.count) + items.flatMap { $0 } }

    /// What is inside one of the byte strings.
    subscript(content place: Int) -> [UInt8] {
        get { items.indices.contains(place) ? (try? CBORDocument(parsing: items[place]).root.bytes) ?? [] : [] }
        set { if items.indices.contains(place) { items[place] = Self.head(2, newValue.count) + newValue } }
    }

    /// The shortest head of a major type (RFC 8949 section 3).
    static func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
        switch argument {
        case ..<24: [major << 5 | UInt8(argument)]
        case ..<256: [major << 5 | 24, UInt8(argument)]
        default: [major << 5 | 25, UInt8(argument >> 8 & 0xFF), UInt8(argument & 0xFF)]
        }
    }

    /// Every item in `octets`, those inside others too, also those in byte strings that hold CBOR.
    static func ranges(in octets: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        func visit(_ item: CBORItem, _ offset: Int) {
            let range = item.sourceRange
            ranges.append(range.lowerBound + offset..<range.upperBound + offset)
            for pair in item.pairs ?? [] {
                visit(pair.key, offset)
                visit(pair.value, offset)
            }
            for element in item.elements ?? [] { visit(element, offset) }
            if let content = item.content { visit(content, offset) }
            if let bytes = item.bytes, bytes.count > 2, let inner = try? CBORDocument(parsing: bytes) {
                visit(inner.root, offset + range.upperBound - bytes.count)
            }
        }
        if let document = try? CBORDocument(parsing: octets) { visit(document.root, 0) }
        return ranges
    }
}

extension Mutator {
    private static let quote = Array("\"".utf8)
    private static let forged = Array("forged".utf8)

    // Lists with their types, outside the closures: within them the type checker of Swift 6.2 gives up.
    private static let items: [[UInt8]] = [
        [0x00], [0x20], [0xF6], [0xF7], [0xF5], [0xF4], [0x40], [0x60], [0x80], [0xA0], [0xC1, 0x00],
        [0xFB, 0x7E, 0x37, 0xE4, 0x3C, 0x88, 0x00, 0x75, 0x9C], [0x18, 0x00],
        [0x66] + forged, [0x46] + forged, [0x5F, 0x41, 0x00, 0xFF], [0xBF, 0xFF], [0x1A, 0xFF, 0xFF, 0xFF, 0xFF], [0x02], [0x10],
        [0x18, 0xA9],
    ]
    private static let claims: [[UInt8]] = [
        [0x04, 0x1B, 0, 0, 0, 1, 0, 0, 0, 0], [0x01, 0x60], [0x18, 0xA9, 0xA1, 0x04, 0x66] + forged, [0x10, 0x46] + forged,
        [0x19, 0xFF, 0xFF, 0xA0],
    ]
    private static let unprotectedHeaders: [[UInt8]] = [
        [0xA1, 0x01, 0x26], [0xA1, 0x01, 0x27], [0xA1, 0x04, 0x46] + forged, [0xA1, 0x02, 0x81, 0x04], [0xA1, 0x18, 0x21, 0x40],
        [0xA0], [0xBF, 0xFF], [0xA1, 0x19, 0x03, 0xE8, 0xF6], [0xA1, 0x61, 0x78, 0x61, 0x79], [0x80], [0xF6],
        [0xA2, 0x01, 0x26, 0x01, 0x26], [0xB8, 0x00], [0xA1, 0x05, 0x40], [0xA1, 0x04, 0x43, 0x00, 0xFF, 0x11], [0xA1, 0x18, 0x21, 0x01],
        [0xA1, 0x01, 0x32],
    ]
    private static let protectedHeaders: [[UInt8]] = [
        [], [0xA0], [0xA1, 0x01, 0x26], [0xA1, 0x01, 0x27], [0xA1, 0x01, 0x38, 0x2E], [0xA1, 0x01, 0x32], [0xA1, 0x01, 0x28],
        [0xA2, 0x01, 0x32, 0x04, 0x43, 0x00, 0xFF, 0x11], [0xA2, 0x01, 0x26, 0x01, 0x26],
    ]
    private static let otherTags: [[UInt8]] = [
        [], [0xD2], [0xD8, 0x3D], [0xD8, 0x3D, 0xD2, 0xD2], [0xD8, 0x3D, 0xD8, 0x3D, 0xD2], [0xD8, 0x62], [0xD1],
        [0xD9, 0xD9, 0xF7, 0xD8, 0x3D, 0xD2], [0xD8, 0x3D, 0xD8, 0x12],
    ]

    /// CBOR: octets of the token itself and not of its hexadecimal text, its items, its headers, its tags.
    static let tokenMutators: [Mutator] = [
        token("token: octet", 40) { octets, random, _ in
            guard !octets.isEmpty else { return }
            let place = random.below(octets.count)
            switch random.below(4) {
            case 0: octets[place] = random.octet()
            case 1: octets.insert(random.octet(), at: place)
            case 2: octets.remove(at: place)
            default: octets[place] ^= 1 << UInt8(random.below(8))
            }
        },
        token("token: item replaced", 20) { octets, random, _ in
            if let range = random.one(of: TokenParts.ranges(in: octets)) {
                octets.replaceSubrange(range, with: random.one(of: items) ?? [])
            }
        },
        parts("payload: item replaced", 30) { parts, random in
            let ranges = TokenParts.ranges(in: parts[content: 2])
            guard let range = random.one(of: ranges), let other = random.one(of: ranges) else { return }
            let payload = parts[content: 2]
            parts[content: 2].replaceSubrange(range, with: random.chance(40) ? Array(payload[other]) : random.one(of: items) ?? [])
        },
        parts("payload: claim added", 20) { parts, random in
            guard let head = parts[content: 2].first, head >> 5 == 5, head & 31 < 23, let claim = random.one(of: claims) else { return }
            let rest = parts[content: 2].dropFirst()
            parts[content: 2] = [head + 1] + (random.chance(50) ? claim + rest : rest + claim)
        },
        parts("header: unprotected", 20) { parts, random in
            parts.items[1] = random.one(of: unprotectedHeaders) ?? []
        },
        parts("header: protected", 20) { parts, random in
            if random.chance(50) {
                parts[content: 0] = random.one(of: protectedHeaders) ?? []
            } else {
                (parts.items[0], parts.items[1]) = (parts[content: 0], [0xA0])
            }
        },
        parts("parts: moved", 10) { parts, random in
            switch random.below(5) {
            case 0: random.shuffle(&parts.items)
            case 1: parts.items.append([0xF6])
            case 2: parts.items[2] = [0xF6]
            case 3: parts.items[2] = parts[content: 2]
            default: parts.items.removeLast()
            }
        },
        parts("tags", 10) { parts, random in
            parts.tags = random.one(of: otherTags) ?? []
        },
        parts("signature", 20) { parts, random in
            var signature = parts[content: 3]
            switch random.below(6) {
            case 0: signature = MirroredSignature.of(signature, order: random.one(of: MirroredSignature.orders) ?? [])
            case 1: signature = Array(repeating: 0, count: signature.count)
            case 2: signature.append(0)
            case 3: signature.insert(0, at: 0)
            case 4 where !signature.isEmpty: signature.removeLast()
            default: if !signature.isEmpty { signature[random.below(signature.count)] ^= 1 << UInt8(random.below(8)) }
            }
            parts[content: 3] = signature
        },
        octets("token: as other text", 10) { octets, random, _ in
            guard let token = Hex.decode(octets) else { return }
            let quoted: [UInt8] = quote + octets + quote
            let texts: [[UInt8]] = [
                Array(Hex.text(token, uppercase: true).utf8), token, Base64URL.encode(token), quoted, octets + octets, token + token,
                token + [0],
            ]
            octets = random.one(of: texts) ?? octets
        },
        octets("token: in a wrapper", 5) { octets, random, _ in
            octets =
                Array(#"{"credential":{"biometrics":{"face":"\#(portrait)"}},"verifiableCredential":{"credential":""#.utf8) + octets
                + Array(#"","16":"forged"}}"#.utf8)
        },
    ]

    private static func token(
        _ name: String, _ weight: Int, _ change: @escaping @Sendable (inout [UInt8], inout SeededRandom, Sample) -> Void
    )
        -> Mutator
    {
        octets(name, weight) { octets, random, sample in
            guard var token = Hex.decode(octets) else { return }
            change(&token, &random, sample)
            octets = Array(Hex.text(token).utf8)
        }
    }

    private static func parts(_ name: String, _ weight: Int, _ change: @escaping @Sendable (inout TokenParts, inout SeededRandom) -> Void)
        -> Mutator
    {
        token(name, weight) { octets, random, _ in
            guard var parts = TokenParts(octets) else { return }
            change(&parts, &random)
            octets = parts.octets
        }
    }
}

import Envelopes
import JSON

/// The parameters of an answer (trustedkey.md section 2): names that are known, each once, decoded and no more.
struct AnswerParameters {
    /// The parameters by their names.
    enum Name: String, CaseIterable {
        case result, nonce, token = "id_token", certs, chain
    }

    /// UTF-8.
    private var values: [Name: [UInt8]] = [:]

    /// Octets of the longest answer, of each kind.
    static let longest = 64 << 10
    /// An object of as many texts as there are names.
    private static let limits = JSONLimits(bytes: longest, depth: 1, nodes: 2 * Name.allCases.count + 1)

    subscript(name: Name) -> [UInt8]? { values[name] }

    /// From a query, or from the body of a form: pairs joined by `&`, or none. Throws `answerMalformed`.
    init(query: ArraySlice<UInt8>) throws(TrustedKeyFault) {
        guard !query.isEmpty else { return }
        guard query.count <= Self.longest,
            let pairs = query.separated(by: UInt8(ascii: "&"), most: Name.allCases.count)
        else { throw .answerMalformed }
        for pair in pairs {
            // Nothing but the first sign divides: base64 may end with others, if a wallet leaves them as they are.
            guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { throw .answerMalformed }
            try add(Self.decoded(pair[..<sign]), Self.decoded(pair[(sign + 1)...]))
        }
    }

    /// From a JSON text: an object whose members are texts. Throws `answerMalformed`.
    init(json: Span<UInt8>) throws(TrustedKeyFault) {
        guard let document = try? JSONDocument(parsing: json, limits: Self.limits), let members = document.root.members else {
            throw .answerMalformed
        }
        for member in members {
            guard let name = member.key.stringBytes, let value = member.value.stringBytes else { throw .answerMalformed }
            try add(name, value)
        }
    }

    private mutating func add(_ name: [UInt8], _ value: [UInt8]) throws(TrustedKeyFault) {
        guard let known = Name.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) }), values[known] == nil else {
            throw .answerMalformed
        }
        values[known] = value
    }

    /// A name or a value without its percent signs; a plus is a blank, as forms have it.
    private static func decoded(_ text: ArraySlice<UInt8>) throws(TrustedKeyFault) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            let octet = text[position]
            guard CallbackAddress.isVisible(octet) else { throw .answerMalformed }
            if octet == UInt8(ascii: "%") {
                guard text.endIndex - position > 2, let high = Hexadecimal.value(text[position + 1]),
                    let low = Hexadecimal.value(text[position + 2])
                else { throw .answerMalformed }
                octets.append(high << 4 | low)
                position += 3
            } else {
                octets.append(octet == UInt8(ascii: "+") ? UInt8(ascii: " ") : octet)
                position += 1
            }
        }
        guard String(validating: octets, as: UTF8.self) != nil else { throw .answerMalformed }
        return octets
    }
}

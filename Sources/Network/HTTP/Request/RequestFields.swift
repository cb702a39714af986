/// The header lines that mean something here (RFC 9112 sections 5, 6): the rest is checked for its form and read past.
struct RequestFields {
    private(set) var lines = 0
    private var hosts = 0
    private var length: Int?
    private var hasCoding = false
    private var hasType = false
    /// nil where the type is none that the endpoint takes.
    private var kind: ContentKind?
    private var isEncoded = false
    private var isExpecting = false

    /// What the header comes to.
    struct Body {
        let kind: ContentKind
        /// Octets.
        let length: Int
        /// The sender waits for a word before it sends the body.
        let isAwaited: Bool
    }

    /// Takes one line without its end. Throws `fieldFolded`, `fieldMalformed`, `tooManyFields`, `twoLengths`, `lengthMalformed`,
    /// `typeUnsupported`, `expectationUnknown`.
    mutating func take(_ line: borrowing Span<UInt8>, _ endpoint: Endpoint) throws(RequestFault) {
        lines += 1
        guard lines <= HTTPLimits.fieldLines else { throw .tooManyFields }
        guard line.count > 0, !Octets.isBlank(line[0]) else { throw .fieldFolded }
        var colon = 0
        while colon < line.count, Octets.isOfToken(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { throw .fieldMalformed }
        var start = colon + 1, end = line.count
        for index in start..<end where !Octets.isOfValue(line[index]) { throw .fieldMalformed }
        while start < end, Octets.isBlank(line[start]) { start += 1 }
        while end > start, Octets.isBlank(line[end - 1]) { end -= 1 }
        let name = line.extracting(0..<colon), value = line.extracting(start..<end)
        if Octets.equalIgnoringCase(name, "host") {
            hosts += 1
        } else if Octets.equalIgnoringCase(name, "content-length") {
            guard length == nil else { throw .twoLengths }
            length = try Self.number(value)
        } else if Octets.equalIgnoringCase(name, "transfer-encoding") {
            hasCoding = true
        } else if Octets.equalIgnoringCase(name, "content-type") {
            guard !hasType else { throw .typeUnsupported }
            (hasType, kind) = (true, ContentKind(endpoint, mediaType: value))
        } else if Octets.equalIgnoringCase(name, "content-encoding") {
            if !Octets.equalIgnoringCase(value, "identity") { isEncoded = true }
        } else if Octets.equalIgnoringCase(name, "expect") {
            guard Octets.equalIgnoringCase(value, "100-continue") else { throw .expectationUnknown }
            isExpecting = true
        }
    }

    /// At the empty line. What may be read in two ways is refused first, what is merely not served after that.
    func end(_ request: RequestLine) throws(RequestFault) -> Body {
        guard hosts == 1 || (hosts == 0 && request.isOld) else { throw .hostMissing }
        guard !hasCoding || length == nil else { throw .twoLengths }
        switch request.method {
        case nil: throw .methodNotAllowed
        case .get:
            guard !hasCoding, length ?? 0 == 0 else { throw .bodyUnexpected }
            return Body(kind: .query, length: 0, isAwaited: false)
        case .post:
            guard !hasCoding, let length else { throw .lengthRequired }
            guard !isEncoded else { throw .encodingUnsupported }
            guard let kind else { throw .typeUnsupported }
            guard length <= request.endpoint.mostBody else { throw .bodyTooLarge }
            guard length > 0 else { throw .bodyEmpty }
            return Body(kind: kind, length: length, isAwaited: isExpecting && !request.isOld)
        }
    }

    /// Digits and nothing else. A number with more of them than any body has octets is too large for every endpoint, whatever it is.
    private static func number(_ digits: borrowing Span<UInt8>) throws(RequestFault) -> Int {
        guard digits.count > 0 else { throw .lengthMalformed }
        var value = 0
        for index in digits.indices {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digits[index] else { throw .lengthMalformed }
            value = min(value * 10 + Int(digits[index] - UInt8(ascii: "0")), HTTPLimits.content + 1)
        }
        return value
    }
}

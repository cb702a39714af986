/// What is served, and nothing else is.
public enum Endpoint: UInt8, Hashable, Sendable, CaseIterable {
    /// `POST /didcomm`: a DIDComm envelope (aries.md section 6).
    case didcomm
    /// `GET` or `POST /tk/answer`: a Trusted Key answer (trustedkey.md section 2B).
    case answer

    /// The longest body, in octets.
    public var mostBody: Int {
        switch self {
        case .didcomm: HTTPLimits.envelope
        case .answer: HTTPLimits.answer
        }
    }

    /// What a refused method is told to use.
    public var allowed: String {
        switch self {
        case .didcomm: "POST"
        case .answer: "GET, POST"
        }
    }

    /// - Parameter target: in origin form, octet for octet: an escaped spelling of the same path is another path.
    init?(target: borrowing Span<UInt8>) {
        var end = 0
        while end < target.count, target[end] != UInt8(ascii: "?") { end += 1 }
        if Octets.equal(target.extracting(0..<end), "/didcomm"), end == target.count {
            self = .didcomm
        } else if Octets.equal(target.extracting(0..<end), "/tk/answer") {
            self = .answer
        } else {
            return nil
        }
    }
}

/// What a request brings.
public enum ContentKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A DIDComm envelope.
    case envelope
    /// An answer in the target's query; there is no body.
    case query
    /// An answer as the body of a form.
    case form
    /// An answer as a JSON text.
    case json

    /// By the media type, whose parameters are not looked at. nil where the endpoint takes none such.
    init?(_ endpoint: Endpoint, mediaType: borrowing Span<UInt8>) {
        var end = 0
        while end < mediaType.count, mediaType[end] != UInt8(ascii: ";") { end += 1 }
        while end > 0, Octets.isBlank(mediaType[end - 1]) { end -= 1 }
        let name = mediaType.extracting(0..<end)
        switch endpoint {
        case .didcomm where Octets.equalIgnoringCase(name, "application/didcomm-envelope-enc"): self = .envelope
        // What Credo and older agents send.
        case .didcomm where Octets.equalIgnoringCase(name, "application/ssi-agent-wire"): self = .envelope
        case .answer where Octets.equalIgnoringCase(name, "application/x-www-form-urlencoded"): self = .form
        case .answer where Octets.equalIgnoringCase(name, "application/json"): self = .json
        default: return nil
        }
    }
}

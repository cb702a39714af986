import JSON

/// A credential as it came over the air. It has no claims: nothing in it may be shown, used or believed before `CredentialVerifier` has seen it.
public struct ReceivedCredential: Sendable {
    /// What the octets look like.
    public let form: CredentialForm
    /// The credential itself: compact text for SD-JWT and JWT, the exact JSON object for `ldpVC`, text or octets for the rest.
    public let bytes: [UInt8]
    /// `vcMetadata.format` of the wallet's wrapper. Unsigned, and only a hint: `form` decides.
    public let formatHint: String?
    /// `vcMetadata.issuer` of the wallet's wrapper. Unsigned.
    public let issuerHint: String?

    /// The inflated message is at most 16 MiB, see the storage table.
    static let limits = JSONLimits(bytes: 16 << 20)

    /// Longest hint kept, in octets.
    private static let longestHint = 128

    /// Finds the credential in what a wallet sent: `verifiableCredential.credential`, else `verifiableCredential`, else the object itself when it has
    /// `proof` or `@context`, else the text. Every other member of the wrapper is checked for syntax and dropped unread.
    ///
    /// - Parameter message: the opened and inflated message, octets.
    public init(message: Span<UInt8>) throws(RejectReason) {
        guard message.count <= Self.limits.bytes else { throw .messageTooLarge }
        guard let content = Self.trimmed(message) else { throw .credentialMissing }
        guard message[content.lowerBound] != UInt8(ascii: "\"") else {
            // The credential as a JSON string, without a wrapper.
            try self.init(value: message.extracting(content), hints: (nil, nil))
            return
        }
        guard message[content.lowerBound] == UInt8(ascii: "{") else {
            self.init(bytes: message.extracting(content).withUnsafeBytes { [UInt8]($0) }, hints: (nil, nil))
            return
        }
        let outer = try Self.members(["verifiableCredential", "vcMetadata", "proof", "@context"], message)
        let hints = Self.hints(outer[1], message)
        if let wrapped = outer[0] {
            let inside = message.extracting(wrapped)
            if message[wrapped.lowerBound] == UInt8(ascii: "{"), let credential = try Self.members(["credential"], inside)[0] {
                try self.init(value: inside.extracting(credential), hints: hints)
            } else {
                try self.init(value: inside, hints: hints)
            }
        } else if outer[2] != nil || outer[3] != nil {
            self.init(bytes: message.extracting(content).withUnsafeBytes { [UInt8]($0) }, hints: hints)
        } else {
            throw .credentialMissing
        }
    }

    /// A credential that is a JSON value: an object as it stands, or the text of a string.
    private init(value: Span<UInt8>, hints: (String?, String?)) throws(RejectReason) {
        switch value[0] {
        case UInt8(ascii: "{"):
            self.init(bytes: value.withUnsafeBytes { [UInt8]($0) }, hints: hints)
        case UInt8(ascii: "\""):
            guard let text = (try? JSONDocument(parsing: value, limits: Self.limits))?.root.stringBytes else { throw .messageMalformed }
            self.init(bytes: text, hints: hints)
        default:
            throw .credentialMissing
        }
    }

    private init(bytes: [UInt8], hints: (String?, String?)) {
        self.bytes = bytes
        form = CredentialForm(recognising: bytes)
        (formatHint, issuerHint) = hints
    }

    private static func members(_ names: [String], _ bytes: Span<UInt8>) throws(RejectReason) -> [Range<Int>?] {
        do {
            return try JSONScan.members(names, of: bytes, limits: limits)
        } catch {
            throw error.rejectReason
        }
    }

    private static func hints(_ metadata: Range<Int>?, _ message: Span<UInt8>) -> (String?, String?) {
        guard let metadata else { return (nil, nil) }
        let inside = message.extracting(metadata)
        guard let found = try? JSONScan.members(["format", "issuer"], of: inside, limits: limits) else { return (nil, nil) }
        func text(_ range: Range<Int>?) -> String? {
            guard let range, range.count <= longestHint else { return nil }
            return (try? JSONDocument(parsing: inside.extracting(range)))?.root.string
        }
        return (text(found[0]), text(found[1]))
    }

    /// The extent without JSON white space at either end, or nil when there is nothing else.
    private static func trimmed(_ message: Span<UInt8>) -> Range<Int>? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
        var start = 0, end = message.count
        while start < end, isSpace(message[start]) { start += 1 }
        while end > start, isSpace(message[end - 1]) { end -= 1 }
        return start < end ? start..<end : nil
    }
}

extension JSONError {
    /// The same refusal in the words of a verdict: limits are not syntax.
    var rejectReason: RejectReason {
        switch reason {
        case .tooLong: .messageTooLarge
        case .tooDeep, .tooManyNodes: .tooComplex
        default: .messageMalformed
        }
    }
}

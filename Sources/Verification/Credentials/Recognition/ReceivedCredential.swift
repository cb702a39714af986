import Cryptography
import JSON
import Trust

/// A credential as it came over the air, or in a code. It has no claims: nothing in it may be shown, used or believed before
/// `CredentialVerifier` has seen it.
public struct ReceivedCredential: Sendable {
    /// What the octets look like.
    public let form: CredentialForm
    /// The credential itself: compact text for SD-JWT and JWT, the exact JSON object for `ldpVC`, text or octets for the rest.
    public private(set) var bytes: [UInt8]
    /// `vcMetadata.format` of the wallet's wrapper. Unsigned, and only a hint: `form` decides.
    public let formatHint: String?
    /// `vcMetadata.issuer` of the wallet's wrapper. Unsigned.
    public let issuerHint: String?
    /// It was in a code held before the camera, where tokens are written in ways that no wallet sends them in.
    public private(set) var isFromCode = false

    /// The inflated message is at most 16 MiB, see the storage table.
    static let limits = JSONLimits(bytes: 16 << 20)

    /// Longest hint kept, in octets.
    private static let longestHint = 128

    /// Finds the credential in what a wallet sent: `verifiableCredential.credential`, else `verifiableCredential`, else the object itself
    /// when it has
    /// `proof` or `@context`, else the text. Every other member of the wrapper is checked for syntax and dropped unread.
    ///
    /// - Parameter message: the opened and inflated message, octets.
    public init(message: Span<UInt8>) throws(RejectReason) {
        guard message.count <= Self.limits.bytes else { throw .messageTooLarge }
        self = try message.withUnsafeBufferPointer { (octets) throws(RejectReason) in try ReceivedCredential(finding: octets) }
    }

    /// The same for the text of a code, or what PixelPass wrote in one.
    init(code text: Span<UInt8>) throws(RejectReason) {
        try self.init(message: text)
        isFromCode = true
    }

    /// A COSE structure out of a code, with or without a tag (pixelpass.md section 2, step 4).
    init(token octets: [UInt8]) {
        bytes = octets
        form = .cwt
        (formatHint, issuerHint) = (nil, nil)
        isFromCode = true
    }

    /// `octets` is borrowed; ranges in it come from the scan of the very same octets.
    private init(finding octets: UnsafeBufferPointer<UInt8>) throws(RejectReason) {
        let message = Self.trimmed(octets)
        guard let first = message.first else { throw .credentialMissing }
        guard first == UInt8(ascii: "{") else {
            // Compact text, or the same as a JSON string without a wrapper.
            if first == UInt8(ascii: "\"") {
                try self.init(value: message, hints: (nil, nil))
            } else {
                self.init(bytes: [UInt8](message), hints: (nil, nil))
            }
            return
        }
        let outer = try Self.members(["verifiableCredential", "vcMetadata", "proof", "@context"], message)
        let hints = Self.hints(outer[1])
        if let wrapped = outer[0] {
            let inner = wrapped.first == UInt8(ascii: "{") ? try Self.members(["credential"], wrapped)[0] : nil
            try self.init(value: inner ?? wrapped, hints: hints)
        } else if outer[2] != nil || outer[3] != nil {
            self.init(bytes: [UInt8](message), hints: hints)
        } else {
            throw .credentialMissing
        }
    }

    /// A credential that is a JSON value: an object as it stands, or the text of a string.
    private init(value: UnsafeBufferPointer<UInt8>, hints: (String?, String?)) throws(RejectReason) {
        switch value.first {
        case UInt8(ascii: "{"):
            self.init(bytes: [UInt8](value), hints: hints)
        case UInt8(ascii: "\""):
            guard let text = (try? JSONDocument(parsing: value.span, limits: Self.limits))?.root.stringBytes else {
                throw .messageMalformed
            }
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

    /// Overwrites the credential with zeros, where nobody else has it.
    public mutating func wipe() { Cryptography.wipe(&bytes) }

    /// The named members' values, as parts of `object`.
    private static func members(
        _ names: [String], _ object: UnsafeBufferPointer<UInt8>
    ) throws(RejectReason) -> [UnsafeBufferPointer<UInt8>?] {
        do throws(JSONError) {
            return try JSONScan.members(names, of: object.span, limits: limits).map { range in
                range.map { UnsafeBufferPointer(rebasing: object[$0.clamped(to: 0..<object.count)]) }
            }
        } catch {
            throw error.rejectReason
        }
    }

    private static func hints(_ metadata: UnsafeBufferPointer<UInt8>?) -> (String?, String?) {
        guard let metadata, let found = try? members(["format", "issuer"], metadata) else { return (nil, nil) }
        func text(_ value: UnsafeBufferPointer<UInt8>?) -> String? {
            guard let value, value.count <= longestHint else { return nil }
            return (try? JSONDocument(parsing: value.span))?.root.string
        }
        return (text(found[0]), text(found[1]))
    }

    /// The extent without JSON white space at either end. Octets that are no text keep theirs: a signature may end in 0x0A.
    private static func trimmed(_ message: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        if let first = message.first, first >= 0x80 { return message }
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
        let tail = message.drop(while: isSpace)
        guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(rebasing: tail[...last])
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

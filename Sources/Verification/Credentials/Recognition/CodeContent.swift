/// What a code held before the camera says: a closed list, found out by its octets alone. Nothing in it is believed.
public enum CodeContent: Sendable {
    /// SD-JWT and JWT text, a JSON credential, or a wallet's wrapper.
    case credential(ReceivedCredential)
    /// A device engagement, `mdoc:` in any case.
    case engagement
    /// One of ours by its wrapping, and refused by name.
    case refused(RejectReason)
    /// Somebody else's, or no credential.
    case ignored(IgnoredCode)

    /// Most octets of a code's text: digits in version 40 with the least correction.
    public static var mostOctets: Int { 7089 }

    public init(reading text: Span<UInt8>, prefix: [UInt8] = []) {
        let octets = text.withUnsafeBufferPointer { [UInt8]($0) }
        guard (1...Self.mostOctets).contains(octets.count) else {
            self = .ignored(.nothing)
            return
        }
        let head = octets.prefix(14).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        func begins(_ word: StaticString) -> Bool {
            word.withUTF8Buffer { head.starts(with: $0) }
        }
        if begins("mdoc:") {
            self = .engagement
        } else if begins("openid4vp:") || begins("haip:") || begins("shc:/") || begins("http:") || begins("https:") {
            self = .ignored(.foreign)
        } else if begins("hc1:") {
            self = .refused(.unsupportedForm(.unknown))
        } else if begins("{") || begins("eyj") {
            do throws(RejectReason) { self = .credential(try ReceivedCredential(message: text)) } catch { self = .refused(error) }
        } else {
            self = .ignored(.nothing)
        }
    }
}

/// Why a code is ignored.
public enum IgnoredCode: UInt8, Hashable, Sendable, CaseIterable {
    /// A web address, an offer of a verifier's, a health card.
    case foreign
    /// No credential.
    case nothing
    /// It looks like a credential in a code, and does not decode.
    case damaged
}

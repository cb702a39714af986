import Cryptography
import Envelopes
import JSON
import Trust

/// What a code held before the camera says: a closed list, found out by its octets alone (pixelpass.md section 4.1). Nothing in it is
/// believed.
public enum CodeContent: Sendable {
    /// PixelPass with a credential in it, an SD-JWT or another compact JWS, JSON, Inji's wrapper, a CWT in hexadecimal.
    case credential(ReceivedCredential)
    /// `mdoc:`, the engagement of a device (ISO 18013-5 section 8.2.2.3).
    case engagement
    /// A credential by its wrapping, of a kind that is refused by name.
    case refused(RejectReason)
    /// Somebody else's, or no credential: no record.
    case ignored(IgnoredCode)

    /// Octets of the longest text in a QR code: version 40 in numeric mode. Nothing longer comes from one.
    public static let longest = 7089

    /// - Parameters:
    ///   - text: as it stands in the code.
    ///   - prefix: what issuers of this site write before PixelPass, beside which plain PixelPass is read as well.
    public init(reading text: Span<UInt8>, prefix: [UInt8] = []) {
        guard (1...Self.longest).contains(text.count) else {
            self = .ignored(.nothing)
            return
        }
        if Self.begins(text, with: "mdoc:", inAnyCase: true) {
            self = .engagement
        } else if let found = Self.prefixed(text, prefix) {
            self = found
        } else if Self.foreign.contains(where: { Self.begins(text, with: $0, inAnyCase: true) }) {
            self = .ignored(.foreign)
        } else if Self.begins(text, with: "HC1:") {
            self = .refused(.unsupportedCode(.healthCertificate))
        } else {
            self = Self.pixelPass(text) ?? Self.plain(text)
        }
    }

    /// What other readers are meant: pages, presentation requests, SMART Health Cards, New Zealand's passes, wireless networks, contacts.
    /// The last one is the ZIP file that PixelPass' `decodeBinary` opens (pixelpass.md section 2).
    private static let foreign = [
        "http:", "https:", "openid4vp:", "haip:", "openid-", "shc:/", "nzcp:/", "wifi:", "mecard:", "pk\u{3}\u{4}",
    ]

    private static func begins(_ text: Span<UInt8>, with beginning: String, inAnyCase: Bool = false) -> Bool {
        let beginning = Array(beginning.utf8)
        guard text.count >= beginning.count else { return false }
        return beginning.indices.allSatisfy { place in
            let octet = text[place]
            let isCapital = inAnyCase && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(octet)
            return (isCapital ? octet | 0x20 : octet) == beginning[place]
        }
    }

    // MARK: PixelPass

    /// PixelPass behind the prefix, which may be the beginning of an address; nil where there is no prefix, or something else behind it.
    private static func prefixed(_ text: Span<UInt8>, _ prefix: [UInt8]) -> CodeContent? {
        guard !prefix.isEmpty, text.count > prefix.count, prefix.indices.allSatisfy({ text[$0] == prefix[$0] }) else { return nil }
        let found = pixelPass(text.extracting(prefix.count..<text.count))
        // The prefix may be the beginning of plain PixelPass as well.
        if case .ignored = found, case .credential(let whole) = pixelPass(text) { return .credential(whole) }
        return found
    }

    /// Nil where it is none.
    private static func pixelPass(_ text: Span<UInt8>) -> CodeContent? {
        do throws(PixelPass.Fault) {
            switch try PixelPass.content(of: text) {
            case .token(let octets): return .credential(ReceivedCredential(token: octets))
            case .text(var inner):
                defer { wipe(&inner) }
                return plain(inner.span)
            }
        } catch {
            return error == .damaged ? .ignored(.damaged) : nil
        }
    }

    // MARK: Text

    /// A text that is a credential as it stands, in a code or out of PixelPass.
    private static func plain(_ text: Span<UInt8>) -> CodeContent {
        guard let first = text.isEmpty ? nil : text[0] else { return .ignored(.nothing) }
        // What the sniffer of messages takes besides is not on the list: a JSON string, base64url, octets.
        let isListed = first == UInt8(ascii: "{") || begins(text, with: "eyJ") || isToken(hexadecimal: text)
        guard isListed, var received = try? ReceivedCredential(code: text) else { return .ignored(.nothing) }
        guard isCredential(received, first) else {
            received.wipe()
            return .ignored(.nothing)
        }
        return .credential(received)
    }

    /// By tag 18 with its four members, and tag 61 with 18 or 16 under it. Other digits may be a number of anything.
    private static func isToken(hexadecimal text: Span<UInt8>) -> Bool {
        ["d284", "d83dd284", "d83dd083"].contains { begins(text, with: $0, inAnyCase: true) }
            && text.indices.allSatisfy { Hexadecimal.value(text[$0]) != nil }
    }

    /// By the form that was found, and by how the text began.
    private static func isCredential(_ received: ReceivedCredential, _ first: UInt8) -> Bool {
        switch received.form {
        case .ldpVC: first == UInt8(ascii: "{")
        case .sdJWT, .jwtVC: first == UInt8(ascii: "{") || first == UInt8(ascii: "e")
        // In Inji's wrapper, or alone.
        case .cwt: true
        case .mdoc: first == UInt8(ascii: "{")
        case .anoncreds, .trustedKey, .unknown: false
        }
    }
}

/// Why a code is passed over without a record.
public enum IgnoredCode: UInt8, Hashable, Sendable, CaseIterable {
    /// For somebody else: a page, a presentation request, a health card.
    case foreign
    /// No credential.
    case nothing
    /// Looks like PixelPass, and does not decode.
    case damaged
}

/// What is a credential by its wrapping, and of no kind that this gate reads.
public enum UnsupportedCode: String, Hashable, Sendable, CaseIterable {
    /// The health certificates of the European Union, `HC1:`.
    case healthCertificate = "HC1"
}

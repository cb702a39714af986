import Cryptography
import Envelopes

/// Why a secret is none.
public enum WebhookSecretError: Error, Hashable, Sendable {
    /// It does not begin with `whsec_`.
    case noPrefix
    /// What follows is no base64.
    case notBase64
    /// Other than 24 to 64 octets.
    case wrongLength(Int)
    /// More keys than two, or none.
    case wrongCount(Int)
    /// libcrypto does not compute.
    case unavailable
}

/// What receiver and gate share (Standard Webhooks 1.0, "Symmetric"): one key, or two while it changes.
public final class WebhookSecret {
    /// The newest first. In objects, as a `Secret` cannot be in an array.
    private let keys: [Key]

    private final class Key {
        let secret: Secret

        init(_ secret: consuming Secret) { self.secret = secret }
    }

    static let prefix = "whsec_"
    static let lengths = 24...64
    /// A receiver takes a message if one of its signatures is good: the new key's, and for a while the old one's.
    public static let mostKeys = 2

    /// - Parameter text: ASCII: a key a line, `whsec_BASE64`, the newest first. White space around them says nothing.
    public init(_ text: [UInt8]) throws(WebhookSecretError) {
        let lines = text.split { [0x0A, 0x0D, 0x20, 0x09].contains($0) }
        guard 1...Self.mostKeys ~= lines.count else { throw .wrongCount(lines.count) }
        var keys: [Key] = []
        for line in lines { keys.append(try Self.key(line)) }
        self.keys = keys
    }

    private static func key(_ line: ArraySlice<UInt8>) throws(WebhookSecretError) -> Key {
        guard line.starts(with: prefix.utf8) else { throw .noPrefix }
        guard var octets = Base64.decode(line.dropFirst(prefix.utf8.count), alphabet: .standard) else { throw .notBase64 }
        defer { for index in octets.indices { octets[index] = 0 } }
        guard lengths.contains(octets.count) else { throw .wrongLength(octets.count) }
        do throws(CryptographyError) { return Key(try Secret(copying: octets.span)) } catch { throw .unavailable }
    }

    /// The value of `webhook-signature`: `v1,BASE64` for each key, with a space between.
    func signatures(of message: [UInt8]) throws(WebhookSecretError) -> String {
        do throws(CryptographyError) {
            var signatures: [String] = []
            for key in keys {
                let tag = try MessageAuthentication.tag(of: message.span, key: key.secret)
                signatures.append("v1," + String(decoding: Base64.encodeStandard(tag), as: UTF8.self))
            }
            return signatures.joined(separator: " ")
        } catch {
            throw .unavailable
        }
    }
}

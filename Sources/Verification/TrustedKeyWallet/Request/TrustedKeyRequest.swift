import Cryptography
import Envelopes
import JSON

/// What a gate asks of a wallet, and shows as a code (trustedkey.md section 1). Its nonce is used once: who makes it sees to that.
public struct TrustedKeyRequest: Hashable, Sendable {
    /// How the wallet brings its answer.
    public enum CallbackType: String, Hashable, Sendable, CaseIterable {
        case json = "JSON"
        case post = "POST"
    }

    /// base64 of 32 random octets, as octets: so that they can be wiped.
    public private(set) var nonceText: [UInt8]
    /// Where the answer goes: an absolute address, with parameters of the gate's own where it has any.
    public let callbackURL: String
    public let callbackType: CallbackType
    /// None is a login: the key alone answers.
    public let objects: [TrustedKeyObject]
    /// For the holder to read.
    public let message: String?
    /// Seconds that the wallet may take.
    public let timeout: Int?

    /// Octets of a nonce.
    public static let nonceLength = 32
    /// Octets of the longest text of a nonce, whoever made it.
    static let longestNonce = 128
    /// Octets of the longest address.
    static let longestURL = 512
    /// Octets of the longest message.
    static let longestMessage = 200
    /// The most objects: more names do not fit into one code.
    public static let mostObjects = 32
    /// Seconds for which a nonce is good, and the most that a wallet may take.
    public static let longestTimeout = 300
    /// Characters of the code: version 15, level M.
    public static let longestCode = 600

    /// - Parameters:
    ///   - nonce: 32 random octets, for this request alone.
    ///   - callbackURL: http or https, without a fragment.
    ///   - message: at most 200 octets.
    ///   - timeout: 1 to 300 seconds.
    ///
    /// Throws what is wrong with it.
    public init(
        nonce: [UInt8], callbackURL: String, callbackType: CallbackType, objects: [TrustedKeyObject], message: String? = nil,
        timeout: Int? = nil
    ) throws(TrustedKeyRequestError) {
        guard nonce.count == Self.nonceLength else { throw .nonce }
        try self.init(
            nonceText: String(decoding: Base64.encodeStandard(nonce), as: UTF8.self), callbackURL: callbackURL, callbackType: callbackType,
            objects: objects, message: message, timeout: timeout)
    }

    /// The same of a nonce that somebody else has written.
    package init(
        nonceText: String, callbackURL: String, callbackType: CallbackType, objects: [TrustedKeyObject], message: String? = nil,
        timeout: Int? = nil
    ) throws(TrustedKeyRequestError) {
        guard 1...Self.longestNonce ~= nonceText.utf8.count else { throw .nonce }
        guard CallbackAddress.isUsable(callbackURL), callbackURL.utf8.count <= Self.longestURL else { throw .callbackURL }
        guard objects.count <= Self.mostObjects, Set(objects).count == objects.count else { throw .objects }
        guard message.map({ 1...Self.longestMessage ~= $0.utf8.count }) ?? true else { throw .message }
        guard timeout.map({ 1...Self.longestTimeout ~= $0 }) ?? true else { throw .timeout }
        self.nonceText = Array(nonceText.utf8)
        self.callbackURL = callbackURL
        self.callbackType = callbackType
        self.objects = objects
        self.message = message
        self.timeout = timeout
    }

    /// The same as text.
    public var nonce: String { String(decoding: nonceText, as: UTF8.self) }

    /// No answer is one to it any more.
    public mutating func wipe() { Cryptography.wipe(&nonceText) }

    private var members: [(name: String, value: String)] {
        var members = [("nonce", nonce), ("callbackUrl", callbackURL), ("callbackType", callbackType.rawValue)]
        if !objects.isEmpty { members.append(("objectIds", objects.map(\.identifier).joined(separator: ","))) }
        if let message { members.append(("message", message)) }
        return members
    }

    /// The request as a JSON text.
    public func json() -> String {
        var writer = JSONWriter()
        writer.object { writer in
            for member in members { writer.member(member.name, member.value) }
            if let timeout { writer.member("timeout", timeout) }
        }
        return writer.text
    }

    /// Whether it is a link that a request can be put behind: http or https, without a query.
    public static func isWallet(_ link: String) -> Bool { CallbackAddress.isUsable(link) && !link.utf8.contains(UInt8(ascii: "?")) }

    /// The text of the code: the wallet's link with the members behind it.
    ///
    /// - Parameter wallet: the site's link prefix ("https://wallet.example/request"), without a query.
    ///
    /// Throws `wallet` for another kind of prefix, `tooLong` for more than 600 characters.
    public func code(wallet: String) throws(TrustedKeyRequestError) -> String {
        guard Self.isWallet(wallet) else { throw .wallet }
        var pairs = members
        if let timeout { pairs.append(("timeout", String(timeout))) }
        let text = wallet + "?" + pairs.map { $0.name + "=" + CallbackAddress.escaped($0.value) }.joined(separator: "&")
        guard text.utf8.count <= Self.longestCode else { throw .tooLong }
        return text
    }
}

/// What is wrong with a request that somebody wants made.
public enum TrustedKeyRequestError: String, Error, Hashable, Sendable, CaseIterable {
    /// Not 32 octets.
    case nonce
    case callbackURL
    /// More than a code holds, or one of them twice.
    case objects
    case message
    case timeout
    /// The wallet's link prefix is no address, or has a query.
    case wallet
    /// More than a code of version 15 holds.
    case tooLong
}

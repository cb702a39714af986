import Cryptography

/// One direction of a session: AES-256-GCM under its key, and a number for every message, which never comes again (mdoc.md section 3).
struct SessionCipher: ~Copyable {
    /// Who sends: the first eight octets of the nonce.
    enum Sender {
        case reader, device

        fileprivate var identifier: [UInt8] {
            switch self {
            case .reader: [0, 0, 0, 0, 0, 0, 0, 0]
            case .device: [0, 0, 0, 0, 0, 0, 0, 1]
            }
        }

        /// What the key is derived for.
        fileprivate var info: [UInt8] {
            switch self {
            case .reader: Array("SKReader".utf8)
            case .device: Array("SKDevice".utf8)
            }
        }
    }

    /// The number that no message has: there the session ends.
    static let lastCounter = UInt32.max

    private let sender: Sender
    private var cipher: AuthenticatedCipher
    /// Nil when it was wiped.
    private var key: Secret?
    /// The number of the next message; the first has 1. Tests set it.
    var counter: UInt32

    /// Derives the key of one direction from what both sides have in common. Throws `unavailable`.
    init(_ sender: Sender, sharing secret: borrowing Secret, salt: [UInt8]) throws(CryptographyError) {
        var derivation = try KeyDerivation()
        let info = sender.info
        let derived = try derivation.derive(AuthenticatedCipher.keyLength, from: secret, salt: salt.span, info: info.span)
        let cipher = try AuthenticatedCipher()
        self.init(sender, cipher, derived)
    }

    // Apart: Swift 6.2 does not compile a throwing one with properties that have a value from the start.
    private init(_ sender: Sender, _ cipher: consuming AuthenticatedCipher, _ key: consuming Secret) {
        self.sender = sender
        self.cipher = cipher
        self.key = consume key
        counter = 1
    }

    /// Wipes the key.
    mutating func forget() { key = nil }

    /// Ciphertext and tag. Throws `over`, `countersUsedUp`, `tooLong`, `unavailable`; the key is then gone, except after `tooLong`.
    mutating func seal(_ plaintext: Span<UInt8>) throws(SessionError) -> [UInt8] {
        guard plaintext.count <= SessionData.longest - AuthenticatedCipher.tagLength else { throw .tooLong }
        guard let key = key.take() else { throw .over }
        guard let nonce = nextNonce() else { throw .countersUsedUp }
        var message = [UInt8](repeating: 0, count: plaintext.count + AuthenticatedCipher.tagLength)
        for index in plaintext.indices { message[index] = plaintext[index] }
        do throws(CryptographyError) {
            var output = message.mutableSpan
            try output.withUnsafeMutableBytes { (output) throws(CryptographyError) in
                try key.withBytes { (key) throws(CryptographyError) in try cipher.seal(output, key: key, nonce: nonce.span) }
            }
        } catch {
            throw .unavailable
        }
        self.key = consume key
        return message
    }

    /// What ciphertext and tag hold. Throws `over`, `countersUsedUp`, `decryptionError`, `unavailable`; the key is then gone.
    mutating func open(_ message: [UInt8]) throws(SessionEnd) -> SessionPlaintext {
        guard let key = key.take() else { throw .over }
        guard let nonce = nextNonce() else { throw .countersUsedUp }
        let plaintext: SessionPlaintext
        do throws(CryptographyError) {
            plaintext = try SessionPlaintext(opening: message, with: &cipher, key: key, nonce: nonce.span)
        } catch {
            throw error == .unavailable ? .unavailable : .decryptionError
        }
        self.key = consume key
        return plaintext
    }

    /// For comparing with a standard's example.
    func matches(_ expected: Span<UInt8>) -> Bool { key?.matches(expected) ?? false }

    private mutating func nextNonce() -> [UInt8]? {
        guard counter < Self.lastCounter else { return nil }
        defer { counter += 1 }
        return sender.identifier + (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
    }
}

/// The keys of a session: SKReader and SKDevice.
struct SessionKeys: ~Copyable {
    /// From the gate to the phone.
    var reader: SessionCipher
    /// From the phone to the gate.
    var device: SessionCipher

    /// Throws `unavailable`.
    init(sharing secret: borrowing Secret, salt: [UInt8]) throws(CryptographyError) {
        let reader = try SessionCipher(.reader, sharing: secret, salt: salt)
        let device = try SessionCipher(.device, sharing: secret, salt: salt)
        self.init(reader, device)
    }

    private init(_ reader: consuming SessionCipher, _ device: consuming SessionCipher) {
        self.reader = reader
        self.device = device
    }
}

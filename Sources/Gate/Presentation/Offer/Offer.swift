import Bluetooth
import Cryptography
import Tuvali

/// What may begin now: a Tuvali key on the air, and its code on the screen; beside it, or alone, the codes of other ways that the site
/// offers, which take turns on the screen. Knows no session.
///
/// A wallet that scanned a code seconds ago looks for its key: that stays on the air for a while after the code of the next key is shown,
/// and whoever scans the new one waits as long at most.
public struct Offer: ~Copyable {
    /// Whose code is on the screen.
    private enum Code {
        /// No code.
        case none
        /// That of the key on the air; nil where no other code follows by itself.
        case current(until: Instant?)
        /// That of the next key, which is not on the air yet.
        case next
    }

    let name: VerifierName
    let version: WireVersion
    /// How long the code of one key is shown, in milliseconds.
    private let lifetime: UInt64
    /// The key on the air. Whoever presents something uses it once.
    public var key: KeyAgreement
    private var nextKey: KeyAgreement
    private var code = Code.none
    private var uri: ConnectionURI
    public let settings: OfferSettings
    private var texts: OfferTexts
    private(set) var turns: CodeTurns
    private var addresses: PrivateAddresses
    /// By which a wallet of DIDComm finds the gate; nil where none is to.
    public var service: UUID?
    /// The radio address: fresh with its key, and kept as long.
    private(set) var address = DeviceAddress()
    /// What the advertising data names.
    var air = AdvertisingTurns()
    /// The key has been advertised: it can be found. A change of the interval, which turns advertising off for an instant, does not count.
    public var isOnAir = false
    /// Counts what the screen has to show: a new number means a new code, or none.
    public private(set) var number: UInt64 = 0

    /// - Parameters:
    ///   - lifetime: how long the code of one key is shown, in milliseconds.
    ///   - texts: where the texts of other codes than Tuvali's stand; lent, of `textSize`.
    public init(
        name: VerifierName, version: WireVersion, lifetime: UInt64, settings: OfferSettings, texts: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) {
        let key = try KeyAgreement()
        let nextKey = try KeyAgreement()
        let addresses = try PrivateAddresses()
        self.init(name, version, lifetime, settings, OfferTexts(texts), key, nextKey, addresses)
    }

    /// Apart from what may throw, as in `TuvaliPresentation`.
    private init(
        _ name: VerifierName, _ version: WireVersion, _ lifetime: UInt64, _ settings: OfferSettings, _ texts: consuming OfferTexts,
        _ key: consuming KeyAgreement, _ nextKey: consuming KeyAgreement, _ addresses: consuming PrivateAddresses
    ) {
        self.settings = settings
        self.texts = texts
        turns = CodeTurns(milliseconds: settings.turn)
        self.name = name
        self.version = version
        self.lifetime = lifetime
        uri = ConnectionURI(name, key: key.publicKey)
        self.key = key
        self.nextKey = nextKey
        self.addresses = addresses
    }

    // MARK: the key

    /// A fresh key, or the one whose code is shown already, and a fresh address. False without randomness.
    public mutating func renew() -> Bool {
        do throws(CryptographyError) {
            if case .next = code {
                swap(&key, &nextKey)
                nextKey.forget()
            } else {
                try key.renew()
            }
            guard let fresh = try addresses.next() else { return false }
            address = fresh
            return true
        } catch {
            return false
        }
    }

    /// The key on the air serves nobody any more.
    public mutating func forgetKey() {
        key.forget()
        air.end()
        isOnAir = false
    }

    /// The next key is forgotten; what is on the screen stays until there is another offer.
    public mutating func forgetNextKey() {
        nextKey.forget()
        if case .none = code { return }
        code = .current(until: nil)
    }

    // MARK: the codes

    /// Octets that the texts of other codes than Tuvali's take.
    public static var textSize: Int { OfferTexts.size }
    /// Octets of the longest of them.
    public static var longestText: Int { OfferTexts.longest }

    /// Shows the code of the key on the air, if it is not shown already, in turn with those that have been put.
    public mutating func showCode(at now: Instant) {
        if case .next = code {} else { show(key.publicKey) }
        if case .none = code { turns.begin(at: now) }
        code = .current(until: now.adding(milliseconds: lifetime))
    }

    /// The text of another code than Tuvali's, in place of the one of its kind before: it takes its turn.
    ///
    /// - Returns: false, with no code of that kind any more, where it is not offered, or no text of 1 to `longestText` octets.
    @discardableResult
    public mutating func put(_ text: borrowing Span<UInt8>, of kind: OfferedKind) -> Bool {
        guard settings.kinds.contains(kind), texts.put(text, of: kind) else {
            remove(kind)
            return false
        }
        turns.add(kind)
        if turns.current == kind { number += 1 }
        return true
    }

    /// Whether a text of this kind has its turn on the screen, now or later.
    public func hasText(of kind: OfferedKind) -> Bool { texts.hasText(of: kind) }

    /// There is no code of this kind any more, and nothing of its text.
    public mutating func remove(_ kind: OfferedKind) {
        let isShown = turns.current == kind
        texts.remove(kind)
        turns.remove(kind)
        if isShown { number += 1 }
    }

    /// When `expire` wants to be called, unless somebody is connected.
    public var deadline: Instant? {
        switch code {
        case .none: nil
        case .current(let until): Instant.earliest(until, turns.deadline)
        case .next: turns.deadline
        }
    }

    /// Shows the next code when it is its turn; that of the next key when it is time, while the key of this one is still advertised.
    public mutating func expire(at now: Instant) {
        if case .none = code { return }
        if turns.expire(at: now) { number += 1 }
        guard case .current(let until?) = code, now >= until else { return }
        code = .current(until: nil)
        // Without randomness the old code stays until its key ends, and that is told then.
        do throws(CryptographyError) { try nextKey.renew() } catch { return }
        show(nextKey.publicKey)
        code = .next
    }

    /// Nothing may begin: no code, and no next key.
    public mutating func withdraw() {
        forgetNextKey()
        code = .none
        turns.removeAll()
        texts.remove(.aries)
        texts.remove(.trustedKey)
        number += 1
    }

    /// Whose code is on the screen; nil where none is.
    public var shown: OfferedKind? {
        if case .none = code { return nil }
        return turns.current
    }

    /// Codes that take turns on the screen.
    public var codesInTurn: Int { turns.count }

    /// Lends the text that belongs on the screen; nil where no code does.
    public func withURI<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        switch shown {
        case nil: nil
        case .tuvali: uri.withOctets(body)
        case .aries: texts.withText(of: .aries, body)
        case .trustedKey: texts.withText(of: .trustedKey, body)
        }
    }

    /// The screen has no room for the code that is shown: where there are others, they take turns without it.
    ///
    /// - Returns: false where there is no other.
    public mutating func passOver(at now: Instant) -> Bool {
        guard turns.passOver(at: now) else { return false }
        number += 1
        return true
    }

    /// The screen is another one: every code may have room on it.
    public mutating func passOverNone() { turns.passOverNone() }

    private mutating func show(_ publicKey: PublicKeyOctets) {
        guard settings.kinds.contains(.tuvali) else { return }
        uri = ConnectionURI(name, key: publicKey)
        turns.add(.tuvali)
        if turns.current == .tuvali { number += 1 }
    }
}

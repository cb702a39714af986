import Bluetooth
import Cryptography
import Tuvali

/// What may begin now: a Tuvali key on the air, and its code on the screen. Knows no session.
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

    private let name: VerifierName
    private let version: WireVersion
    /// How long the code of one key is shown, in milliseconds.
    private let lifetime: UInt64
    /// The key on the air. Whoever presents something uses it once.
    public var key: KeyAgreement
    private var nextKey: KeyAgreement
    private var code = Code.none
    private var uri: ConnectionURI
    private var addresses: PrivateAddresses
    /// The radio address: fresh with its key, and kept as long.
    private var address = DeviceAddress()
    /// The key has been advertised: it can be found. A change of the interval, which turns advertising off for an instant, does not count.
    public var isOnAir = false
    /// Counts what the screen has to show: a new number means a new code, or none.
    public private(set) var number: UInt64 = 0

    public init(name: VerifierName, version: WireVersion, lifetime: UInt64) throws(CryptographyError) {
        let key = try KeyAgreement()
        let nextKey = try KeyAgreement()
        let addresses = try PrivateAddresses()
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

    /// Advertises the key from its address. False where its payload does not fit.
    public mutating func advertise(on host: inout Host, at now: Instant) -> Bool {
        isOnAir = false
        let address = address
        let payload = Advertisement(name, key: key.publicKey, version: version)
        return payload.withOctets { data, scanResponse in
            do throws(AdvertisingError) {
                try host.advertise(address: address, data: data, scanResponse: scanResponse, now: now)
                return true
            } catch {
                return false
            }
        }
    }

    /// The key on the air serves nobody any more.
    public mutating func forgetKey() {
        key.forget()
        isOnAir = false
    }

    /// The next key is forgotten; what is on the screen stays until there is another offer.
    public mutating func forgetNextKey() {
        nextKey.forget()
        if case .none = code { return }
        code = .current(until: nil)
    }

    // MARK: the code

    /// Shows the code of the key on the air, if it is not shown already.
    public mutating func showCode(at now: Instant) {
        if case .next = code {} else { show(key.publicKey) }
        code = .current(until: now.adding(milliseconds: lifetime))
    }

    /// When `expire` wants to be called, unless somebody is connected.
    public var deadline: Instant? {
        if case .current(let until) = code { until } else { nil }
    }

    /// Shows the code of the next key when it is time, while the key of this one is still advertised.
    public mutating func expire(at now: Instant) {
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
        number += 1
    }

    /// Lends the URI that belongs on the screen; nil where no code does.
    public func withURI<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        if case .none = code { return nil }
        return uri.withOctets(body)
    }

    private mutating func show(_ publicKey: PublicKeyOctets) {
        uri = ConnectionURI(name, key: publicKey)
        number += 1
    }
}

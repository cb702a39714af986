/// 32 octets that stand for a credential: a hash of what its issuer signed about one person.
///
/// Not of what the wallet sent: a wallet may show the same credential in many ways, and each would have attempts of its own.
public struct CredentialKey: Hashable, Sendable {
    private let words: InlineWords

    /// Nil unless there are 32 octets.
    public init?(_ octets: some Sequence<UInt8>) {
        var words = InlineWords()
        var count = 0
        for octet in octets {
            guard count < 32 else { return nil }
            switch count / 8 {
            case 0: words.first = words.first << 8 | UInt64(octet)
            case 1: words.second = words.second << 8 | UInt64(octet)
            case 2: words.third = words.third << 8 | UInt64(octet)
            default: words.fourth = words.fourth << 8 | UInt64(octet)
            }
            count += 1
        }
        guard count == 32 else { return nil }
        self.words = words
    }

    private struct InlineWords: Hashable, Sendable {
        var first: UInt64 = 0, second: UInt64 = 0, third: UInt64 = 0, fourth: UInt64 = 0
    }
}

/// Failed attempts by credential.
///
/// What is guaranteed, whatever strangers bring, as long as one attempt goes on at a time:
/// - One credential has at most `FaceSettings.attempts` trials, then none for `lockout`; after that again, with each lockout twice as long
///   as the one before, up to `longestLockout`.
/// - What counts is never dropped before its time: neither a lockout that lasts, nor a failure younger than `lockout`.
/// - The size never changes. When every place holds something that counts, a credential that has none is refused as if it were locked out,
///   until the first of them ends: who has a stolen credential gains nothing by bringing others, but with `capacity` failing credentials
///   within `lockout` could keep newcomers out. With 512 places and ten minutes that is a failed comparison every 1.2 s, more than one
///   camera can make.
///
/// Older failures and the number of lockouts are remembered for `longestLockout`, and given up sooner only where a place is needed: under
/// such a flood a credential has `attempts` trials in each `lockout`, and no more.
///
/// It is kept in memory: a restart forgets it.
public struct FaceLockout: Sendable {
    public static let standardCapacity = 512

    private struct Place: Sendable {
        let key: CredentialKey
        /// Since the last success or lockout.
        var failures = 0
        /// In a row.
        var lockouts = 0
        var isLocked = false
        /// Until then the place cannot be given to another, and a lockout lasts.
        var heldUntil: UInt64 = 0
        /// Until then failures and lockouts are remembered, unless the place is given to another; never before `heldUntil`.
        var rememberedUntil: UInt64 = 0
    }

    private var places: [Place?]
    private let attempts: Int
    private let lockout: UInt64
    private let longest: UInt64

    public init(settings: FaceSettings, capacity: Int = FaceLockout.standardCapacity) {
        places = Array(repeating: nil, count: max(1, capacity))
        attempts = max(1, settings.attempts)
        lockout = settings.lockout
        longest = settings.longestLockout
    }

    /// Whether an attempt may begin now; otherwise it is refused as `FaceReason.lockedOut`.
    public func permits(_ key: CredentialKey, at now: UInt64) -> Bool {
        guard let index = index(of: key) else { return freePlace(at: now) != nil }
        guard let place = places[index] else { return true }
        return !place.isLocked || now >= place.heldUntil
    }

    /// Notes how an attempt ended. Only trials count (`FaceOutcome.isTrial`): a dead camera locks nobody out. Success clears.
    public mutating func note(_ outcome: FaceOutcome, of key: CredentialKey, at now: UInt64) {
        if outcome.isBound {
            if let index = index(of: key) { places[index] = nil }
            return
        }
        guard outcome.isTrial, let index = index(of: key) ?? freePlace(at: now) else { return }
        var place = Place(key: key)
        if let known = places[index], known.key == key, now < known.rememberedUntil { place = known }
        if place.isLocked, now >= place.heldUntil {
            place.isLocked = false
            place.failures = 0
        }
        place.failures += 1
        var length = lockout
        if place.failures >= attempts {
            length = Self.doubled(lockout, times: place.lockouts, most: longest)
            place.isLocked = true
            place.lockouts += 1
        }
        place.heldUntil = max(place.heldUntil, Self.time(now, length))
        place.rememberedUntil = Self.time(place.heldUntil, longest)
        places[index] = place
    }

    private func index(of key: CredentialKey) -> Int? {
        places.firstIndex { $0?.key == key }
    }

    /// An empty place, or the one whose memory ends soonest among those where nothing counts any more.
    private func freePlace(at now: UInt64) -> Int? {
        var found: (index: Int, until: UInt64)?
        for (index, place) in places.enumerated() {
            guard let place else { return index }
            guard now >= place.heldUntil else { continue }
            if found.map({ place.rememberedUntil < $0.until }) ?? true { found = (index, place.rememberedUntil) }
        }
        return found?.index
    }

    private static func doubled(_ length: UInt64, times: Int, most: UInt64) -> UInt64 {
        var length = length
        for _ in 0..<times {
            guard length <= most / 2 else { return most }
            length *= 2
        }
        return min(length, most)
    }

    private static func time(_ now: UInt64, _ interval: UInt64) -> UInt64 {
        let (sum, overflow) = now.addingReportingOverflow(interval)
        return overflow ? .max : sum
    }
}

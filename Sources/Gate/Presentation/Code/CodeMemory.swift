import Bluetooth
import Credentials
import Cryptography

/// The codes that were seen lately: a keyed digest of each, and how long it has been there; never its text.
///
/// A code stays where it is. A visitor's phone is still held up when the verdict is told, a poster hangs all day, a card lies on the sill.
/// So a code counts once for each time that it comes into sight: until it was missing from so many looks in a row, it is the same one.
/// Looks are counted and not seconds: where nobody looks, as in a phone's visit or until somebody presses a button, a code neither comes
/// nor goes.
public struct CodeMemory: ~Copyable {
    /// What a code proved to be.
    enum Kind: UInt8 {
        /// A free place.
        case none
        case ignoredQuietly
        /// Whoever holds it up has to be told that it is not for this gate.
        case ignored
        case judged
        case engagement
    }

    public struct Place {
        fileprivate var digest: (UInt64, UInt64) = (0, 0)
        fileprivate var kind = Kind.none
        /// It has been told that this is no code for the gate.
        fileprivate var isTold = false
        /// It was out of sight for long enough since it was taken, and came back too soon.
        fileprivate var isBack = false
        /// Verdicts in a row that the same code would have again.
        fileprivate var rejections: UInt8 = 0
        fileprivate var taken = Instant(nanoseconds: 0)
        fileprivate var seen = Instant(nanoseconds: 0)
        /// Looks in a row without it, and how many of them, without a break, had no code at all. They stay where they are full.
        fileprivate var missed: UInt8 = 0
        fileprivate var cleared: UInt8 = 0

        public init() {}
    }

    /// What a look has found.
    enum Sight: Hashable {
        /// It has been there all the time, or was judged a moment ago.
        case known
        /// It is no code for this gate, and somebody has held it up for a while.
        case lasting
        /// It is to be looked into.
        case new
    }

    /// Codes remembered at the most. Those that were judged, or are ignored, never push out the others: whoever shows one poster after
    /// another does not make a gate forget what it has judged.
    public static var capacity: Int { judgedPlaces + ignoredPlaces }
    private static var judgedPlaces: Int { 32 }
    private static var ignoredPlaces: Int { 8 }

    /// The same code is nothing new for so long, whatever becomes of it.
    static var againMilliseconds: UInt64 { 10_000 }
    /// What came back sooner is looked into when that time is over and it is still held up, for so long: later it is what was left there.
    static var backMilliseconds: UInt64 { 15_000 }
    /// Missing from fewer looks in a row, it was there all the time: a frame can be blurred, a hand in between. Three seconds of a gate
    /// that looks ten times a second, as it does where anything moves.
    static var awayLooks: UInt8 { 30 }
    /// The same where looks showed other codes. A decoder tells one of the codes in a frame, in turn: each of eight, of which some are hard
    /// to read, has been told by then.
    static var besideLooks: UInt8 { 100 }
    /// An engagement is made for one session, and a phone shows it until somebody answers.
    static var engagementMilliseconds: UInt64 { 600_000 }
    /// A code that nobody reads is held up for as long before its holder is told.
    static var lastingMilliseconds: UInt64 { 2_000 }
    /// From the second verdict in a row that it would have again, a code is ignored for twice as long each time, up to ten minutes: a
    /// poster of an expired credential, with people who walk past it.
    static var longestMilliseconds: UInt64 { 600_000 }

    private let places: UnsafeMutableBufferPointer<Place>
    private var digest: Digest
    private var key: Secret
    /// Where the code is whose visit is under way.
    private var current: Int?

    /// - Parameter places: lent; of `capacity`, initialized, and of nobody else's use for as long as the memory is there.
    init(_ places: UnsafeMutableBufferPointer<Place>) throws(CryptographyError) {
        let digest = try Digest(.sha256)
        let key = try Secret(randomCount: 32)
        self.init(places, digest, key)
    }

    private init(_ places: UnsafeMutableBufferPointer<Place>, _ digest: consuming Digest, _ key: consuming Secret) {
        self.places = places
        self.digest = digest
        self.key = key
    }

    // MARK: looks

    /// A frame without a code.
    mutating func seeNothing() {
        miss(except: nil)
        for index in places.indices where places[index].kind != .none { Self.count(&places[index].cleared) }
    }

    /// A frame with a code of which nothing is remembered.
    mutating func seeOther() { seeOther(than: nil) }

    /// Whoever walks past may cover all codes for a moment: what was not away for long enough may be there beside this one.
    private mutating func seeOther(than kept: Int?) {
        miss(except: kept)
        for index in places.indices where index != kept && places[index].cleared < Self.awayLooks { places[index].cleared = 0 }
    }

    /// A frame with this code. Nil where it cannot be told from others: it is ignored.
    ///
    /// - Parameter mayBegin: whether anything comes of `.new`. If not it is said once more in the next look.
    mutating func see(_ text: Span<UInt8>, mayBegin: Bool, at now: Instant) -> Sight? {
        guard let digest = keyedDigest(text) else { return nil }
        guard let index = index(of: digest) else {
            seeOther(than: nil)
            return .new
        }
        seeOther(than: index)
        return sight(at: index, mayBegin, now)
    }

    private func sight(at index: Int, _ mayBegin: Bool, _ now: Instant) -> Sight {
        let place = places[index], age = now.milliseconds(since: place.taken)
        let isAway = place.cleared >= Self.awayLooks || place.missed >= Self.besideLooks
        places[index].seen = now
        // What people who walk past a poster uncover has to be away when its time has come.
        let isBack = isAway || place.isBack && place.rejections == 0 && age < Self.backMilliseconds
        if isBack, age >= pause(place) {
            if mayBegin { (places[index].missed, places[index].cleared, places[index].isBack) = (0, 0, false) }
            return .new
        }
        (places[index].missed, places[index].cleared, places[index].isBack) = (0, 0, isBack)
        guard places[index].kind == .ignored, !places[index].isTold, age >= Self.lastingMilliseconds
        else { return .known }
        places[index].isTold = true
        return .lasting
    }

    /// All but one are out of sight. A decoder tells one code of a frame: another one says nothing of the first for sure, but who waits
    /// beside a poster must not be ignored for ever.
    private func miss(except kept: Int?) {
        for index in places.indices where index != kept && places[index].kind != .none { Self.count(&places[index].missed) }
    }

    private static func count(_ looks: inout UInt8) { looks = looks == .max ? .max : looks + 1 }

    // MARK: what a code proved to be

    /// The code is ignored, until it was out of sight.
    mutating func ignore(_ text: Span<UInt8>, isTold: Bool, at now: Instant) {
        note(text, as: isTold ? .ignored : .ignoredQuietly, now)
    }

    /// A visit begins with the code.
    mutating func take(_ text: Span<UInt8>, isEngagement: Bool, at now: Instant) {
        current = note(text, as: isEngagement ? .engagement : .judged, now)
    }

    /// The visit is over.
    ///
    /// - Parameter isLasting: it was rejected, and would be again.
    /// - Returns: whether it is the first such verdict on the code that is remembered.
    mutating func end(isLasting: Bool) -> Bool {
        guard let index = current.take() else { return true }
        let before = places[index].rejections
        places[index].rejections = isLasting ? min(before + 1, 7) : 0
        return before == 0
    }

    /// Other issuers are believed: what was rejected may be accepted now.
    mutating func pardon() {
        for index in 0..<places.count { places[index].rejections = 0 }
    }

    /// Forgets every code, and the key of the digests.
    mutating func forget() {
        for index in 0..<places.count { places[index] = Place() }
        current = nil
        // Where there is no chance to be had the old key stays, of digests that are gone.
        do throws(CryptographyError) { key = try Secret(randomCount: 32) } catch {}
    }

    var isEmpty: Bool { places.allSatisfy { $0.kind == .none && $0.digest == (0, 0) } }

    // MARK: places

    @discardableResult
    private mutating func note(_ text: Span<UInt8>, as kind: Kind, _ now: Instant) -> Int? {
        guard let digest = keyedDigest(text) else { return nil }
        // The same text is always the same; only what was judged has a count that is kept.
        let known = index(of: digest)
        let index = known ?? leastRecent(kind)
        var place = Place()
        place.rejections = known == nil ? 0 : places[index].rejections
        (place.digest, place.kind, place.taken, place.seen) = (digest, kind, now, now)
        places[index] = place
        return index
    }

    private func index(of digest: (UInt64, UInt64)) -> Int? {
        for index in 0..<places.count where places[index].kind != .none && places[index].digest == digest { return index }
        return nil
    }

    /// The place for a code that has none: a free one, else that of the code that has not been seen for the longest time.
    private func leastRecent(_ kind: Kind) -> Int {
        let isJudged = kind == .judged || kind == .engagement
        let range = isJudged ? 0..<Self.judgedPlaces : Self.judgedPlaces..<Self.capacity
        var least = range.lowerBound
        for index in range {
            if places[index].kind == .none { return index }
            if places[index].seen < places[least].seen { least = index }
        }
        return least
    }

    /// From the verdict before last on, the pause is twice as long each time.
    private func pause(_ place: Place) -> UInt64 {
        if place.kind == .engagement { return Self.engagementMilliseconds }
        return min(Self.againMilliseconds << UInt64(max(1, min(place.rejections, 8)) - 1), Self.longestMilliseconds)
    }

    /// The first 128 bits of SHA-256 over a random key and the text: whoever reads the memory of a gate finds no text by trying those that
    /// are likely.
    private mutating func keyedDigest(_ text: Span<UInt8>) -> (UInt64, UInt64)? {
        var octets = InlineArray<32, UInt8>(repeating: 0)
        do throws(CryptographyError) {
            try key.withBytes { (key) throws(CryptographyError) in try digest.update(key) }
            try digest.update(text)
            var output = octets.mutableSpan
            try output.withUnsafeMutableBytes { (buffer) throws(CryptographyError) in try digest.finish(into: buffer) }
        } catch {
            return nil
        }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 { words.0 = words.0 << 8 | UInt64(octets[index]) }
        for index in 8..<16 { words.1 = words.1 << 8 | UInt64(octets[index]) }
        return words
    }
}

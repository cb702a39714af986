import Bluetooth

/// Which of the gate's codes stands on the screen, of those that there are: each for its time, one after the other. Asked in every turn of
/// the loop: bits, and nothing that allocates.
struct CodeTurns {
    private let milliseconds: UInt64
    /// Kinds with a code, and kinds whose code the screen has no room for, a bit each.
    private var ready: UInt8 = 0
    private var passedOver: UInt8 = 0
    /// Whose code is shown; nil where there is none.
    private(set) var current: OfferedKind?
    private var until: Instant?

    init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// Codes that take turns.
    var count: Int { (ready & ~passedOver).nonzeroBitCount }

    /// When `expire` wants to be called; nil where one code stands alone.
    var deadline: Instant? { count > 1 ? until : nil }

    /// There is a code of this kind. It has to wait for its turn, unless nothing is shown, or what has no room.
    mutating func add(_ kind: OfferedKind) {
        ready |= kind.bit
        if current.map({ ready & ~passedOver & $0.bit == 0 }) ?? true { current = next }
    }

    /// There is none any more.
    mutating func remove(_ kind: OfferedKind) {
        ready &= ~kind.bit
        if current == kind { current = next }
    }

    mutating func removeAll() {
        ready = 0
        current = nil
    }

    /// The code that is shown has its whole time from now on.
    mutating func begin(at now: Instant) { until = now.adding(milliseconds: milliseconds) }

    /// - Returns: whether another code is shown.
    mutating func expire(at now: Instant) -> Bool {
        guard count > 1, let until, now >= until else { return false }
        begin(at: now)
        current = next
        return true
    }

    /// The code that is shown has no room on the screen: the others take turns without it.
    ///
    /// - Returns: false where there is no other, and it stays.
    mutating func passOver(at now: Instant) -> Bool {
        guard let current, count > 1 else { return false }
        passedOver |= current.bit
        begin(at: now)
        self.current = next
        return true
    }

    /// The screen is another one.
    mutating func passOverNone() { passedOver = 0 }

    /// The one after the one that is shown; a code without room only where there is no other.
    private var next: OfferedKind? { after(ready & ~passedOver) ?? after(ready) }

    private func after(_ kinds: UInt8) -> OfferedKind? {
        let place = current?.place ?? OfferedKind.count - 1
        for step in 1...OfferedKind.count {
            let candidate = (place + step) % OfferedKind.count
            if kinds & 1 << UInt8(candidate) != 0 { return OfferedKind(place: candidate) }
        }
        return nil
    }
}

extension OfferedKind {
    fileprivate static var count: Int { 3 }

    /// In the order of turns.
    fileprivate var place: Int {
        switch self {
        case .tuvali: 0
        case .aries: 1
        case .trustedKey: 2
        }
    }

    fileprivate init?(place: Int) {
        switch place {
        case 0: self = .tuvali
        case 1: self = .aries
        case 2: self = .trustedKey
        default: return nil
        }
    }

    fileprivate var bit: UInt8 { 1 << UInt8(place) }
}

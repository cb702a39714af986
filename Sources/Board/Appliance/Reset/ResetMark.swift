import Trust

/// That a gate was reset, and nobody has set it up since: the file `reset` beside the trust bundle, in two copies. It is written before
/// anything is erased and goes when the gate has run with a site file that came after it. As long as it is there nobody is let in without
/// one.
///
/// On the disk it is a line, and its digest on the next: `1 erasing order 3`, `1 done button`.
public struct ResetMark: Hashable, Sendable {
    /// What asked for it.
    public enum Cause: Hashable, Sendable {
        /// A signed order, by its number.
        case order(Int64)
        /// Somebody at the board.
        case button
    }

    /// Counted while the mark is there, so that of two copies the later one is known.
    let count: Int64
    public let cause: Cause
    /// Something of what is to be erased may be there still.
    public internal(set) var isErasing: Bool

    static let file = TwinFile<ResetMark>(
        name: "reset", longest: 256, decode: { ResetMark(decoding: $0) }, encode: { $0.encoded }, union: { $0.further($1) })

    init(count: Int64, cause: Cause, isErasing: Bool) {
        (self.count, self.cause, self.isErasing) = (count, cause, isErasing)
    }

    /// The number of the order that asked for it; 0 where none did.
    var number: Int64 { if case .order(let number) = cause { number } else { 0 } }

    /// Which of two copies was written later. One of the same reset that is done says more than one that is not.
    private func further(_ other: ResetMark) -> ResetMark {
        if count != other.count { return count > other.count ? self : other }
        return isErasing ? other : self
    }

    private var line: [UInt8] {
        let cause =
            switch cause {
            case .order(let number): "order \(number)"
            case .button: "button"
            }
        return Array("\(count) \(isErasing ? "erasing" : "done") \(cause)\n".utf8)
    }

    private var encoded: [UInt8]? { HighWater.hexadecimal(line).map { line + Array(($0 + "\n").utf8) } }

    private init?(decoding octets: [UInt8]) {
        let first = octets.prefix { $0 != UInt8(ascii: "\n") }
        let words = String(decoding: first, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 3, let count = Int64(words[0]), count > 0 else { return nil }
        let cause: Cause
        switch (words[2], words.count) {
        case ("order", 4):
            guard let number = Int64(words[3]), number > 0 else { return nil }
            cause = .order(number)
        case ("button", 3): cause = .button
        default: return nil
        }
        self.init(count: count, cause: cause, isErasing: words[1] == "erasing")
        // A state of another name, a blank more or a wrong digest is another text.
        guard encoded == octets else { return nil }
    }

    // MARK: On the disk

    /// What is there.
    enum State: Hashable {
        case none
        case mark(ResetMark)
        /// Neither copy can be read: there was a reset, and nobody knows how far it came.
        case damaged
    }

    static func state(_ disk: borrowing TrustDisk) throws(TrustInstallationError) -> State {
        switch try file.read(disk) {
        case .none: .none
        case .value(let mark, _): .mark(mark)
        case .damaged: .damaged
        }
    }

    /// Puts a new one there.
    ///
    /// - Returns: what went wrong although it is there.
    static func begin(_ cause: Cause, on disk: borrowing TrustDisk) throws(TrustInstallationError) -> TrustInstallationError? {
        var count: Int64 = 1
        if case .mark(let before) = try state(disk) { count = before.count < .max ? before.count + 1 : before.count }
        return try file.put(ResetMark(count: count, cause: cause, isErasing: true), on: disk)
    }

    /// The gate has run with what came after it.
    static func clear(_ disk: borrowing TrustDisk) throws(TrustInstallationError) {
        for name in [file.name, file.name + ".copy"] { try disk.remove(name) }
    }
}

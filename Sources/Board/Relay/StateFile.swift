import Linux

/// A file of the outlet's state folder, replaced whole. While that fails, as on a full disk, it is tried more and more seldom: an attempt
/// brings octets to the disk, and a card does not last for ever.
struct StateFile: Hashable {
    /// Nanoseconds after the first failure, and at most.
    private static let (first, most): (UInt64, UInt64) = (1_000_000_000, 60_000_000_000)

    private let folder: String
    private let name: String
    /// Why it could not be replaced last; nil where it could.
    private(set) var failure: SystemError?
    private var pause = Self.first
    private var retryAt: UInt64 = 0

    init(_ name: String, in folder: String) { (self.name, self.folder) = (name, folder) }

    /// False where it is not replaced: it failed, or it is too early to try again.
    ///
    /// - Parameters:
    ///   - now: nanoseconds of `Clock.monotonic`; `.max` for the last attempt of all.
    ///   - say: hears of the first failure, and of no other before it was replaced again.
    mutating func replace(with octets: [UInt8], now: UInt64, say: (SystemError) -> Void) -> Bool {
        guard now >= retryAt else { return false }
        do throws(SystemError) {
            try DurableFolder(folder, exclusively: false).replace(name, with: octets)
            (failure, pause, retryAt) = (nil, Self.first, 0)
            return true
        } catch {
            if failure == nil { say(error) }
            (failure, retryAt) = (error, now.addingReportingOverflow(pause).overflow ? .max : now + pause)
            pause = min(2 * pause, Self.most)
            return false
        }
    }
}

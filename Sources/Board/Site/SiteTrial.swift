/// A new site file's first run: it is kept once the gate has run with it for a while, and where it says where the controller is, only with one that works.
///
/// A gate that does not come that far is started anew, which counts: after a few starts the file is given up (`SiteInstallation`).
public struct SiteTrial {
    /// Nanoseconds after which a gate that runs has proven a file that leaves the controller alone.
    static let provenAfter: UInt64 = 60 * 1_000_000_000
    /// Nanoseconds that a controller has to come up.
    static let lostAfter: UInt64 = 180 * 1_000_000_000

    private let needsController: Bool
    private let confirm: () -> Void
    private let start: UInt64
    private var isOver = false

    /// - Parameters:
    ///   - needsController: whether the file says where the controller is.
    ///   - now: nanoseconds of the monotonic clock.
    ///   - confirm: keeps the file.
    public init(needsController: Bool, now: UInt64 = Clock.monotonic(), confirm: @escaping () -> Void) {
        self.needsController = needsController
        self.confirm = confirm
        start = now
    }

    /// When there is something to decide; nil when there is not.
    var due: UInt64? { isOver ? nil : start &+ (needsController ? Self.lostAfter : Self.provenAfter) }

    /// Returns whether the gate has to end, because the file keeps its controller away.
    mutating func pass(_ now: UInt64, isControllerUp: Bool) -> Bool {
        guard let due else { return false }
        if isControllerUp || (now >= due && !needsController) {
            isOver = true
            confirm()
            return false
        }
        guard now >= due else { return false }
        isOver = true
        return true
    }
}

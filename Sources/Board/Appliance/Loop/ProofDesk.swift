import Linux
import Presentation

/// Proofs at a gate at work: how long one is looked at, what cannot wait meanwhile, and who hears that nobody can be asked for one.
final class ProofDesk {
    private let door: DoorDesk
    private let report: (String) -> Void
    /// Nanoseconds of the monotonic clock.
    private var end: UInt64 = 0
    private var obstacle: ProofObstacle?

    /// Nanoseconds for one proof. The costliest that a gate takes needs some 7 s on a small board (anoncreds.md section 12), and a wallet
    /// that posts waits no longer than this (aries.md section 6).
    static let time: UInt64 = 10_000_000_000

    init(_ door: DoorDesk, report: @escaping (String) -> Void) {
        self.door = door
        self.report = report
    }

    /// A look at what a visitor has sent may begin. What is handed out is one closure, whoever asks: nothing is allocated for it.
    ///
    /// - Returns: says whether the time is over. The lock whose own time is over closes meanwhile.
    func begin() -> () -> Bool {
        end = Clock.monotonic() &+ Self.time
        return hasEnded
    }

    private lazy var hasEnded: () -> Bool = { [unowned self] in
        let now = Clock.monotonic()
        door.passTime(now)
        return now >= end
    }

    /// Says why nobody can be asked, once for each reason.
    func note(_ obstacle: ProofObstacle?) {
        guard obstacle != self.obstacle else { return }
        self.obstacle = obstacle
        report(obstacle.map { "nobody is asked for a proof: \($0.sentence)" } ?? "visitors are asked for a proof again")
    }
}

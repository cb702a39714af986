import Appliance
import Envelopes
import Glibc
import Linux
import Trust

/// The board's clock: on it hangs what has expired.
public enum ClockSection {
    /// - Parameters:
    ///   - now: seconds since 1970 by the board's clock.
    ///   - trusted: what it is worth by everything that was signed, and what becomes of visitors where that is not enough; nil for a
    ///     folder that nobody signed.
    ///   - isSynchronised: nil where the kernel does not say.
    public static func examine(
        _ now: Seconds, trusted: (clock: TrustedClock, policy: TrustBundle.ClockPolicy)?, isSynchronised: Bool? = Clock.isSynchronised
    ) -> DoctorReport.Section {
        var section = DoctorReport.Section("clock")
        // 2026-01-01: before this program was written.
        let isPast = now < 1_767_225_600
        if isPast {
            section.trouble(
                "clock", "clock-past", "\(Sentence.time(now)) is in the past: nothing that expires can be judged", set)
        } else {
            section.summary = Sentence.time(now)
        }
        if case .unsure(let least)? = trusted?.clock {
            let fate = trusted?.policy == .accept ? "let in" : "rejected"
            section.trouble(
                "clock", "clock-behind", "it is behind \(Sentence.time(least)), which has passed: visitors are \(fate) meanwhile", set)
        }
        switch isSynchronised {
        case true?: section.add("synchronised", "yes")
        case false?: section.note("synchronised", "no: nothing keeps it right", byNetwork)
        case nil: section.note("synchronised", "the kernel does not say")
        }
        return section
    }

    /// A small image has no timedatectl, and nobody who could log in.
    private static let hasControl = access("/usr/bin/timedatectl", X_OK) == 0

    private static var set: DoctorReport.Remedy {
        guard hasControl else { return .init("Bring a signed time on a stick (docs/time.md)", "gatehouse order build --kind time") }
        return .init("Set it, or bring a signed time (docs/time.md)", "timedatectl set-time 'YYYY-MM-DD HH:MM:SS'")
    }

    private static var byNetwork: DoctorReport.Remedy {
        guard hasControl else {
            return .init(
                "Where there is a network, name its time servers in the site file (docs/time.md)", "gatehouse order build --kind site")
        }
        return .init("Where there is a network", "timedatectl set-ntp true")
    }
}

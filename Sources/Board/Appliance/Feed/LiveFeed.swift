import Glibc
import Linux
import Visit

/// Verdicts for somebody else on this board, each at once and once: a datagram that goes or does not. Nothing waits for it, nothing is read
/// from it, and whoever wants to know of every verdict reads the audit log.
public final class LiveFeed {
    /// Nanoseconds between two words about what does not go.
    private static let silence: UInt64 = 60_000_000_000

    private let socket: DatagramSocket?
    private let report: (String) -> Void
    private var octets = [UInt8](repeating: 0, count: FeedRecord.size)
    private(set) var number: UInt64 = 0
    private(set) var lost: UInt64 = 0
    private var toldAt: UInt64 = 0

    /// Connects once, before the gate gives up the right to: a socket that is not there is none for as long as this process lives.
    ///
    /// - Parameters:
    ///   - path: of somebody's datagram socket.
    ///   - report: takes one line for the person at the terminal.
    public init(_ path: String, report: @escaping (String) -> Void) {
        self.report = report
        do throws(SystemError) {
            socket = try DatagramSocket(to: path)
        } catch {
            socket = nil
            report("--feed \(path): nobody is told of verdicts until the gate is started anew (\(systemCause(error.errno)))")
        }
    }

    deinit { socket?.close() }

    var isThere: Bool { socket != nil }

    /// A verdict is told, and its light is on.
    ///
    /// - Parameter kept: the record it was kept by; nil where there is none.
    func tell(isAccepted: Bool, kept: VisitRecords.Kept?, wall: Int64, now: UInt64) {
        guard let socket else { return }
        if number < .max { number += 1 }
        var record = FeedRecord(isAccepted: isAccepted, wall: wall, monotonic: now, number: number, lost: lost)
        if let kept {
            (record.binding, record.isHolderBound, record.presentation) = (kept.binding, kept.isHolderBound, kept.presentation)
            (record.sequence, record.visit) = (kept.sequence, kept.visit)
        }
        record.write(to: &octets)
        let code = octets.withUnsafeBytes { socket.send($0) }
        guard code != 0 else { return }
        if lost < .max { lost += 1 }
        guard toldAt == 0 || now >= toldAt &+ Self.silence else { return }
        toldAt = now
        report("--feed: a verdict did not go (\(systemCause(code))); \(lost) so far")
    }
}

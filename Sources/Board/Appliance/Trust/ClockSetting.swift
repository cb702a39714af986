import Envelopes
import Trust

/// An order of the kind `time`: the board's clock, set by the signers.
public enum ClockSetting {
    /// Seconds by which a clock may be ahead and is turned back all the same: two clocks are never equal.
    static let skew: Seconds = 300

    /// Takes the order and returns the time it sets the clock to, in seconds since 1970, and what went wrong all the same. Nothing but the
    /// trust folder is changed: setting the clock is the caller's, and nothing but a new order makes up for it where that fails.
    ///
    /// The clock is never set to before a time that has certainly passed. One that is ahead is turned back only where the order says so: a
    /// file that nobody used, in the wrong hands, must not make what has expired valid again on a board whose clock is right.
    ///
    /// - Parameters:
    ///   - folder: the one trust bundles are installed in.
    ///   - now: seconds since 1970 by the board's clock.
    ///   - patience: nanoseconds to wait for another program that has the folder.
    public static func take(
        _ octets: [UInt8], from folder: String, root: TrustRoot, gate: String?, now: Seconds, patience: UInt64 = 0
    ) throws(OrderRegisterError) -> (time: Seconds, doubt: TrustInstallationError?) {
        try take(octets, OrderRegister(folder, patience: patience), root, gate, now)
    }

    static func take(
        _ octets: [UInt8], _ register: OrderRegister, _ root: TrustRoot, _ gate: String?, _ now: Seconds
    ) throws(OrderRegisterError) -> (time: Seconds, doubt: TrustInstallationError?) {
        let taken = try register.take(octets, .time, root, gate, now) { (order, occasion) throws(OrderRegisterError) in
            let content = try Self.content(order)
            guard content.time >= occasion.floor else { throw .behindFloor(time: content.time, floor: occasion.floor) }
            guard !content.mayTurnBack else {
                // A clock that is wrong says nothing about the end of the order that puts it right.
                return try OrderRegister.refuseExpired(order, OrderRegister.Occasion(now: 0, floor: occasion.floor))
            }
            guard occasion.now <= content.time + skew else { throw .clockAhead(clock: occasion.now, time: content.time) }
            try OrderRegister.refuseExpired(order, occasion)
        }
        return (try content(taken.order).time, taken.doubt)
    }

    private static func content(_ order: Order) throws(OrderRegisterError) -> TimeOrder {
        do throws(OrderError) {
            return try TimeOrder(order)
        } catch {
            throw .order(error)
        }
    }
}

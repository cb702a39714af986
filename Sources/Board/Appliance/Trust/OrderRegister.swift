import Envelopes
import Linux
import Trust

/// Why an order is not taken. Nothing of it is done.
public enum OrderRegisterError: Error, Hashable, Sendable {
    case order(OrderError)
    /// The gate has taken this order, or a later one of its kind.
    case numberUsed(Order.Kind, number: Int64, highest: Int64)
    /// Both copies of the record of what was taken are damaged, and the order is older than the latest time that is known to have passed.
    case olderThanMark(created: Seconds, mark: Seconds)
    /// A number so far above the highest taken that it must be a slip: it would leave no number for the orders after it.
    case numberTooFar(Order.Kind, number: Int64, highest: Int64)
    /// Made in the future by a clock that nothing speaks against.
    case madeInFuture(created: Seconds, clock: Seconds)
    /// The order would set the clock to before a time that has certainly passed.
    case behindFloor(time: Seconds, floor: Seconds)
    /// The board's clock is ahead of what the order sets it to, and the order does not say that it may be turned back.
    case clockAhead(clock: Seconds, time: Seconds)
    case disk(TrustInstallationError)
}

/// An order that was taken.
public struct TakenOrder: Sendable {
    public let order: Order
    /// What went wrong when it was taken already: some of what was written may not outlast a power cut.
    public let doubt: TrustInstallationError?
}

/// Which orders a gate has taken: the file `orders` beside the trust bundle, in two copies. Each order is taken once.
///
/// Whoever can write this folder at will can make a gate forget; a stick cannot.
public struct OrderRegister: Sendable {
    static let file = TwinFile<OrderNumbers>(
        name: "orders", longest: OrderNumbers.longest, decode: { OrderNumbers(decoding: $0) }, encode: { $0.encoded },
        union: { $0.union($1) })

    private let folder: String
    private let patience: UInt64
    private let watch: DurableFolder.Watch?

    /// - Parameters:
    ///   - folder: the one trust bundles are installed in; it has to exist.
    ///   - patience: nanoseconds to wait for another program that has the folder.
    public init(_ folder: String, patience: UInt64 = 0) {
        self.init(folder, patience: patience, watch: nil)
    }

    init(_ folder: String, patience: UInt64 = 0, watch: DurableFolder.Watch?) {
        self.folder = folder
        self.patience = patience
        self.watch = watch
    }

    /// What a gate knows when an order arrives.
    struct Occasion {
        /// By the board's clock, in seconds since 1970.
        let now: Seconds
        /// A time that has certainly passed.
        let floor: Seconds
    }

    /// What an order brings besides its number.
    struct Delivery {
        /// The number at or below which none is taken, where more is known than what the record says.
        ///
        /// - Parameter highest: what the record says.
        var highest: (_ highest: Int64, _ disk: borrowing TrustDisk) throws(TrustInstallationError) -> Int64 = {
            (highest, _) throws(TrustInstallationError) in highest
        }
        /// Puts it on the disk, before the number. When it returns, the order is taken: what it returns is what went wrong all the same.
        var keep: (borrowing TrustDisk) throws(TrustInstallationError) -> TrustInstallationError? = {
            (_) throws(TrustInstallationError) in nil
        }
    }

    /// Checks an order and changes nothing: whether `take` would take it.
    ///
    /// - Parameters:
    ///   - gate: the gate's id; nil where it has none.
    ///   - now: seconds since 1970 by the board's clock. The order is judged at the latest time that is known to have passed: this one, the
    ///   mark's,
    ///     or the one the order itself was made at.
    public func check(_ octets: [UInt8], _ kind: Order.Kind, root: TrustRoot, gate: String?, now: Seconds) throws(OrderRegisterError)
        -> Order
    {
        let order = try Self.verified(octets, kind, root, gate)
        let disk = try Self.disk { () throws(TrustInstallationError) in try TrustDisk(folder, exclusively: false) }
        _ = try Self.judged(order, disk, root, now, Delivery(), Self.refuseExpired)
        return order
    }

    /// Checks an order and takes it: when this returns, its number is on the disk, and the same file is not taken again, whatever becomes
    /// of what it orders. When it throws, the order was not taken.
    public func take(_ octets: [UInt8], _ kind: Order.Kind, root: TrustRoot, gate: String?, now: Seconds) throws(OrderRegisterError)
        -> TakenOrder
    {
        try take(octets, kind, root, gate, now, Self.refuseExpired)
    }

    /// - Parameter judge: what decides over the order, its time above all; nothing is written before it returns.
    func take(
        _ octets: [UInt8], _ kind: Order.Kind, _ root: TrustRoot, _ gate: String?, _ now: Seconds,
        _ judge: (Order, Occasion) throws(OrderRegisterError) -> Void, _ delivery: Delivery = Delivery()
    ) throws(OrderRegisterError) -> TakenOrder {
        let order = try Self.verified(octets, kind, root, gate)
        let disk = try Self.disk { () throws(TrustInstallationError) in
            try TrustDisk(folder, exclusively: true, patience: patience, watch: watch)
        }
        var (numbers, mark) = try Self.judged(order, disk, root, now, delivery, judge)
        numbers.raise(kind, to: order.number)
        return try Self.disk { () throws(TrustInstallationError) in
            var doubts = [try delivery.keep(disk)]
            do throws(TrustInstallationError) {
                doubts.append(try Self.file.put(numbers, on: disk))
            } catch {
                // What was delivered has the number too.
                guard try delivery.highest(0, disk) >= order.number else { throw error }
                doubts.append(error)
            }
            // Its signers say when they made it, and that has passed.
            mark.raise(toTime: order.created)
            doubts.append(mark.keep(on: disk))
            return TakenOrder(order: order, doubt: doubts.compactMap { $0 }.first)
        }
    }

    /// The highest number taken of each kind; nil where the record is damaged.
    public func numbers() throws(TrustInstallationError) -> OrderNumbers? {
        let disk = try TrustDisk(folder, exclusively: false)
        switch try Self.file.read(disk) {
        case .none: return OrderNumbers()
        case .value(let numbers, _): return numbers
        case .damaged: return nil
        }
    }

    /// Makes the record of a gate that has taken none yet.
    static func begin(_ disk: borrowing TrustDisk) throws(TrustInstallationError) {
        switch try file.read(disk) {
        case .none: try file.write(OrderNumbers(), to: disk)
        case .value(let numbers, isWhole: false): try file.write(numbers, to: disk)
        default: break
        }
    }

    private static func verified(_ octets: [UInt8], _ kind: Order.Kind, _ root: TrustRoot, _ gate: String?) throws(OrderRegisterError)
        -> Order
    {
        do throws(OrderError) {
            let order = try SignedOrder(octets).verify(root)
            try order.check(kind, for: gate)
            return order
        } catch {
            throw .order(error)
        }
    }

    /// What was taken before, and how far this gate has come, where the order may be taken.
    private static func judged(
        _ order: Order, _ disk: borrowing TrustDisk, _ root: TrustRoot, _ now: Seconds, _ delivery: Delivery,
        _ judge: (Order, Occasion) throws(OrderRegisterError) -> Void
    ) throws(OrderRegisterError) -> (OrderNumbers, KnownMark) {
        // Not in closures of `disk`, which is borrowed.
        let mark: KnownMark, finding: TwinFile<OrderNumbers>.Finding
        do throws(TrustInstallationError) {
            mark = try KnownMark(disk, root)
            finding = try file.read(disk)
        } catch {
            throw .disk(error)
        }
        let numbers: OrderNumbers? =
            switch finding {
            // Both written before the first mark: where there is one, they were lost.
            case .none: mark.isFirst ? OrderNumbers() : nil
            case .value(let found, _): found
            case .damaged: nil
            }
        // The numbers are lost; what was made before a time that has passed may have been used before it, and so may what that time is
        // known from.
        if numbers == nil, order.created <= mark.mark.time { throw .olderThanMark(created: order.created, mark: mark.mark.time) }
        let recorded = numbers?.highest(order.kind) ?? 0, highest: Int64
        do throws(TrustInstallationError) {
            highest = try delivery.highest(recorded, disk)
        } catch {
            throw .disk(error)
        }
        guard order.number > highest else { throw .numberUsed(order.kind, number: order.number, highest: highest) }
        guard order.number - highest <= Order.largestStep else { throw .numberTooFar(order.kind, number: order.number, highest: highest) }
        // A clock that is to be set says nothing about the order that sets it.
        if order.kind != .time, mark.isAhead(order.created, of: now) { throw .madeInFuture(created: order.created, clock: now) }
        try judge(order, Occasion(now: now, floor: mark.mark.time))
        return (numbers ?? SiteInstallation.numbers(disk, root), mark)
    }

    static func refuseExpired(_ order: Order, _ occasion: Occasion) throws(OrderRegisterError) {
        guard max(occasion.now, occasion.floor, order.created) < order.notAfter else { throw .order(.expired(at: order.notAfter)) }
    }

    private static func disk<Result: ~Copyable>(_ body: () throws(TrustInstallationError) -> Result) throws(OrderRegisterError) -> Result {
        do throws(TrustInstallationError) {
            return try body()
        } catch {
            throw .disk(error)
        }
    }
}

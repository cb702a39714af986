import Credentials

/// Why an order is not taken. Nothing of it is done.
public enum OrderRegisterError: Error, Hashable, Sendable {
    case order(OrderError)
    /// The gate has taken this order, or a later one of its kind.
    case numberUsed(Order.Kind, number: Int64, highest: Int64)
    /// Both copies of the record of what was taken are damaged, and the order is older than the latest time that is known to have passed.
    case olderThanMark(created: Seconds, mark: Seconds)
    /// The order would set the clock to before a time that has certainly passed.
    case behindFloor(time: Seconds, floor: Seconds)
    /// The board's clock is ahead of what the order sets it to, and the order does not say that it may be turned back.
    case clockAhead(clock: Seconds, time: Seconds)
    case disk(TrustInstallationError)
}

/// Which orders a gate has taken: the file `orders` beside the trust bundle, in two copies. Each order is taken once.
///
/// Whoever can write this folder at will can make a gate forget; a stick cannot.
public struct OrderRegister: Sendable {
    private static let file = TwinFile<OrderNumbers>(
        name: "orders", longest: OrderNumbers.longest, decode: { OrderNumbers(decoding: $0) }, encode: { $0.encoded }, union: { $0.union($1) })

    private let folder: String
    private let watch: DurableFolder.Watch?

    /// - Parameter folder: the one trust bundles are installed in; it has to exist.
    public init(_ folder: String) {
        self.init(folder, watch: nil)
    }

    init(_ folder: String, watch: DurableFolder.Watch?) {
        self.folder = folder
        self.watch = watch
    }

    /// What a gate knows when an order arrives.
    struct Occasion {
        /// By the board's clock, in seconds since 1970.
        let now: Seconds
        /// A time that has certainly passed.
        let floor: Seconds
    }

    /// Checks an order and changes nothing: whether `take` would take it.
    ///
    /// - Parameters:
    ///   - gate: the gate's id; nil where it has none.
    ///   - now: seconds since 1970 by the board's clock. The order is judged at the latest time that is known to have passed: this one, the mark's,
    ///     or the one the order itself was made at.
    public func check(_ octets: [UInt8], _ kind: Order.Kind, root: TrustRoot, gate: String?, now: Seconds) throws(OrderRegisterError) -> Order {
        let order = try Self.verified(octets, kind, root, gate)
        let disk = try Self.disk { () throws(TrustInstallationError) in try DurableFolder(folder, exclusively: false) }
        let mark = try Self.disk { () throws(TrustInstallationError) in try TrustInstallation.readMark(disk) }
        _ = try Self.numbers(disk, for: order, mark)
        try Self.refuseExpired(order, Occasion(now: now, floor: mark.time))
        return order
    }

    /// Checks an order and takes it: when this returns, its number is on the disk, and the same file is not taken again, whatever becomes of what it
    /// orders. When it throws, the order was not taken.
    public func take(_ octets: [UInt8], _ kind: Order.Kind, root: TrustRoot, gate: String?, now: Seconds) throws(OrderRegisterError) -> Order {
        try take(octets, kind, root, gate, now, Self.refuseExpired)
    }

    /// - Parameters:
    ///   - judge: what decides over the order, its time above all; nothing is written before it returns.
    ///   - keep: puts what the order brings on the disk, before its number: after a cut in between the same file may come again, and no older one.
    func take(
        _ octets: [UInt8], _ kind: Order.Kind, _ root: TrustRoot, _ gate: String?, _ now: Seconds,
        _ judge: (Order, Occasion) throws(OrderRegisterError) -> Void,
        keep: (borrowing DurableFolder) throws(TrustInstallationError) -> Void = { (_) throws(TrustInstallationError) in }
    ) throws(OrderRegisterError) -> Order {
        let order = try Self.verified(octets, kind, root, gate)
        let disk = try Self.disk { () throws(TrustInstallationError) in try DurableFolder(folder, exclusively: true, watch: watch) }
        let mark = try Self.disk { () throws(TrustInstallationError) in try TrustInstallation.readMark(disk) }
        var numbers = try Self.numbers(disk, for: order, mark)
        try judge(order, Occasion(now: now, floor: mark.time))
        numbers.raise(kind, to: order.number)
        try Self.disk { () throws(TrustInstallationError) in
            try keep(disk)
            try Self.file.write(numbers, to: disk)
            var raised = mark
            // Its signers say when they made it, and that has passed.
            raised.raise(toTime: order.created)
            if raised != mark { try TrustInstallation.writeMark(raised, to: disk) }
        }
        return order
    }

    /// The highest number taken of each kind; nil where the record is damaged.
    public func numbers() throws(TrustInstallationError) -> OrderNumbers? {
        let disk = try DurableFolder(folder, exclusively: false)
        switch try Self.file.read(disk) {
        case .none: return OrderNumbers()
        case .value(let numbers, _): return numbers
        case .damaged: return nil
        }
    }

    private static func verified(_ octets: [UInt8], _ kind: Order.Kind, _ root: TrustRoot, _ gate: String?) throws(OrderRegisterError) -> Order {
        do throws(OrderError) {
            let order = try SignedOrder(octets).verify(root)
            try order.check(kind, for: gate)
            return order
        } catch {
            throw .order(error)
        }
    }

    private static func numbers(
        _ disk: borrowing DurableFolder, for order: Order, _ mark: HighWater
    ) throws(OrderRegisterError) -> OrderNumbers {
        let finding: TwinFile<OrderNumbers>.Finding
        do throws(TrustInstallationError) {
            finding = try file.read(disk)
        } catch {
            throw .disk(error)
        }
        let numbers: OrderNumbers
        switch finding {
        case .none: numbers = OrderNumbers()
        case .value(let found, _): numbers = found
        case .damaged:
            // The numbers are lost; what was made before a time that has passed may have been used before it.
            guard order.created >= mark.time else { throw .olderThanMark(created: order.created, mark: mark.time) }
            numbers = OrderNumbers()
        }
        let highest = numbers.highest(order.kind)
        guard order.number > highest else { throw .numberUsed(order.kind, number: order.number, highest: highest) }
        return numbers
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

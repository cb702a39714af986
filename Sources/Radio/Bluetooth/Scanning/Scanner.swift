/// The role that looks for a phone: it listens all the time for one service, and tells of the first that has it.
struct Scanner: ~Copyable {
    /// Scanning goes on until a phone is found, a link is up, the time is over, or the application ends it.
    private(set) var isWanted = false
    /// An enabling command was sent, and nothing since has ended scanning.
    private(set) var mayBeOn = false
    /// The controller has said that it scans.
    private(set) var isOn = false
    private(set) var service = UUID(0)
    /// The own address, of scanning and of the connection that follows.
    var address = DeviceAddress()
    /// Scan requests are sent: scan responses are heard, too.
    private(set) var isActive = false
    private(set) var until: Instant?
    /// When the duplicate filter is emptied.
    private(set) var renewAt: Instant?
    /// Refusals in a row, and when to try again.
    private var refusals = 0
    private(set) var retryAt: Instant?

    /// A filter of duplicates holds few addresses, and in a crowd forgets or drops those that come late: it is emptied so often. At the
    /// first time scan requests begin, for phones that have the UUID in their scan response.
    static var renewalMilliseconds: UInt64 { 2000 }
    static var retryMilliseconds: UInt64 { 500 }
    private static var tries: Int { 4 }

    init() {}

    /// When something is to be done while the controller is ready.
    var deadline: Instant? { isWanted ? Instant.earliest(Instant.earliest(until, retryAt), isOn ? renewAt : nil) : nil }

    // MARK: what is wanted

    /// What is looked for from now on, in place of what was before.
    mutating func want(_ newService: UUID, from newAddress: DeviceAddress, until newUntil: Instant) {
        service = newService
        address = newAddress
        until = newUntil
        isWanted = true
        isActive = false
        refusals = 0
        retryAt = nil
    }

    mutating func wantNothing() {
        isWanted = false
        until = nil
        renewAt = nil
        retryAt = nil
    }

    // MARK: the commands

    /// Queues the whole sequence from the start: parameters and address may change only while scanning is off.
    mutating func begin(_ commands: inout CommandChannel) {
        retryAt = nil
        end(&commands)
        commands.append(.setScanAddress)
        commands.append(.setScanParameters)
        commands.append(.setScanEnable(true))
    }

    /// Queues what ends it, if it may be on.
    mutating func end(_ commands: inout CommandChannel) {
        commands.removeScanning()
        if mayBeOn { commands.append(.setScanEnable(false)) }
    }

    /// Off and on again, which empties the filter of duplicates.
    mutating func renew(_ commands: inout CommandChannel) {
        renewAt = nil
        commands.removeScanning()
        commands.append(.setScanEnable(false))
        if !isActive {
            isActive = true
            commands.append(.setScanParameters)
        }
        commands.append(.setScanEnable(true))
    }

    // MARK: what the controller does

    /// The enabling command goes out.
    mutating func enabling() { mayBeOn = true }

    mutating func answered(_ on: Bool, _ now: Instant) {
        mayBeOn = on
        isOn = on && isWanted
        guard on else { return }
        refusals = 0
        renewAt = now.adding(milliseconds: Self.renewalMilliseconds)
    }

    /// A command of the sequence was refused. False when that was too often.
    mutating func refused(_ commands: inout CommandChannel, _ now: Instant) -> Bool {
        commands.removeScanning()
        // What the controller does is no longer known: the next try ends it first.
        mayBeOn = true
        isOn = false
        refusals += 1
        retryAt = now.adding(milliseconds: Self.retryMilliseconds)
        return refusals < Self.tries
    }

    /// Forgets what the controller does, keeps what is wanted.
    mutating func controllerLost() {
        mayBeOn = false
        isOn = false
        refusals = 0
        renewAt = nil
        retryAt = nil
    }
}

/// One attempt to connect to a phone that was found, from the wish to a link, or to the word that there is none.
struct Initiation: ~Copyable {
    enum Phase {
        case idle
        /// The command waits to be sent.
        case waiting
        /// The command was sent; the controller tries.
        case asked
        /// The attempt is to be given up, which the controller has to say: a success that crosses that is a success.
        case cancelling
    }

    private(set) var phase = Phase.idle
    private(set) var peer = Peer(address: DeviceAddress(), isRandom: true)
    private(set) var parameters = ConnectionParameters.session
    private(set) var until: Instant?
    private(set) var retryAt: Instant?
    /// By when the end of a cancelled attempt has to be told.
    private(set) var completionDue: Instant?
    /// Nobody waits for its end.
    private(set) var isSilent = false
    private var refusals = 0
    private var lostLinks = 0

    /// A link that nothing was heard on is tried again so often.
    private static var triesUnheard: Int { 3 }
    /// A command that was refused is sent again so often.
    private static var tries: Int { 4 }
    static var retryMilliseconds: UInt64 { 500 }
    /// The controller tells the end of an attempt at once (Core Vol 4 Part E 7.8.13); the time is an event's that is lost.
    static var completionMilliseconds: UInt64 { 2000 }

    init() {}

    /// The controller may be trying.
    var isOnAir: Bool { phase == .asked || phase == .cancelling }
    var isUnderWay: Bool { phase != .idle }

    /// When something is to be done while the controller is ready.
    var deadline: Instant? {
        switch phase {
        case .idle: nil
        case .waiting: Instant.earliest(until, retryAt)
        case .asked: until
        case .cancelling: completionDue
        }
    }

    // MARK: what is wanted

    mutating func begin(_ newPeer: Peer, until newUntil: Instant, _ commands: inout CommandChannel) {
        peer = newPeer
        parameters = .session
        until = newUntil
        isSilent = false
        refusals = 0
        lostLinks = 0
        queue(&commands)
    }

    /// Queues the command that connects; the address is the scanner's.
    mutating func queue(_ commands: inout CommandChannel) {
        phase = .waiting
        retryAt = nil
        completionDue = nil
        commands.append(.setScanAddress)
        commands.append(.createConnection)
    }

    /// Gives up an attempt that is on the air.
    mutating func cancel(_ commands: inout CommandChannel) {
        guard phase == .asked else { return }
        phase = .cancelling
        until = nil
        commands.append(.cancelConnection)
    }

    /// Nobody waits any more for what comes of it.
    mutating func silence() { isSilent = true }

    /// Over, whatever came of it.
    mutating func end(_ commands: inout CommandChannel) {
        phase = .idle
        until = nil
        retryAt = nil
        completionDue = nil
        commands.removeInitiating()
    }

    // MARK: what the controller does

    /// The command goes out.
    mutating func sent() { if phase == .waiting { phase = .asked } }

    /// The command that gives it up was answered, whether there was something to give up or not.
    mutating func cancelAnswered(_ now: Instant) {
        if phase == .cancelling { completionDue = now.adding(milliseconds: Self.completionMilliseconds) }
    }

    /// Whether the command is worth sending again after this status: at once with parameters that everybody sends, or after a pause.
    mutating func mayRepeat(after status: HCIStatus, _ now: Instant) -> Bool {
        guard phase == .asked, !isSilent else { return false }
        refusals += 1
        switch status {
        case .unknownCommand: return false
        case .unsupportedParameter, .invalidParameter:
            guard parameters != .cautious else { return false }
            parameters = .cautious
            return true
        default:
            guard refusals < Self.tries else { return false }
            phase = .waiting
            retryAt = now.adding(milliseconds: Self.retryMilliseconds)
            return true
        }
    }

    /// Whether to try once more after a link on which nothing was heard (3E): the phone missed the request, and goes on advertising.
    mutating func mayRepeatUnheard() -> Bool {
        guard phase == .asked, lostLinks < Self.triesUnheard else { return false }
        lostLinks += 1
        return true
    }
}

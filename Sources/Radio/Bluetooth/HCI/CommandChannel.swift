/// The way of the commands to the controller: one is outstanding at a time, the others wait in their order.
///
/// It knows what waits, what was sent and by when it has to be answered, the pause a controller asks for, and which commands this
/// controller never answers. What an answer means is the host's matter.
struct CommandChannel: ~Copyable {
    private var queue = CommandQueue()
    /// The command that was sent and is not answered.
    private(set) var outstanding: Command?
    private(set) var answerDue: Instant?
    /// When the last command was sent.
    private(set) var sentAt: Instant?
    private(set) var mayCommand = true
    /// The end of a pause the controller asked for and may forget to end.
    private(set) var pausedUntil: Instant?
    private var resets = 0
    var set = CommandSet.legacy

    /// Optional commands this controller once left without an answer.
    private(set) var isDataLengthBroken = false
    private(set) var isPHYBroken = false
    /// It left several probes in a row without an answer, or does not know the command.
    private(set) var isChannelMapBroken = false
    private var probesUnanswered = 0
    /// The idle controller left the last question without an answer.
    private var isIdleUnanswered = false

    static var milliseconds: UInt64 { 2000 }
    /// For a command the link does without: the next visit's advertisement waits behind it.
    static var optionalMilliseconds: UInt64 { 500 }
    /// After so long without a command an idle controller is asked something.
    static var idleMilliseconds: UInt64 { 10_000 }
    private static var resetTries: Int { 3 }
    /// Probes in a row without an answer, until a controller is asked no more.
    private static var probeTries: Int { 3 }

    init() {}

    // MARK: the controller comes and goes

    /// The link to a controller is open: nothing is known of it, and it is reset.
    mutating func open() {
        forget()
        mayCommand = true
        resets = 0
        set = .legacy
        append(.bringUp(.reset))
    }

    /// The link to the controller is closed. Another one may be there the next time.
    mutating func close() {
        forget()
        set = .legacy
        isDataLengthBroken = false
        isPHYBroken = false
        isChannelMapBroken = false
        probesUnanswered = 0
    }

    private mutating func forget() {
        queue.removeAll()
        outstanding = nil
        answerDue = nil
        sentAt = nil
        pausedUntil = nil
        isIdleUnanswered = false
    }

    // MARK: what waits

    /// The same command never waits twice.
    mutating func append(_ command: Command) { queue.append(command) }

    /// Drops an advertising sequence that another one replaces.
    mutating func removeAdvertising() { queue.removeAdvertising() }

    /// Drops a scanning sequence that another one replaces.
    mutating func removeScanning() { queue.removeAll { $0.isScanning } }

    /// Drops what asks for a connection, or gives one up.
    mutating func removeInitiating() { queue.removeAll { $0.isInitiating } }

    /// Drops what a link does without.
    mutating func removeOptional(_ handle: UInt16) { queue.removeOptional(handle) }

    /// Drops what waits for a link that is gone: its handle may soon be another link's.
    mutating func removeLink(_ handle: UInt16) { queue.removeLink(handle) }

    /// Ends a link that is not served; however many there are, the queue keeps room for the host's own commands.
    mutating func refuseLink(_ handle: UInt16) {
        if queue.count < 4 { queue.append(.disconnect(handle: handle, reason: .remoteUserTerminated)) }
    }

    /// Nothing waits and nothing is unanswered.
    var isQuiet: Bool { outstanding == nil && queue.count == 0 }

    // MARK: sent and answered

    /// The next command to send, which is outstanding from now on; nil while another one is, or in a pause.
    @inline(__always)
    mutating func next(now: Instant) -> Command? {
        guard queue.count > 0, outstanding == nil, mayCommand, let command = queue.next() else { return nil }
        outstanding = command
        sentAt = now
        answerDue = now.adding(milliseconds: command.isOptional ? Self.optionalMilliseconds : Self.milliseconds)
        return command
    }

    /// The outstanding command, where `opcode` is its.
    func command(_ opcode: UInt16) -> Command? {
        guard let outstanding, outstanding.opcode(in: set).rawValue == opcode else { return nil }
        return outstanding
    }

    /// The outstanding command is answered: the controller is there.
    mutating func settle() {
        isIdleUnanswered = false
        outstanding = nil
        answerDue = nil
    }

    /// Num_HCI_Command_Packets. A pause of 0 that is never lifted ends by itself.
    mutating func allow(_ packets: UInt8, _ now: Instant) {
        mayCommand = packets > 0
        pausedUntil = mayCommand ? nil : now.adding(milliseconds: Self.milliseconds)
    }

    // MARK: time

    var deadline: Instant? { Instant.earliest(answerDue, pausedUntil) }

    func isOverdue(_ now: Instant) -> Bool {
        guard let answerDue else { return false }
        return now >= answerDue
    }

    mutating func endPause(_ now: Instant) {
        guard let until = pausedUntil, now >= until else { return }
        pausedUntil = nil
        mayCommand = true
    }

    /// The command whose answer is overdue; it is waited for no longer.
    mutating func giveUp() -> Command? {
        answerDue = nil
        guard let lost = outstanding else { return nil }
        outstanding = nil
        mayCommand = true
        return lost
    }

    // MARK: a controller nobody has a wish of

    /// When an idle controller is to be asked whether it is still there; nil while something waits or is unanswered.
    var idleDeadline: Instant? { isQuiet ? sentAt?.adding(milliseconds: Self.idleMilliseconds) : nil }

    /// The idle controller did not answer. One answer is lost on the line easily, and asked for again; false when that was lost too.
    mutating func repeatIdleQuestion() -> Bool {
        guard !isIdleUnanswered else { return false }
        isIdleUnanswered = true
        append(.readVersion)
        return true
    }

    mutating func idleQuestionAnswered() { isIdleUnanswered = false }

    // MARK: what the controller never answers

    /// Reset was not answered. False when it has been sent often enough.
    mutating func repeatReset() -> Bool {
        guard resets + 1 < Self.resetTries else { return false }
        resets += 1
        append(.bringUp(.reset))
        return true
    }

    /// Some controllers say they know an optional command and never answer it: not worth the link, nor the wait at the next one. A single
    /// answer to a probe is lost on the line as easily as the event of a link; a controller that never answers is asked no more.
    mutating func noteSilence(of command: Command) {
        switch command {
        case .setDataLength: isDataLengthBroken = true
        case .setPHY: isPHYBroken = true
        // One update of parameters more or less: the link works as it is.
        case .updateConnection: break
        // Nothing else is asked of a controller whose data is replaced all the time: whether it is still there is asked now.
        case .replaceAdvertisingData: append(.readVersion)
        default:
            probesUnanswered += 1
            if probesUnanswered >= Self.probeTries { isChannelMapBroken = true }
        }
    }

    mutating func probeAnswered(_ status: HCIStatus) {
        probesUnanswered = 0
        if status == .unknownCommand { isChannelMapBroken = true }
    }
}

/// Commands in the order they will be sent. One that finds no room is dropped: there is room for all that are ever wanted together.
private struct CommandQueue: ~Copyable {
    private var waiting = Ring<16, Command>()

    var count: Int { waiting.count }

    mutating func append(_ command: Command) {
        if !waiting.contains(where: { $0 == command }) { waiting.append(command) }
    }

    mutating func next() -> Command? { waiting.next() }

    mutating func removeAll() { waiting.removeAll() }

    mutating func removeAll(where isUnwanted: (Command) -> Bool) { waiting.removeAll(where: isUnwanted) }

    /// Drops an advertising sequence that another one replaces.
    mutating func removeAdvertising() { waiting.removeAll { $0.isAdvertising } }

    /// Drops what a link does without.
    mutating func removeOptional(_ handle: UInt16) { waiting.removeAll { $0.isOptional && $0.link == handle } }

    /// Drops what waits for a link that is gone: its handle may soon be another link's.
    mutating func removeLink(_ handle: UInt16) { waiting.removeAll { $0.link == handle } }
}

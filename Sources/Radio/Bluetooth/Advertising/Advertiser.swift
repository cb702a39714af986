/// The role that lets itself be found: connectable, scannable advertising (ADV_IND) of one payload from one random address. The legacy
/// commands are preferred: where a controller has both sets, they are the older and better tried ones.
struct Advertiser: ~Copyable {
    /// Advertising goes on until a link is up or the application ends it.
    var isWanted = false
    /// An enabling command was sent, and nothing since has ended advertising.
    var mayBeOn = false
    /// A link came up while the enabling command was unanswered.
    var hasLinkedMeanwhile = false
    /// The controller has said that it advertises.
    var isOn = false
    private(set) var address = DeviceAddress()
    private(set) var data = OctetBuffer<31>()
    private(set) var scanResponse = OctetBuffer<31>()
    /// A board on a battery: the fast interval is used for a while, the slow one afterwards.
    var savesPower = false
    var fastUntil: Instant?
    var isFast = true
    /// The controller has refused to replace its data while it advertises: it is turned off for that.
    var cannotReplace = false
    /// Refusals in a row, and when to try again.
    var refusals = 0
    var retryAt: Instant?

    init() {}

    /// 20 to 30 ms, in which a phone that scans in the background finds an accessory soon; 152.5 ms where power is saved
    /// (Apple's accessory guidelines). In units of 0.625 ms.
    var interval: (least: UInt16, most: UInt16) { isFast ? (0x0020, 0x0030) : (0x00F4, 0x00F4) }

    static var fastMilliseconds: UInt64 { 30_000 }

    /// When something is to be done while the controller is ready.
    var deadline: Instant? { isOn && isFast ? Instant.earliest(retryAt, fastUntil) : retryAt }

    // MARK: what is wanted

    /// What is advertised from now on; false, and nothing changed, when it does not fit.
    mutating func want(
        from newAddress: DeviceAddress, _ newData: borrowing Span<UInt8>, _ newScanResponse: borrowing Span<UInt8>
    ) -> Bool {
        guard newData.count <= 31, newScanResponse.count <= 31 else { return false }
        address = newAddress
        data.removeAll()
        data.append(newData)
        scanResponse.removeAll()
        scanResponse.append(newScanResponse)
        isWanted = true
        refusals = 0
        return true
    }

    /// The data advertised from now on, in place of the former; false, and nothing changed, when it does not fit.
    mutating func replace(_ newData: borrowing Span<UInt8>) -> Bool {
        guard newData.count <= 31 else { return false }
        data.removeAll()
        data.append(newData)
        return true
    }

    /// Nothing is advertised any more.
    mutating func wantNothing() {
        isWanted = false
        fastUntil = nil
        retryAt = nil
    }

    // MARK: the commands

    /// Queues the whole sequence from the start: payload and address may change only while advertising is off.
    mutating func begin(_ commands: inout CommandChannel, _ now: Instant) {
        isFast = true
        fastUntil = savesPower ? now.adding(milliseconds: Self.fastMilliseconds) : nil
        retryAt = nil
        queue(&commands, isPayloadNew: true)
    }

    /// The fast time is over.
    mutating func slowDown(_ commands: inout CommandChannel) {
        isFast = false
        fastUntil = nil
        queue(&commands, isPayloadNew: false)
    }

    /// Other data; address and scan response stay. A controller takes it while it advertises (Core Vol 4 Part E 7.8.7, 7.8.54).
    func queueReplacement(_ commands: inout CommandChannel) {
        guard cannotReplace else { return commands.append(.replaceAdvertisingData) }
        commands.removeAdvertising()
        commands.append(.setAdvertisingEnable(false))
        commands.append(.setAdvertisingData)
        commands.append(.setAdvertisingEnable(true))
    }

    private mutating func queue(_ commands: inout CommandChannel, isPayloadNew: Bool) {
        commands.removeAdvertising()
        if mayBeOn { commands.append(.setAdvertisingEnable(false)) }
        if isPayloadNew, commands.set == .legacy { commands.append(.setRandomAddress) }
        commands.append(.setAdvertisingParameters)
        // An advertising set is made by its parameters, and can be given an address only then.
        if isPayloadNew, commands.set == .extended { commands.append(.setRandomAddress) }
        if isPayloadNew {
            commands.append(.setAdvertisingData)
            commands.append(.setScanResponse)
        }
        commands.append(.setAdvertisingEnable(true))
    }

    // MARK: what the controller does

    /// The enabling command goes out.
    mutating func enabling() {
        mayBeOn = true
        hasLinkedMeanwhile = false
    }

    /// The controller ended advertising by itself.
    mutating func ended() {
        mayBeOn = false
        isOn = false
    }

    /// A link is up, and with it advertising is over: the application starts the next.
    mutating func linked() {
        ended()
        isWanted = false
        hasLinkedMeanwhile = true
    }

    /// Forgets what the controller does, keeps what is wanted.
    mutating func controllerLost() {
        mayBeOn = false
        isOn = false
        cannotReplace = false
        refusals = 0
        retryAt = nil
    }
}

/// A payload that does not fit a legacy advertisement.
public enum AdvertisingError: Error, Hashable, Sendable {
    /// Data or scan response longer than 31 octets.
    case tooLong
}

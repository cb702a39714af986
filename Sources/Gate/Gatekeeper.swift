import Bluetooth
import Credentials
import Cryptography
import Faces
import Tuvali

/// The gate: one visit after the other, from the first advertisement to the light. Owns no device and no clock.
///
/// The shell feeds HCI packets and time, sends what `next` yields, shows `light` and the URI of `advertisement`, stores
/// what `takeRecord` returns and says so with `recordStored`, answers `takeFaceRequest`, and acts on `takeFault`. From the first advertising report
/// to the opened credential nothing here allocates.
public struct Gatekeeper: ~Copyable {
    var host: PeripheralHost
    var session: Session
    let name: VerifierName
    let version: WireVersion
    let policy: Policy
    var verifier: CredentialVerifier

    var agreement: KeyAgreement
    /// The key of the next visit, where its code is shown already, and when that is to be.
    var upcoming: KeyAgreement
    var isUpcomingShown = false
    var handoverAt: Instant?
    var addresses: PrivateAddresses
    var derivation: KeyDerivation
    var opener: MessageOpener
    /// The key of the one message, from Identify to its opening.
    var channelKey: Secret?
    let message: UnsafeMutableRawBufferPointer
    var pushed = AttributeValue()

    var uri: ConnectionURI?
    /// The radio address of the visit: fresh with its key, and kept as long.
    var address = DeviceAddress()
    /// The visit has been advertised: it can be found. A change of the interval, which turns advertising off for an
    /// instant, does not count.
    var isOnAir = false
    /// Counts the codes shown; a new one means a new key.
    public internal(set) var advertisement: UInt64 = 0
    var visits: UInt64 = 0
    var record: VisitRecord?
    var isRecordTaken = false
    var progress = Progress.none
    var connectedAt: Instant?
    /// Who is connected, while it is served.
    var visitor = DeviceAddress()
    var visitors = Visitors()
    /// By how many steps the deadlines of the link are shortened.
    var step: UInt8 = 0
    var fruit = Fruit.none
    /// The link that is up is not served and about to end.
    var isRefusing = false
    /// Nothing was heard on the link that has just ended: anybody can have made it, in another's name.
    var isUnheard = false
    var tally = FruitlessTally()
    var budget = RecordBudget.strangers
    var genuineBudget = RecordBudget.genuine
    var times = VisitTimes()
    /// Between the credential and the verdict: the request that stands, how many there were, and how long the last one took.
    var facing: Facing?
    var faceRequests: UInt64 = 0
    var faceMilliseconds: UInt64 = 0
    /// How long the visit's message waited, opened, because the verdict on another visit stood.
    var waitedMilliseconds: UInt64 = 0
    /// That verdict was the red light for a message without a credential that an issuer had signed.
    var hasWaitedBehindNonsense = false
    /// The credential of the visit has proven genuine: its issuer's signature held, whatever else is said against it.
    var isGenuine = false
    /// The last verdict was red, for nonsense. Not whose it was: an address is as cheap as nonsense.
    var isLightForNonsense = false
    var verdictLight = VerdictLight()
    var fault: (ControllerFault, RecoveryStep)?
    /// The controller, or the link to it, does not work. The lights say so once no verdict stands any more.
    public internal(set) var isFaulty = false
    var isStopping = false
    var stopBy: Instant?
    var dropsBefore: UInt64 = 0

    /// How far the message of the visit has come.
    enum Progress: Equatable {
        case none
        /// Opened; verification is the next piece of work, once the verdict on the visit before stands no longer.
        case opened
        /// The credential is believed; whether the visitor is the person in it is found out by the shell.
        case facing
        /// A verdict waits for its record to be stored.
        case recording(accepted: Bool)
        case decided
    }

    /// What a link has come to.
    enum Fruit {
        case none
        /// A message opened, whatever the verdict on it.
        case opened
        /// Somebody was let in.
        case accepted
    }

    /// Throws what libcrypto or the tables refuse; nothing of it depends on a wallet.
    public init(
        name: VerifierName, version: WireVersion, trust: TrustStore, policy: Policy, timing: SessionTiming = SessionTiming()
    ) throws(GateError) {
        var service = Service()
        let table = try Self.attributes(version, &service)
        // All that can be refused comes first: a value that owns memory is made whole or not at all.
        let agreement = try Self.made(GateError.cryptography) { () throws(CryptographyError) in try KeyAgreement() }
        let derivation = try Self.made(GateError.cryptography) { () throws(CryptographyError) in try KeyDerivation() }
        let upcoming = try Self.made(GateError.cryptography) { () throws(CryptographyError) in try KeyAgreement() }
        let addresses = try Self.made(GateError.cryptography) { () throws(CryptographyError) in try PrivateAddresses() }
        let opener = try Self.made(GateError.opening) { () throws(OpeningError) in try MessageOpener() }
        self.init(
            parts: agreement, upcoming, addresses, derivation, opener, table, service, name: name, version: version, trust: trust, policy: policy,
            timing: timing)
    }

    private init(
        parts agreement: consuming KeyAgreement, _ upcoming: consuming KeyAgreement, _ addresses: consuming PrivateAddresses,
        _ derivation: consuming KeyDerivation, _ opener: consuming MessageOpener,
        _ table: consuming AttributeTable, _ service: Service, name: VerifierName, version: WireVersion, trust: TrustStore,
        policy: Policy, timing: SessionTiming
    ) {
        self.agreement = agreement
        self.upcoming = upcoming
        self.addresses = addresses
        self.derivation = derivation
        self.opener = opener
        message = .allocate(byteCount: TransferSize.maximumCiphertext, alignment: 64)
        host = PeripheralHost(table: table)
        host.savesPower = policy.savesPower
        session = Session(service: service, buffer: message, timing: timing)
        self.name = name
        self.version = version
        self.policy = policy
        verifier = CredentialVerifier(trust: trust)
    }

    private static func made<Value: ~Copyable, Failure: Error>(
        _ wrap: (Failure) -> GateError, _ make: () throws(Failure) -> Value
    ) throws(GateError) -> Value {
        do throws(Failure) { return try make() } catch { throw wrap(error) }
    }

    private static func attributes(_ version: WireVersion, _ service: inout Service) throws(GateError) -> AttributeTable {
        var table = AttributeTable()
        do throws(AttributeTableError) {
            let label: InlineArray<9, UInt8> = [0x47, 0x61, 0x74, 0x65, 0x68, 0x6F, 0x75, 0x73, 0x65]
            try table.addGenericAccess(name: label.span, appearance: 0)
            try table.addGenericAttribute()
            try service.add(to: &table, version: version)
        } catch {
            throw .attributes(error)
        }
        return table
    }

    deinit {
        Cryptography.wipe(message)
        message.deallocate()
    }

    // MARK: the shell's side
    // What looks at the gate is mutating in name only: a borrowed gate is copied, 24 kB for each look, several of them for each packet.

    /// The link to the controller is open.
    public mutating func linkOpened(at moment: Moment) { host.open(now: moment.instant) }

    /// The link to the controller is lost.
    public mutating func linkLost(at moment: Moment) {
        host.close()
        isFaulty = true
        abandon(.controllerFault, moment)
    }

    /// Takes one packet from the controller, its H4 packet indicator first.
    public mutating func receive(_ packet: borrowing Span<UInt8>, at moment: Moment) {
        session.advance(to: moment.instant)
        let event = host.receive(packet, now: moment.instant, to: &session)
        // What the packet said of the link counts for what follows from it.
        session.advance(to: moment.instant, intervalMicroseconds: host.connectionIntervalMicroseconds)
        if let event {
            take(event, moment)
            if event == .connected { receiveEarlyData(moment) }
        }
        follow(moment)
    }

    /// Writes the next packet for the controller into `frame`; false when there is none.
    public mutating func next(into frame: inout PacketFrame, at moment: Moment) -> Bool {
        if host.next(into: &frame, now: moment.instant) { return true }
        push(moment)
        return host.next(into: &frame, now: moment.instant)
    }

    /// When `expire` wants to be called; in the past when there is work to do at once.
    public var deadline: Instant? {
        mutating get {
            if isVerdictDue { return Instant(nanoseconds: 0) }
            var earliest = Instant.earliest(host.deadline, session.deadline)
            earliest = Instant.earliest(earliest, verdictLight.deadline)
            earliest = Instant.earliest(earliest, tally.deadline)
            earliest = Instant.earliest(earliest, faceDeadline)
            if !host.isConnected { earliest = Instant.earliest(earliest, handoverAt) }
            return Instant.earliest(earliest, stopBy)
        }
    }

    /// Acts on deadlines that have passed, and does the work that waits.
    public mutating func expire(at moment: Moment) {
        verdictLight.expire(at: moment.instant)
        if isVerdictDue { verify(moment) }
        if let event = host.expire(now: moment.instant) { take(event, moment) }
        session.expire(now: moment.instant)
        tally.expire(at: moment.instant)
        if let due = handoverAt, !host.isConnected, moment.instant >= due { showUpcoming(moment) }
        if let until = faceDeadline, moment.instant >= until { settleFace(FaceOutcome(refused: .timedOut), moment) }
        if let stopBy, moment.instant >= stopBy {
            self.stopBy = nil
            host.close()
        }
        follow(moment)
    }

    /// What the lights say now.
    public var light: LightState {
        mutating get {
            if verdictLight.isVerdictShown, let state = verdictLight.state { return state }
            if isFaulty { return .fault }
            if let state = verdictLight.state { return state }
            // Strangers who are sent away make no lamp flicker.
            if host.isConnected, !isRefusing { return progress == .facing ? .look : .busy }
            return isOnAir && !isStopping ? .ready : .off
        }
    }

    /// Lends the URI that belongs on the screen; nothing while the gate is not to be found.
    public mutating func withURI<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        uri?.withOctets(body)
    }

    /// The record of a visit that has a verdict, or has ended without one; once each. Store it, then call `recordStored`.
    public mutating func takeRecord() -> VisitRecord? {
        guard !isRecordTaken, let record else { return nil }
        isRecordTaken = true
        return record
    }

    /// What came to nothing since the last of these, at most one a minute. No verdict waits for it.
    public mutating func takeFruitless() -> FruitlessRecord? { tally.take() }

    /// The record last taken is on the disk, or could not be put there. A verdict is told only afterwards: without a
    /// record nobody enters.
    public mutating func recordStored(_ isStored: Bool, at moment: Moment) {
        guard isRecordTaken, record != nil else { return }
        record = nil
        isRecordTaken = false
        guard case .recording(let accepted) = progress else { return }
        decide(accepted && isStored, moment)
        follow(moment)
    }

    /// A fault of the controller and the step the shell has to take, once each.
    public mutating func takeFault() -> (ControllerFault, RecoveryStep)? {
        defer { fault = nil }
        return fault
    }

    /// Ends cleanly: the wallet is asked to disconnect, advertising ends. `isStopped` tells when that is done.
    public mutating func stop(at moment: Moment) {
        guard !isStopping else { return }
        isStopping = true
        stopBy = moment.instant.adding(milliseconds: 1500)
        forgetUpcoming()
        uri = nil
        advertisement += 1
        host.stopAdvertising()
        // What is under way ends here, whatever the wallet and the controller still do.
        if session.stop(now: moment.instant) != nil { conclude(.stopped, moment) }
        tally.end()
        follow(moment)
    }

    /// Believes these from the next verdict on. A visit under way is not disturbed, but a credential that was verified by others and waits for its face
    /// is rejected, unless these are the same bundle.
    public mutating func believe(_ trust: TrustStore) {
        if trust.terms == nil || trust.terms?.sequence != verifier.trust.terms?.sequence { facing?.isOutdated = true }
        verifier = CredentialVerifier(trust: trust)
    }

    /// Nothing is left to be sent, and no link is up.
    public var isStopped: Bool { mutating get { isStopping && (!host.isReady || (!host.isConnected && host.isQuiet)) } }

    /// Wipes every key, every octet of a wallet's and every address.
    public mutating func wipe() {
        channelKey = nil
        facing = nil
        agreement.forget()
        forgetUpcoming()
        session.reset()
        opener.wipe()
        Cryptography.wipe(message)
        visitors.forget()
    }

    // MARK: for `doctor`

    public var controller: Controller { host.controller }
    public var bringUp: BringUp { host.bringUp }
    public var counters: DropCounters { host.counters }
    public var isReady: Bool { mutating get { host.isReady } }
    public var isConnected: Bool { mutating get { host.isConnected } }
}

/// Why a gate cannot be made.
public enum GateError: Error, Hashable, Sendable {
    case attributes(AttributeTableError)
    case cryptography(CryptographyError)
    case opening(OpeningError)
}

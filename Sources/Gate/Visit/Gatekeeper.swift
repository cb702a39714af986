import AriesTransport
import Bluetooth
import Credentials
import Cryptography
import Faces
import Mdoc
import Presentation
import Trust
import Tuvali

/// The gate: one visit after the other, from the first advertisement to the light. Owns no device and no clock.
///
/// The shell feeds HCI packets and time, and after each of them asks `nextAction` what there is to do, until there is nothing. From the
/// first advertising report to the opened credential nothing here allocates.
public struct Gatekeeper: ~Copyable {
    let storage: GateStorage
    var host: Host
    var offer: Offer
    var presentations: Presentations
    var admission: Admission
    var visit: CurrentVisit {
        _read { yield storage.visit }
        _modify { yield &storage.visit }
    }
    var light = VerdictLight()
    var supervised = SupervisedVisit()
    var actions = Actions()
    var policy: Policy { storage.policy }
    var verifier: CredentialVerifier
    /// Whom to believe about documents in phones; nil where no engagement is answered.
    var mdocTrust: MdocTrust?
    /// As the gate speaks Tuvali, for its table.
    let version: WireVersion
    /// The service of DIDComm that is in the table that is served.
    var servedService: UUID?
    /// Others are believed than when the question of the offer was made.
    var isQuestionOutdated = false
    /// The controller, or the link to it, does not work. The lights say so once no verdict stands any more.
    public internal(set) var isFaulty = false
    private var course = Course.open

    /// Whether the gate goes on.
    private enum Course {
        case open
        /// It ends; nil once the time for that is over.
        case stopping(until: Instant?)
    }

    /// Throws what libcrypto or the tables refuse; nothing of it depends on a wallet.
    public init(
        name: VerifierName, version: WireVersion, trust: TrustStore, policy: Policy, timing: SessionTiming = SessionTiming(),
        ariesTiming: AriesTiming = AriesTiming()
    ) throws(GateError) {
        var service = Service()
        let table = try Self.attributes(version, &service, policy.offer, aries: nil)
        let storage = GateStorage(policy)
        // All that can be refused comes first: a value that owns memory is made whole or not at all.
        let offer = try Self.made(GateError.cryptography) { () throws(CryptographyError) in
            try Offer(
                name: name, version: version, lifetime: timing.advertisement, settings: policy.offer, texts: storage.codeTexts)
        }
        let tuvali = try Self.made(GateError.init) { () throws(PresentationError) in
            try TuvaliPresentation(storage: storage.session, service: service, message: storage.message, timing: timing)
        }
        let code = try Self.made(GateError.init) { () throws(PresentationError) in try CodePresentation(places: storage.codes) }
        let mdoc = try Self.made(GateError.init) { () throws(PresentationError) in
            try MdocPresentation(
                storage: storage.mdoc, incoming: storage.answer, outgoing: storage.question, settings: policy.mdoc,
                needsPortrait: policy.face != .off)
        }
        let aries = AriesPresentation(
            storage: storage.aries, incoming: storage.proof, outgoing: storage.invitation, wishes: policy.proofs ?? ProofWishes(),
            needsPortrait: policy.face != .off, timing: ariesTiming)
        let trustedKey = TrustedKeyPresentation(policy.offer.kinds.contains(.trustedKey) ? policy.trustedKey : nil)
        self.init(
            storage, offer, Presentations(tuvali, code, mdoc, aries, trustedKey), table, trust: trust, policy: policy, version: version)
    }

    private init(
        _ storage: GateStorage, _ offer: consuming Offer, _ presentations: consuming Presentations, _ table: consuming AttributeTable,
        trust: TrustStore, policy: Policy, version: WireVersion
    ) {
        self.version = version
        self.offer = offer
        self.presentations = presentations
        self.storage = storage
        admission = Admission(penalties: storage.penalties)
        host = Host(storage: storage.host, table: table)
        host.savesPower = policy.savesPower
        verifier = CredentialVerifier(trust: trust)
    }

    private static func made<Value: ~Copyable, Failure: Error>(
        _ wrap: (Failure) -> GateError, _ make: () throws(Failure) -> Value
    ) throws(GateError) -> Value {
        do throws(Failure) { return try make() } catch { throw wrap(error) }
    }

    /// What the gate's own offer serves.
    ///
    /// - Parameters:
    ///   - service: gets Tuvali's handles, where that is offered, or nothing is and its session tells the time.
    ///   - aries: by which a wallet of DIDComm has found the gate; nil where none is to.
    static func attributes(
        _ version: WireVersion, _ service: inout Service, _ settings: OfferSettings, aries: UUID?
    ) throws(GateError) -> AttributeTable {
        var table = AttributeTable()
        do throws(AttributeTableError) {
            try table.addGateServices()
            if settings.kinds.contains(.tuvali) { try service.add(to: &table, version: version) }
            if let aries { try AriesService.add(to: &table, service: aries) }
        } catch {
            throw .attributes(error)
        }
        return table
    }

    // MARK: the controller

    /// The link to the controller is open.
    public mutating func linkOpened(at now: Now) {
        // A phone's link that nobody has told the end of would be waited for, without end.
        if host.isConnected { linkLost(at: now) }
        host.open(now: now.monotonic)
    }

    /// The link to the controller is lost.
    public mutating func linkLost(at now: Now) {
        host.close()
        isFaulty = true
        abandon(.controllerFault, now)
    }

    /// Takes one packet from the controller, its H4 packet indicator first.
    public mutating func receive(_ packet: borrowing Span<UInt8>, at now: Now) {
        if let event = presentations.receive(packet, through: &host, at: now.monotonic) {
            handle(event, now)
            if event == .connected {
                while let early = presentations.receiveEarlyData(through: &host, at: now.monotonic) { handle(early, now) }
            }
        }
        drain(now)
    }

    // MARK: time

    /// When `expire` wants to be called.
    public var deadline: Instant? {
        // Mutating in name only: whoever looks at a borrowed gate from another module copies all 3.7 kB of it.
        mutating get {
            var earliest = Instant.earliest(host.deadline, presentations.deadline)
            earliest = Instant.earliest(earliest, light.deadline)
            earliest = Instant.earliest(earliest, admission.deadline)
            earliest = Instant.earliest(earliest, faceDeadline)
            earliest = Instant.earliest(earliest, supervised.deadline)
            earliest = Instant.earliest(earliest, presentations.code.strangerUntil)
            if !host.isConnected { earliest = Instant.earliest(earliest, offer.deadline) }
            if isOfferAdvertised { earliest = Instant.earliest(earliest, offer.turnDeadline) }
            // What is answered just now stands until its verdict.
            if !presentations.isCommitted { earliest = Instant.earliest(earliest, presentations.trustedKey.deadline) }
            if case .stopping(let until) = course { earliest = Instant.earliest(earliest, until) }
            return earliest
        }
    }

    /// Acts on deadlines that have passed.
    ///
    /// - Parameter hasEnded: as of `verify`.
    public mutating func expire(at now: Now, hasEnded: @escaping () -> Bool = { false }) {
        light.expire(at: now.monotonic)
        if isVerdictDue { verifyMessage(now, hasEnded) }
        if let event = host.expire(now: now.monotonic) { handle(event, now) }
        presentations.expire(at: now.monotonic)
        admission.expire(at: now.monotonic)
        supervised.expire(at: now.monotonic)
        if !host.isConnected { offer.expire(at: now.monotonic) }
        if isOfferAdvertised { offer.turn(on: &host, at: now.monotonic) }
        if let until = faceDeadline, now.monotonic >= until { closeFaceCheck(FaceOutcome(refused: .timedOut), now) }
        if case .stopping(let until?) = course, now.monotonic >= until {
            course = .stopping(until: nil)
            host.close()
        }
        drain(now)
    }

    /// What is on the air is the gate's own offer.
    private var isOfferAdvertised: Bool { host.isAdvertising && !presentations.isFromCamera }

    // MARK: the shell's answers

    /// Verifies the message that waits for its verdict.
    ///
    /// - Parameter hasEnded: whether there is no more time for it. Asked often where that takes long, which is the shell's chance to do
    ///   what cannot wait.
    public mutating func verify(at now: Now, hasEnded: @escaping () -> Bool = { false }) {
        guard isVerdictDue else { return }
        verifyMessage(now, hasEnded)
        drain(now)
    }

    /// The record of visit `number` is on the disk, or could not be put there. A verdict is told only afterwards: without a record nobody
    /// enters.
    public mutating func recordStored(_ isStored: Bool, of number: UInt64, at now: Now) {
        guard case .storing(number, let isAccepted) = visit.state else { return }
        tell(isAccepted && isStored, now)
        drain(now)
    }

    /// What came of comparing faces. An answer that nobody waits for any more is nothing.
    public mutating func faceDecided(_ outcome: FaceOutcome, of number: UInt64, at now: Now) {
        guard case .comparing(let pending) = visit.state, pending.number == number else { return }
        closeFaceCheck(outcome, now)
        drain(now)
    }

    /// A supervisor's key was turned: the next visit that comes as far as its face needs none, within a minute. A visit whose face is being
    /// compared already is not that one.
    ///
    /// - Returns: false where the site does not allow it, or no face is asked for anyway.
    public mutating func supervise(at now: Now) -> Bool {
        guard policy.allowsSupervisor, policy.mayNeedFace, !isStopping else { return false }
        supervised.arm(at: now.monotonic)
        // Without a face what was rejected for one may be accepted.
        presentations.code.pardon()
        return true
    }

    // MARK: whom to believe, and the end

    /// Believes these from the next verdict on. A visit under way is not disturbed, but a credential that was verified by others and waits
    /// for its face, or for its verdict, is rejected, unless these are the same bundle.
    public mutating func believe(_ trust: TrustStore) {
        if trust.terms == nil || trust.terms?.sequence != verifier.trust.terms?.sequence {
            if case .comparing(var pending) = visit.state {
                pending.isOutdated = true
                visit.state = .comparing(pending)
            }
            presentations.trustedKey.outdate()
        }
        verifier = CredentialVerifier(trust: trust)
        presentations.code.pardon()
        isQuestionOutdated = asksForProofs
    }

    /// Believes these about documents in phones, from the next answer on; nil answers no engagement.
    ///
    /// - Parameter key: says who asks; nil asks without a name.
    public mutating func believe(mdoc trust: MdocTrust?, askingAs key: ReaderKey? = nil) {
        mdocTrust = trust
        presentations.mdoc.identify(as: key)
    }

    var isStopping: Bool {
        if case .stopping = course { true } else { false }
    }

    /// Ends cleanly: the wallet is asked to disconnect, advertising ends. `Action.stopped` tells when that is done.
    public mutating func stop(at now: Now) {
        guard !isStopping else { return }
        course = .stopping(until: now.monotonic.adding(milliseconds: 1500))
        offer.withdraw()
        host.stopAdvertising()
        // What is under way ends here, whatever the wallet and the controller still do.
        if presentations.stop(at: now.monotonic) { close(.stopped, now) }
        if presentations.isWhole { endCode(now) }
        finishMdoc(now)
        admission.stop()
        supervised.end()
        drain(now)
    }

    /// Wipes every key, every octet of a wallet's and every address.
    public mutating func wipe() {
        presentations.wipe()
        if visit.isWaitingForFace { visit.state = .closed }
        offer.forgetKey()
        offer.withdraw()
        admission.forget()
    }

    /// Lends the URI that belongs on the screen; nothing while the gate is not to be found.
    public mutating func withURI<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? { offer.withURI(body) }

    /// The number of what the screen has to show.
    public var code: UInt64 { offer.number }

    /// Codes that take turns on the screen.
    public var codesInTurn: Int { offer.codesInTurn }

    /// The screen has no room for the code that it has to show. Where the site offers others, they take turns without it.
    ///
    /// - Returns: false where there is no other.
    public mutating func passOverCode(at now: Instant) -> Bool { offer.passOver(at: now) }

    /// The screen is another one, or of another size: every code may have room on it.
    public mutating func screenChanged() { offer.passOverNone() }

    // MARK: for `doctor`

    public var controller: Controller { host.controller }
    public var bringUp: BringUp { host.bringUp }
    public var counters: DropCounters { host.counters }
    public var codes: CodeCounters { presentations.code.counters }
    public var posts: PostCounters { presentations.aries.counters }
}

/// Why a gate cannot be made.
public enum GateError: Error, Hashable, Sendable {
    case attributes(AttributeTableError)
    case cryptography(CryptographyError)
    case opening(OpeningError)
    /// What the site asks of documents cannot be asked.
    case request(RequestError)

    init(_ error: PresentationError) {
        self =
            switch error {
            case .cryptography(let error): .cryptography(error)
            case .opening(let error): .opening(error)
            case .attributes(let error): .attributes(error)
            case .request(let error): .request(error)
            }
    }
}

import Bluetooth
import Cryptography
import Mdoc
import MdocTransport

/// A document in a phone, by ISO/IEC 18013-5 (mdoc.md section 1): from the code on the phone's screen to the answer that lies open.
///
/// The code is the commitment: nothing else begins until the visit is over. The link is `MdocLink`'s, over whichever bearer; what it wants
/// of the radio is in `MdocPresentation+Radio`, what is said over it in `MdocPresentation+Session`.
public struct MdocPresentation: ~Copyable {
    enum Stage: UInt8 {
        /// No engagement was read.
        case none
        /// Until nothing of another offer is on the air.
        case waiting
        /// The phone is looked for, spoken with, or given its time to leave.
        case linked
        /// Nothing is on the air for it any more.
        case quiet
    }

    /// A controller that is not ready by then is none, and a link of somebody else has ended.
    static var waitMilliseconds: UInt64 { 15_000 }
    /// Octets of the longest request: around it come the gate's key, of up to 170 octets, the cipher's tag and a few heads.
    static var mostOctets: Int { MessageSize.longestRequest - 512 }

    /// The application behind the table that is served while a phone is looked for.
    public var link: MdocLink
    var stage = Stage.none
    var settings: MdocSettings
    /// What is asked, in the site's order; empty where the site asks for nothing.
    var questions: [MdocQuestion] = []
    private(set) var readerKey: ReaderKey?

    // The visit.
    var session: ReaderSession?
    private var engagement: MdocOffer?
    private var preference = MdocPreference()
    private var ident: MdocIdent?
    private(set) var refusal: MdocReason?
    /// What the phone answered, decrypted; nothing of it is believed.
    var answer: SessionMessage?
    var waitDeadline: Instant?
    var steps = Ring<8, MdocProgress>()
    var value = AttributeValue()
    public internal(set) var report = MdocReport()

    // The radio.
    private var addresses: PrivateAddresses
    /// Fresh with each engagement, because a phone keeps the handles of an address.
    var address: DeviceAddress?
    /// What is to be advertised while no link is up.
    var advertised: UUID?
    /// The phone's link is up.
    var isLinkUp = false
    /// It is advertised, as far as the host was told.
    var isAired = false
    /// The table of an engagement is served, of this one or of one before it, not that of the gate's own offer.
    public internal(set) var hasTable = false
    /// It is this engagement's.
    var isTableCurrent = false
    /// By so many steps the deadlines of the phone's link are shortened.
    var shortening: UInt8 = 0
    var consent = ConsentBar()

    /// How much of the time for a person's consent is over, in per cent; nil while nobody is asked, and once the answer has begun to come.
    public var consentPercent: UInt8? { link.isAnswering ? nil : consent.percent }

    /// - Parameters:
    ///   - storage: initialized; the link's for as long as this lives.
    ///   - incoming: `MessageSize.buffer` octets for what phones say.
    ///   - outgoing: `MessageSize.longestRequest` octets for what they are asked.
    ///   - needsPortrait: faces are compared with portraits.
    public init(
        storage: UnsafeMutablePointer<MdocLinkStorage>, incoming: UnsafeMutableRawBufferPointer, outgoing: UnsafeMutableRawBufferPointer,
        settings: MdocSettings, needsPortrait: Bool
    ) throws(PresentationError) {
        let questions = try Self.questions(settings, needsPortrait: needsPortrait)
        let service = try Self.service()
        let addresses: PrivateAddresses
        do throws(CryptographyError) { addresses = try PrivateAddresses() } catch { throw .cryptography(error) }
        let link = MdocLink(storage: storage, service: service, incoming: incoming, outgoing: outgoing, timing: settings.timing)
        self.init(link, settings, questions, addresses)
    }

    /// Apart from what may throw, as in `TuvaliPresentation`.
    private init(
        _ link: consuming MdocLink, _ settings: MdocSettings, _ questions: [MdocQuestion], _ addresses: consuming PrivateAddresses
    ) {
        self.link = link
        self.settings = settings
        self.questions = questions
        self.addresses = addresses
    }

    private static func questions(_ settings: MdocSettings, needsPortrait: Bool) throws(PresentationError) -> [MdocQuestion] {
        var questions: [MdocQuestion] = []
        do throws(RequestError) {
            for alternative in settings.alternatives { questions.append(try MdocQuestion(alternative, needsPortrait: needsPortrait)) }
            // What no phone could be sent is found out before the first one comes.
            if !questions.isEmpty {
                let request = try DeviceRequest(questions.map(\.request))
                guard request.octets.count <= Self.mostOctets else { throw RequestError.tooMuch }
            }
        } catch {
            throw .request(error)
        }
        return questions
    }

    /// The handles of every engagement's table: it is built in one order.
    private static func service() throws(PresentationError) -> MdocService {
        let nothing = InlineArray<16, UInt8>(repeating: 0)
        guard let ident = MdocIdent(nothing.span) else { throw .cryptography(.unavailable) }
        var service = MdocService()
        do throws(AttributeTableError) {
            _ = try table(UUID(high: 0, low: 0), ident, &service)
        } catch {
            throw .attributes(error)
        }
        return service
    }

    static func table(_ uuid: UUID, _ ident: MdocIdent, _ service: inout MdocService) throws(AttributeTableError) -> AttributeTable {
        var table = AttributeTable()
        try table.addGateServices()
        try service.add(to: &table, service: uuid, ident: ident)
        return table
    }

    /// Says from the next engagement on who asks; nil asks without a name.
    public mutating func identify(as key: ReaderKey?) { readerKey = key }

    // MARK: the engagement

    /// Takes up the engagement of a code. One that cannot be answered is kept as what refuses it: `finding` says so.
    ///
    /// - Parameters:
    ///   - text: as it stands in the code.
    ///   - canAdvertise, canConnect: what the controller is able to do, or may be where that is not known yet.
    mutating func commit(_ text: Span<UInt8>, canAdvertise: Bool, canConnect: Bool, at now: Instant) {
        end()
        var octets = text.withUnsafeBufferPointer { Array($0) }
        defer { Cryptography.wipe(&octets) }
        do throws(MdocRefusal) {
            try begin(try Self.read(octets), MdocPreference(first: settings.bearer, canConnect: canConnect, canAdvertise: canAdvertise))
            stage = .waiting
            waitDeadline = now.adding(milliseconds: Self.waitMilliseconds)
        } catch {
            end()
            stage = .quiet
            switch error {
            case .reason(let reason): refusal = reason
            case .failure(let failure): steps.append(.failed(failure))
            }
        }
    }

    private static func read(_ text: [UInt8]) throws(MdocRefusal) -> DeviceEngagement {
        do throws(EngagementError) { return try DeviceEngagement(qr: text) } catch { throw .reason(.engagement(error)) }
    }

    private mutating func begin(_ read: DeviceEngagement, _ preference: MdocPreference) throws(MdocRefusal) {
        let offer = MdocOffer(peripheral: Self.uuid(read.peripheral), central: Self.uuid(read.central), spsm: read.psm)
        guard MdocPlan(offer, preference) != nil else { throw .reason(.bearerUnsupported) }
        do throws(CryptographyError) {
            let ident = try read.ident()
            self.ident = MdocIdent(ident.span)
            address = try addresses.next()
        } catch {
            throw .failure(.unavailable)
        }
        do throws(SessionError) { session = try ReaderSession(read) } catch { throw .failure(.unavailable) }
        guard ident != nil, address != nil else { throw .failure(.unavailable) }
        engagement = offer
        self.preference = preference
    }

    private static func uuid(_ octets: [UInt8]?) -> UUID? { octets.flatMap { UUID(bigEndian: $0.span) } }

    /// Nothing of another offer is on the air any more: the phone is looked for.
    mutating func seek(canAdvertise: Bool, canConnect: Bool, at now: Instant) {
        guard stage == .waiting, let engagement else { return }
        preference = MdocPreference(first: settings.bearer, canConnect: canConnect, canAdvertise: canAdvertise)
        waitDeadline = nil
        stage = .linked
        do throws(MdocLinkRefusal) {
            try link.begin(engagement, preference, now: now)
        } catch {
            fail(.unavailable)
        }
    }

    /// The table that this engagement's phone is served; nil where it cannot be built.
    func makeTable() -> AttributeTable? {
        guard let uuid = engagement?.central, let ident else { return nil }
        var service = MdocService()
        do throws(AttributeTableError) { return try Self.table(uuid, ident, &service) } catch { return nil }
    }

    // MARK: what is so

    /// No link is up or looked for, and none is about to be.
    public var isQuiet: Bool { (stage == .none || stage == .quiet) && !isLinkUp }
    /// A link that comes now is the phone's.
    public var awaitsLink: Bool { stage == .linked && !isLinkUp && !link.isIdle }
    /// What a phone sends goes to this link.
    var takesPackets: Bool { hasTable || stage == .linked || isLinkUp }
    /// The engagement was refused: there will be no answer.
    public var isRefused: Bool { refusal != nil }

    /// When `expire` wants to be called.
    public var deadline: Instant? {
        guard stage != .none else { return nil }
        return Instant.earliest(Instant.earliest(waitDeadline, link.deadline), consent.deadline)
    }

    public mutating func expire(at now: Instant) {
        guard stage != .none else { return }
        if let due = waitDeadline, now >= due { fail(.noRadio) }
        link.expire(now: now)
        consent.expire(at: now)
    }

    /// The next thing that has come of it; ask until there is none.
    mutating func step() -> MdocProgress? { steps.next() }

    /// It comes to nothing without a word to the phone.
    mutating func fail(_ failure: MdocFailure) {
        waitDeadline = nil
        consent.end()
        link.reset()
        advertised = nil
        stage = .quiet
        steps.append(.failed(failure))
    }

    // MARK: the end

    /// Asks whoever is connected to leave. False where no engagement was read.
    mutating func stop(at now: Instant) -> Bool {
        guard stage != .none else { return false }
        waitDeadline = nil
        consent.end()
        if stage == .waiting { stage = .quiet }
        link.stop(now: now)
        return true
    }

    /// Forgets the visit: its keys, its answer, everything that came from a phone.
    mutating func end() {
        if var session = session.take() { session.forget() }
        answer = nil
        engagement = nil
        ident = nil
        refusal = nil
        address = nil
        advertised = nil
        isTableCurrent = false
        waitDeadline = nil
        consent.end()
        link.reset()
        // What it wanted last nobody has to do any more.
        while link.next(into: &value, maySend: false) != nil {}
        value.wipe()
        steps.removeAll()
        report = MdocReport()
        stage = .none
    }

    /// As `end`; whoever has the radio has lost it, or gives it up.
    mutating func radioLost(at now: Instant) {
        if isLinkUp { link.disconnected(now: now) }
        isLinkUp = false
        if stage == .waiting || stage == .linked { fail(.noRadio) }
    }
}

/// Why an engagement is not answered.
private enum MdocRefusal: Error {
    /// For the visitor to know.
    case reason(MdocReason)
    case failure(MdocFailure)
}

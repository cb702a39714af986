import AnonCreds
import AriesTransport
import Bluetooth
import Cryptography
import DIDComm
import Envelopes
import JSON
import MdocTransport

/// What is asked in one visit, and by what the answer is opened: nonce, envelope key, service and threads, made together and forgotten
/// together (aries.md section 4). No two visits have one of them in common.
struct AriesQuestion: ~Copyable {
    /// What an answer has to have proven, by the names of the request.
    private(set) var demands: [ProofWishes.Predicate]
    /// Opens what is for this visit, and nothing else.
    let key: EnvelopeKey
    let thread: MessageThread
    let version: ProofVersion
    /// By which phones find the gate; nil where the answer is posted.
    let service: UUID?
    /// The request as JSON, with the nonce in it.
    private(set) var content: [UInt8]
    /// The message, as it goes over the air.
    private(set) var invitation: [UInt8]
    /// What the code on the screen says.
    private(set) var code: [UInt8]
    /// The site's day that dates were reckoned by, counted from 1970.
    let dayCount: Seconds

    /// - Parameter now: seconds since 1970, by which an age is reckoned.
    init(_ plan: ProofPlan, _ wishes: ProofWishes, at now: Seconds) throws(ProofObstacle) {
        guard let day = Self.day(now, zone: wishes.zone), let dayCount = Self.dayCount(now, zone: wishes.zone) else {
            throw .unavailable
        }
        let predicates = plan.predicates(wishes, on: day)
        let key = try Self.drawn { () throws(CryptographyError) in try EnvelopeKey() }
        let ids = try Self.drawn { () throws(CryptographyError) in try AriesIdentifiers(isFixed: wishes.service == .fixed) }
        let nonce = try Self.drawn { () throws(CryptographyError) in try Self.nonce() }
        let content = Self.request(plan, predicates, label: wishes.label, nonce: nonce, at: now)
        // What the gate's own verifier does not read is nothing to ask a wallet for.
        do throws(RequestFault) { _ = try AnonCreds.PresentationRequest(parsing: content.span) } catch { throw .unavailable }
        let request = DIDComm.PresentationRequest(
            identifier: ids.request, version: wishes.version, format: wishes.format, content: content)
        let endpoint = wishes.endpoint.map { ServiceEndpoint.http($0) } ?? .bluetooth(service: ids.service)
        let invitation = Invitation(
            identifier: ids.invitation, label: wishes.label, request: request, key: key.recipient, endpoint: endpoint)
        // Whoever looks for the one service that is always the same needs no more than its name.
        let isFound = wishes.service == .fixed && wishes.endpoint == nil
        let address = isFound ? endpoint.text : invitation.address
        guard address.utf8.count <= Invitation.longestAddress else { throw .codeTooLong(address.utf8.count) }
        let text = invitation.text
        guard text.count <= AriesLink.longestOutgoing else { throw .invitationTooLong(text.count) }
        self.init(
            predicates.map(\.predicate), key, invitation.thread, wishes.version, wishes.endpoint == nil ? ids.uuid : nil, content,
            text, Array(address.utf8), dayCount)
    }

    /// Apart from what may throw, as in `TuvaliPresentation`.
    private init(
        _ demands: [ProofWishes.Predicate], _ key: consuming EnvelopeKey, _ thread: MessageThread, _ version: ProofVersion,
        _ service: UUID?, _ content: [UInt8], _ invitation: [UInt8], _ code: [UInt8], _ dayCount: Seconds
    ) {
        self.dayCount = dayCount
        self.demands = demands
        self.key = key
        self.thread = thread
        self.version = version
        self.service = service
        self.content = content
        self.invitation = invitation
        self.code = code
    }

    /// Asks something else, in the same visit: recorded presentations answer recorded requests.
    mutating func substitute(_ content: [UInt8], _ demands: [ProofWishes.Predicate]) {
        self.content = content
        self.demands = demands
    }

    /// Overwrites the nonce wherever it stands; the key is overwritten with the value.
    mutating func forget() {
        wipe(&content)
        wipe(&invitation)
        wipe(&code)
        (content, invitation, code) = ([], [], [])
    }

    // MARK: what is said

    private static func request(
        _ plan: ProofPlan, _ predicates: [(referent: String, predicate: ProofWishes.Predicate)], label: String, nonce: String,
        at now: Seconds
    ) -> [UInt8] {
        var text = JSONWriter(reserving: 1024)
        text.object { text in
            text.member("name", label)
            text.member("version", "1.0")
            text.member("nonce", nonce)
            text.name("requested_attributes")
            text.object { items in
                guard !plan.names.isEmpty else { return }
                items.name("shown")
                items.object { item in
                    item.name("names")
                    item.array { names in for name in plan.names { names.string(name) } }
                    restrict(&item, plan)
                }
            }
            text.name("requested_predicates")
            text.object { items in
                for (referent, predicate) in predicates {
                    items.name(referent)
                    items.object { item in
                        // As the forms of the W3C compare them (anoncreds.md section 7).
                        item.member("name", predicate.attribute.lowercased())
                        item.member("p_type", predicate.relation.rawValue)
                        item.member("p_value", predicate.value)
                        restrict(&item, plan)
                    }
                }
            }
            if let interval = plan.interval(at: now) {
                text.name("non_revoked")
                text.object { span in
                    span.member("from", interval.lowerBound)
                    span.member("to", interval.upperBound)
                }
            }
        }
        return text.bytes
    }

    /// Nobody vouches for what is asked of no definition.
    private static func restrict(_ item: inout JSONWriter, _ plan: ProofPlan) {
        item.name("restrictions")
        item.array { list in
            for definition in plan.definitions { list.object { $0.member("cred_def_id", definition.id) } }
        }
    }

    // MARK: what is drawn

    private static func drawn<Value: ~Copyable>(_ draw: () throws(CryptographyError) -> Value) throws(ProofObstacle) -> Value {
        do throws(CryptographyError) { return try draw() } catch { throw .unavailable }
    }

    /// 80 random bits as a decimal number, which is not 0.
    private static func nonce() throws(CryptographyError) -> String {
        for _ in 0..<4 {
            let octets: InlineArray<10, UInt8> = try Random.array()
            var number: UInt128 = 0
            for index in octets.indices { number = number << 8 | UInt128(octets[index]) }
            if number > 0 { return String(number) }
        }
        throw .noRandomness
    }

    /// The site's day, counted from 1970: asked in every turn of the loop, where a text would be made for nothing.
    static func dayCount(_ now: Seconds, zone: Int64) -> Seconds? {
        let (local, isOver) = now.addingReportingOverflow(zone)
        guard !isOver else { return nil }
        let (days, rest) = local.quotientAndRemainder(dividingBy: 86_400)
        return rest < 0 ? days - 1 : days
    }

    /// YYYYMMDD of the site's day.
    static func day(_ now: Seconds, zone: Int64) -> Int32? {
        let (local, isOver) = now.addingReportingOverflow(zone)
        guard !isOver, let text = Timestamp.text(local) else { return nil }
        return Int32(String(decoding: text.utf8.prefix(10).filter { $0 != UInt8(ascii: "-") }, as: UTF8.self))
    }
}

/// The names that a visit is made of.
private struct AriesIdentifiers {
    let invitation: String
    let request: String
    /// The same, as text and as it is advertised.
    let service: String
    let uuid: UUID

    /// - Parameter isFixed: the service is the one that wallets know without a code.
    init(isFixed: Bool) throws(CryptographyError) {
        invitation = try MessageIdentifier().description
        request = try MessageIdentifier().description
        var octets: InlineArray<16, UInt8> = try Random.array()
        octets[6] = octets[6] & 0x0F | 0x40
        octets[8] = octets[8] & 0x3F | 0x80
        guard !isFixed, let fresh = UUID(bigEndian: octets.span) else {
            service = Self.fixed
            uuid = AriesService.defaultUUID
            return
        }
        service = MessageIdentifier(octets).description
        uuid = fresh
    }

    /// Of the draft of 2021 (aries.md section 1).
    private static let fixed = "d2f195b6-2e80-4ab0-be24-32ebe761352f"
}

/// An ATT client of one server: a request and response octets in, request octets and an outcome out (Core Vol 3 Part F and Part G 4).
///
/// Like the server it owns no link: a pure function of the request and the answers. A server decides how often it is asked, but handles
/// have to ascend, and after `mostRounds` there is no more: it cannot make the client ask for ever.
struct AttributeClient: ~Copyable {
    /// What a response came to.
    enum Step {
        /// Another PDU of the same request was written.
        case asked
        case ended(ClientOutcome)
        case dropped(Drop)
    }

    /// What is under way.
    private(set) var request: ClientRequest?
    /// The opcode of the request that is on its way; 0: none.
    private(set) var awaited: UInt8 = 0
    /// When the answer has to be there.
    private(set) var deadline: Instant?
    /// The server broke the protocol, or left a request unanswered.
    private(set) var isOver = false
    /// PDUs of the request.
    private var rounds = 0
    var service = RemoteService()
    /// The characteristic whose configuration is looked for, and where.
    var configured = 0
    var next: UInt16 = 0

    /// Core Vol 3 Part F 3.3.3.
    static var milliseconds: UInt64 { 30_000 }
    /// One characteristic for each PDU at an MTU of 23: more than any service of ours has, and a few seconds at the most.
    static var mostRounds: Int { 64 }

    init() {}

    mutating func reset() { self = AttributeClient() }

    /// A link ends: nothing is asked or answered any more.
    mutating func close() {
        request = nil
        awaited = 0
        deadline = nil
        isOver = true
    }

    // MARK: requests

    /// Writes the first PDU of `newRequest`.
    mutating func ask(_ newRequest: ClientRequest, _ mtu: UInt16, into pdu: inout RequestPDU, _ now: Instant) -> AskResult {
        guard !isOver else { return .notConnected }
        guard request == nil, pdu.isEmpty else { return .busy }
        rounds = 0
        guard write(newRequest, into: &pdu, now) else { return .unknown }
        request = newRequest
        return .asked
    }

    private mutating func write(_ newRequest: ClientRequest, into pdu: inout RequestPDU, _ now: Instant) -> Bool {
        switch newRequest {
        case .exchangeMTU:
            begin(ATTOpcode.exchangeMTURequest, &pdu, now)
            // The same as our server answers: both ways there is one MTU (Core Vol 3 Part F 3.4.2.2).
            pdu.append(littleEndian: AttributeServer.receiveMTU)
        case .findService(let uuid):
            service = RemoteService()
            begin(ATTOpcode.findByTypeValueRequest, &pdu, now)
            pdu.append(littleEndian: 0x0001)
            pdu.append(littleEndian: 0xFFFF)
            pdu.append(littleEndian: UUID.primaryService.short)
            uuid.write(to: &pdu)
        case .findCharacteristics(let list):
            guard service.isFound else { return false }
            service.want(list)
            listCharacteristics(from: service.start, into: &pdu, now)
        case .findConfigurations:
            configured = -1
            return findNextConfiguration(into: &pdu, now)
        case .subscribe(let index):
            guard let characteristic = service.characteristic(index), characteristic.configuration != 0, characteristic.isPushed else {
                return false
            }
            begin(ATTOpcode.writeRequest, &pdu, now)
            pdu.append(littleEndian: characteristic.configuration)
            pdu.append(littleEndian: characteristic.properties.contains(.notify) ? 0x0001 : 0x0002)
        case .read(let index):
            guard let characteristic = service.characteristic(index) else { return false }
            begin(ATTOpcode.readRequest, &pdu, now)
            pdu.append(littleEndian: characteristic.value)
        }
        return true
    }

    /// Begins a PDU; its answer has the time of a transaction.
    mutating func begin(_ opcode: UInt8, _ pdu: inout RequestPDU, _ now: Instant) {
        rounds += 1
        awaited = opcode
        deadline = now.adding(milliseconds: Self.milliseconds)
        pdu.removeAll()
        pdu.append(opcode)
    }

    /// Whether one PDU more may be sent.
    var mayGoOn: Bool { rounds < Self.mostRounds }

    // MARK: responses

    /// Takes a response; the next PDU, if there is one, goes into `pdu`. A value that was read is in `response` from its second octet on.
    mutating func receive(_ response: borrowing Span<UInt8>, into pdu: inout RequestPDU, _ now: Instant) -> Step {
        // An answer to something that has not even left is none.
        guard let opcode = response.octet(at: 0), let request, awaited != 0, pdu.isEmpty else {
            return .dropped(.attributeUnexpectedResponse)
        }
        if opcode == ATTOpcode.errorResponse { return refused(response, request, into: &pdu, now) }
        guard opcode == awaited + 1 else { return malformed() }
        awaited = 0
        deadline = nil
        switch request {
        case .exchangeMTU:
            guard response.count == 3, let offered = response.littleEndian16(at: 1) else { return malformed() }
            return end(.mtu(max(AttributeServer.defaultMTU, min(offered, AttributeServer.receiveMTU))))
        case .findService: return takeService(response)
        case .findCharacteristics: return takeCharacteristics(response, into: &pdu, now)
        case .findConfigurations: return takeInformation(response, into: &pdu, now)
        case .subscribe: return response.count == 1 ? end(.done) : malformed()
        case .read: return end(.done)
        }
    }

    /// An Error Response: opcode, the request's opcode, handle, code.
    private mutating func refused(
        _ response: borrowing Span<UInt8>, _ request: ClientRequest, into pdu: inout RequestPDU, _ now: Instant
    ) -> Step {
        guard response.count == 5, response.octet(at: 1) == awaited, let code = response.octet(at: 4) else { return malformed() }
        awaited = 0
        deadline = nil
        let error = ATTError(rawValue: code)
        switch request {
        case .findService where error == .attributeNotFound: return end(.notFound)
        case .findCharacteristics where error == .attributeNotFound: return characteristicsListed()
        case .findConfigurations where error == .attributeNotFound: return configurationSought(into: &pdu, now)
        default: return end(.refused(error))
        }
    }

    mutating func end(_ outcome: ClientOutcome) -> Step {
        request = nil
        awaited = 0
        deadline = nil
        return .ended(outcome)
    }

    /// The server is asked nothing more.
    mutating func malformed() -> Step {
        close()
        return .ended(.malformed)
    }

    /// The answer did not come in time.
    mutating func timedOut() -> ClientOutcome {
        close()
        return .timedOut
    }
}

/// The longest request: Find By Type Value with a UUID of 128 bits.
typealias RequestPDU = OctetBuffer<23>

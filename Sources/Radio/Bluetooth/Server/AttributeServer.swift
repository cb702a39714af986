/// An ATT server for one client: request octets in, response octets out (Core Vol 3 Part F).
/// It owns no clock and no link; a pure function of the table, the client's state and the request.
public struct AttributeServer: ~Copyable {
    /// Largest PDU the server takes: what it answers to Exchange MTU.
    public static var receiveMTU: UInt16 { 517 }
    public static var defaultMTU: UInt16 { 23 }

    var table: AttributeTable
    var client = ClientState()
    /// The value being read, before it is cut to its place in a response.
    var value = AttributeValue()

    public init(table: consuming AttributeTable) { self.table = table }

    /// The client's MTU: the smaller of both sides', never below 23.
    public var mtu: UInt16 { client.mtu }

    /// What a PDU asked of the link beyond the response.
    public enum Outcome: Hashable, Sendable {
        case nothing
        case mtuExchanged
        case confirmed
        case dropped(Drop)
    }

    /// Serves `table` from now on; what the last client configured and prepared is gone with its table.
    public mutating func serve(_ table: consuming AttributeTable) {
        self.table = table
        resetClient()
        value.wipe()
    }

    /// Forgets the client: a new link starts with MTU 23, no configuration and an empty prepare queue.
    public mutating func resetClient() { client.reset() }

    /// Answers one PDU into `response`, which is left empty when there is nothing to say.
    @inline(__always)
    mutating func receive<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, into response: inout AttributePDU
    ) -> Outcome {
        guard let opcode = pdu.octet(at: 0) else { return .dropped(.attributeEmpty) }
        // A PDU longer than the MTU breaks the protocol. A request still gets an answer, so that nobody hangs.
        if pdu.count > Int(client.mtu) {
            // An answer on its way is not touched: part of it may have left.
            if opcode & 0x40 == 0, opcode != ATTOpcode.confirmation, opcode % 2 == 0, response.isEmpty {
                Self.fail(opcode, 0, .invalidPDU, &response)
            }
            return .dropped(.attributeTooLong)
        }
        switch opcode {
        case ATTOpcode.writeCommand: return writeCommand(pdu, &application)
        case ATTOpcode.signedWriteCommand: return .dropped(.signedWrite)  // no signing key exists without a bond
        case ATTOpcode.confirmation: return confirm(pdu)
        default: break
        }
        // Responses, notifications and indications are not a client's to send; unknown commands need no answer.
        if Self.isServerPDU(opcode) || opcode & 0x40 != 0 { return .dropped(.attributeIgnored) }
        guard response.isEmpty else { return .dropped(.attributeBusy) }
        response.removeAll(limit: Int(client.mtu))
        return answer(opcode, pdu, &application, &response)
    }

    @inline(__always)
    private mutating func answer<Application: AttributeApplication & ~Copyable>(
        _ opcode: UInt8, _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU
    ) -> Outcome {
        var failure: Failure?
        switch opcode {
        case ATTOpcode.exchangeMTURequest: return exchangeMTU(pdu, &response)
        case ATTOpcode.findInformationRequest: failure = findInformation(pdu, &response)
        case ATTOpcode.findByTypeValueRequest: failure = findByTypeValue(pdu, &application, &response)
        case ATTOpcode.readByTypeRequest: failure = readByType(pdu, &application, &response)
        case ATTOpcode.readByGroupTypeRequest: failure = readByGroupType(pdu, &application, &response)
        case ATTOpcode.readRequest: failure = read(pdu, &application, &response)
        case ATTOpcode.readBlobRequest: failure = readBlob(pdu, &application, &response)
        case ATTOpcode.readMultipleRequest: failure = readMultiple(pdu, &application, &response, isVariable: false)
        case ATTOpcode.readMultipleVariableRequest: failure = readMultiple(pdu, &application, &response, isVariable: true)
        case ATTOpcode.writeRequest: failure = write(pdu, &application, &response)
        case ATTOpcode.prepareWriteRequest: failure = prepareWrite(pdu, &response)
        case ATTOpcode.executeWriteRequest: failure = executeWrite(pdu, &application, &response)
        default: failure = Failure(.requestNotSupported)
        }
        if let failure { Self.fail(opcode, failure.handle, failure.error, &response) }
        return .nothing
    }

    /// An Error Response in the making: the code and the handle it names.
    struct Failure {
        var error: ATTError
        var handle: UInt16

        init(_ error: ATTError, at handle: UInt16 = 0) {
            self.error = error
            self.handle = handle
        }
    }

    /// The one place an Error Response is made. It is shorter than any MTU.
    private static func fail(_ opcode: UInt8, _ handle: UInt16, _ error: ATTError, _ response: inout AttributePDU) {
        response.removeAll()
        response.append(ATTOpcode.errorResponse)
        response.append(opcode)
        response.append(littleEndian: handle)
        response.append(error.rawValue)
    }

    private static func isServerPDU(_ opcode: UInt8) -> Bool {
        switch opcode {
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23: true
        default: false
        }
    }

    // MARK: ATT_EXCHANGE_MTU_REQ

    private mutating func exchangeMTU(_ pdu: borrowing Span<UInt8>, _ response: inout AttributePDU) -> Outcome {
        guard pdu.count == 3, let offered = pdu.littleEndian16(at: 1) else {
            Self.fail(ATTOpcode.exchangeMTURequest, 0, .invalidPDU, &response)
            return .nothing
        }
        response.append(ATTOpcode.exchangeMTUResponse)
        response.append(littleEndian: Self.receiveMTU)
        // The specification allows one exchange a link; older Android phones try 512, 185 and 100 in turn,
        // so the latest request counts.
        client.mtu = max(Self.defaultMTU, min(offered, Self.receiveMTU))
        return .mtuExchanged
    }

    // MARK: ATT_HANDLE_VALUE_CFM

    private mutating func confirm(_ pdu: borrowing Span<UInt8>) -> Outcome {
        guard pdu.count == 1, client.isAwaitingConfirmation else { return .dropped(.attributeUnexpectedConfirmation) }
        client.isAwaitingConfirmation = false
        return .confirmed
    }

    // MARK: values

    /// Where a value that was looked up lies: in the table, where it never changes, or in `value`.
    struct FoundValue {
        var isConstant: Bool
        var start: Int
        var count: Int
    }

    /// Looks up the value of the attribute at `index`, where a client may read it.
    @inline(__always)
    mutating func find<Application: AttributeApplication & ~Copyable>(
        _ index: Int, _ application: inout Application
    ) -> Result<FoundValue, ATTError> {
        if let refusal = table.attributes[index].read.refusal(.readNotPermitted) { return .failure(refusal) }
        switch table.attributes[index].storage {
        case .constant(let offset, let count):
            return .success(FoundValue(isConstant: true, start: Int(offset), count: Int(count)))
        case .clientConfiguration(let slot, _):
            value.removeAll()
            value.append(littleEndian: client.configuration(slot))
        case .application:
            value.removeAll()
            if let refusal = application.read(table.attributes[index].handle, into: &value) { return .failure(refusal) }
        }
        return .success(FoundValue(isConstant: false, start: 0, count: value.count))
    }

    /// Appends a value that was found, from `offset`, as much of it as fits and at most `most` octets.
    @inline(__always)
    mutating func append(_ found: FoundValue, from offset: Int = 0, most: Int = .max, to response: inout AttributePDU) {
        let octets = found.start + offset..<found.start + found.count
        if found.isConstant {
            response.appendPrefix(table.constants.storage.span.extracting(octets), most: most)
        } else {
            response.appendPrefix(value.storage.span.extracting(octets), most: most)
        }
    }

    /// The range of a discovery request, or what is wrong with it.
    @inline(__always)
    static func range(_ pdu: borrowing Span<UInt8>, length: ClosedRange<Int>) -> RangeResult {
        guard length.contains(pdu.count), let start = pdu.littleEndian16(at: 1), let end = pdu.littleEndian16(at: 3) else {
            return .failure(Failure(.invalidPDU))
        }
        guard start > 0, start <= end else { return .failure(Failure(.invalidHandle, at: start)) }
        return .range(start, end)
    }

    enum RangeResult {
        case range(UInt16, UInt16)
        case failure(Failure)
    }
}

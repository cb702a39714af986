/// Requests that find attributes (Core Vol 3 Part F 3.4.3 and 3.4.4.1, 3.4.4.9). Gaps between handles are stepped over.
extension AttributeServer {
    // MARK: ATT_FIND_INFORMATION_REQ

    mutating func findInformation(_ pdu: borrowing Span<UInt8>, _ response: inout AttributePDU) -> Failure? {
        guard case .range(let start, let end) = Self.range(pdu, length: 5...5) else { return Self.failure(pdu, length: 5...5) }
        var index = self.index(from: start)
        guard index < table.count, table.attributes[index].handle <= end else { return Failure(.attributeNotFound, at: start) }
        // One UUID size a response.
        let isShort = table.attributes[index].type.isShort
        response.append(ATTOpcode.findInformationResponse)
        response.append(isShort ? 0x01 : 0x02)
        while index < table.count, table.attributes[index].handle <= end, table.attributes[index].type.isShort == isShort {
            let attribute = table.attributes[index]
            guard response.room >= 2 + attribute.type.octetCount else { break }
            response.append(littleEndian: attribute.handle)
            attribute.type.write(to: &response)
            index += 1
        }
        return nil
    }

    // MARK: ATT_FIND_BY_TYPE_VALUE_REQ

    mutating func findByTypeValue<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU
    ) -> Failure? {
        guard case .range(let start, let end) = Self.range(pdu, length: 7...Int(client.mtu)) else {
            return Self.failure(pdu, length: 7...Int(client.mtu))
        }
        guard let short = pdu.littleEndian16(at: 5) else { return Failure(.invalidPDU) }
        let type = UUID(short)
        let wanted = pdu.extracting(7..<pdu.count)
        response.append(ATTOpcode.findByTypeValueResponse)
        var isFound = false
        var index = self.index(from: start)
        while index < table.count, table.attributes[index].handle <= end, response.room >= 4 {
            if table.attributes[index].type == type, matches(index, wanted, &application) {
                isFound = true
                response.append(littleEndian: table.attributes[index].handle)
                response.append(littleEndian: groupEnd(at: index))
            }
            index += 1
        }
        return isFound ? nil : Failure(.attributeNotFound, at: start)
    }

    /// Whether a readable value equals `wanted`. Service declarations compare as UUIDs, so both lengths find them.
    private mutating func matches<Application: AttributeApplication & ~Copyable>(
        _ index: Int, _ wanted: borrowing Span<UInt8>, _ application: inout Application
    ) -> Bool {
        guard case .success(let found) = find(index, &application) else { return false }
        let octets = found.start..<found.start + found.count
        let isService = AttributeTable.isService(table.attributes[index].type)
        return found.isConstant
            ? Self.matches(table.constants.storage.span.extracting(octets), wanted, isService: isService)
            : Self.matches(value.storage.span.extracting(octets), wanted, isService: isService)
    }

    private static func matches(_ held: borrowing Span<UInt8>, _ wanted: borrowing Span<UInt8>, isService: Bool) -> Bool {
        if isService, let a = UUID(held), let b = UUID(wanted) { return a == b }
        guard held.count == wanted.count else { return false }
        for octet in 0..<held.count where held[octet] != wanted[octet] { return false }
        return true
    }

    // MARK: ATT_READ_BY_TYPE_REQ

    mutating func readByType<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU
    ) -> Failure? {
        guard pdu.count == 7 || pdu.count == 21, let type = UUID(pdu.extracting(5..<pdu.count)) else { return Failure(.invalidPDU) }
        guard case .range(let start, let end) = Self.range(pdu, length: 7...21) else { return Self.failure(pdu, length: 7...21) }
        response.append(ATTOpcode.readByTypeResponse)
        return list(type, start, end, &application, &response, isGroup: false)
    }

    // MARK: ATT_READ_BY_GROUP_TYPE_REQ

    mutating func readByGroupType<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU
    ) -> Failure? {
        guard pdu.count == 7 || pdu.count == 21, let type = UUID(pdu.extracting(5..<pdu.count)) else { return Failure(.invalidPDU) }
        guard case .range(let start, let end) = Self.range(pdu, length: 7...21) else { return Self.failure(pdu, length: 7...21) }
        guard AttributeTable.isService(type) else { return Failure(.unsupportedGroupType, at: start) }
        response.append(ATTOpcode.readByGroupTypeResponse)
        return list(type, start, end, &application, &response, isGroup: true)
    }

    /// Appends the length octet and entries of equal length: handle, for groups the group's end, and the value.
    @inline(__always)
    private mutating func list<Application: AttributeApplication & ~Copyable>(
        _ type: UUID, _ start: UInt16, _ end: UInt16, _ application: inout Application, _ response: inout AttributePDU, isGroup: Bool
    ) -> Failure? {
        let header = isGroup ? 4 : 2
        var length = 0
        var index = self.index(from: start)
        while index < table.count, table.attributes[index].handle <= end {
            defer { index += 1 }
            guard table.attributes[index].type == type else { continue }
            let found: FoundValue
            switch find(index, &application) {
            // An error counts only on the first match; later ones end the list.
            case .failure(let refusal): return length == 0 ? Failure(refusal, at: table.attributes[index].handle) : nil
            case .success(let value): found = value
            }
            // The length octet limits an entry to 255, the MTU to what is left of it.
            let most = min(255 - header, Int(client.mtu) - 2 - header)
            let count = min(found.count, most)
            if length == 0 {
                length = header + count
                response.append(UInt8(truncatingIfNeeded: length))
            }
            guard header + count == length, response.room >= length else { break }
            response.append(littleEndian: table.attributes[index].handle)
            if isGroup { response.append(littleEndian: groupEnd(at: index)) }
            append(found, most: count, to: &response)
        }
        return length == 0 ? Failure(.attributeNotFound, at: start) : nil
    }

    private static func failure(_ pdu: borrowing Span<UInt8>, length: ClosedRange<Int>) -> Failure {
        if case .failure(let failure) = range(pdu, length: length) { return failure }
        return Failure(.invalidPDU)
    }
}

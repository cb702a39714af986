/// Requests that find attributes (Core Vol 3 Part F 3.4.3 and 3.4.4.1, 3.4.4.9). Gaps between handles are stepped over.
extension AttributeServer {
    // MARK: ATT_FIND_INFORMATION_REQ

    mutating func findInformation(_ pdu: borrowing Span<UInt8>, _ response: inout ATTFrame) -> Failure? {
        guard case .range(let start, let end) = Self.range(pdu, length: 5...5) else { return failure(pdu, length: 5...5) }
        var index = table.index(from: start)
        guard index < table.count, table[index].handle <= end else { return Failure(.attributeNotFound, at: start) }
        // One UUID size a response.
        let isShort = table[index].type.isShort
        response.append(ATTOpcode.findInformationResponse)
        response.append(isShort ? 0x01 : 0x02)
        while index < table.count, table[index].handle <= end, table[index].type.isShort == isShort {
            let attribute = table[index]
            guard response.room >= 2 + attribute.type.octetCount else { break }
            response.append(littleEndian: attribute.handle)
            attribute.type.write(to: &response)
            index += 1
        }
        return nil
    }

    // MARK: ATT_FIND_BY_TYPE_VALUE_REQ

    mutating func findByTypeValue<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout ATTFrame
    ) -> Failure? {
        guard case .range(let start, let end) = Self.range(pdu, length: 7...Int(client.mtu)) else {
            return failure(pdu, length: 7...Int(client.mtu))
        }
        guard let short = pdu.littleEndian16(at: 5) else { return Failure(.invalidPDU) }
        let type = UUID(short)
        let wanted = pdu.extracting(7..<pdu.count)
        response.append(ATTOpcode.findByTypeValueResponse)
        var isFound = false
        var index = table.index(from: start)
        while index < table.count, table[index].handle <= end, response.room >= 4 {
            if table[index].type == type, matches(index, wanted, &application) {
                isFound = true
                response.append(littleEndian: table[index].handle)
                response.append(littleEndian: table.groupEnd(at: index))
            }
            index += 1
        }
        return isFound ? nil : Failure(.attributeNotFound, at: start)
    }

    /// Whether a readable value equals `wanted`. Service declarations compare as UUIDs, so both lengths find them.
    private mutating func matches<Application: AttributeApplication & ~Copyable>(
        _ index: Int, _ wanted: borrowing Span<UInt8>, _ application: inout Application
    ) -> Bool {
        guard load(index, &application) == nil else { return false }
        let held = value.storage.span.extracting(0..<value.count)
        if AttributeTable.isService(table[index].type), let a = UUID(held), let b = UUID(wanted) { return a == b }
        guard held.count == wanted.count else { return false }
        for octet in 0..<held.count where held[octet] != wanted[octet] { return false }
        return true
    }

    // MARK: ATT_READ_BY_TYPE_REQ

    mutating func readByType<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout ATTFrame
    ) -> Failure? {
        guard pdu.count == 7 || pdu.count == 21, let type = UUID(pdu.extracting(5..<pdu.count)) else { return Failure(.invalidPDU) }
        guard case .range(let start, let end) = Self.range(pdu, length: 7...21) else { return failure(pdu, length: 7...21) }
        response.append(ATTOpcode.readByTypeResponse)
        return list(type, start, end, &application, &response, isGroup: false)
    }

    // MARK: ATT_READ_BY_GROUP_TYPE_REQ

    mutating func readByGroupType<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout ATTFrame
    ) -> Failure? {
        guard pdu.count == 7 || pdu.count == 21, let type = UUID(pdu.extracting(5..<pdu.count)) else { return Failure(.invalidPDU) }
        guard case .range(let start, let end) = Self.range(pdu, length: 7...21) else { return failure(pdu, length: 7...21) }
        guard AttributeTable.isService(type) else { return Failure(.unsupportedGroupType, at: start) }
        response.append(ATTOpcode.readByGroupTypeResponse)
        return list(type, start, end, &application, &response, isGroup: true)
    }

    /// Appends the length octet and entries of equal length: handle, for groups the group's end, and the value.
    private mutating func list<Application: AttributeApplication & ~Copyable>(
        _ type: UUID, _ start: UInt16, _ end: UInt16, _ application: inout Application, _ response: inout ATTFrame, isGroup: Bool
    ) -> Failure? {
        let header = isGroup ? 4 : 2
        var length = 0
        var index = table.index(from: start)
        while index < table.count, table[index].handle <= end {
            defer { index += 1 }
            guard table[index].type == type else { continue }
            if let refusal = load(index, &application) {
                // An error counts only on the first match; later ones end the list.
                if length == 0 { return Failure(refusal, at: table[index].handle) }
                break
            }
            // The length octet limits an entry to 255, the MTU to what is left of it.
            let most = min(255 - header, Int(client.mtu) - 2 - header)
            let count = min(value.count, most)
            if length == 0 {
                length = header + count
                response.append(UInt8(truncatingIfNeeded: length))
            }
            guard header + count == length, response.room >= length else { break }
            response.append(littleEndian: table[index].handle)
            if isGroup { response.append(littleEndian: table.groupEnd(at: index)) }
            response.appendPrefix(value.storage.span.extracting(0..<value.count), most: count)
        }
        return length == 0 ? Failure(.attributeNotFound, at: start) : nil
    }

    private func failure(_ pdu: borrowing Span<UInt8>, length: ClosedRange<Int>) -> Failure {
        if case .failure(let failure) = Self.range(pdu, length: length) { return failure }
        return Failure(.invalidPDU)
    }
}

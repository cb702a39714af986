/// Finding a service, its characteristics and their configurations (Core Vol 3 Part G 4.4.2, 4.6.1 and 4.7.1).
extension AttributeClient {
    // MARK: ATT_FIND_BY_TYPE_VALUE_RSP

    /// Pairs of handles; the first is taken.
    mutating func takeService(_ response: borrowing Span<UInt8>) -> Step {
        guard response.count >= 5, response.count % 4 == 1, let start = response.littleEndian16(at: 1),
            let last = response.littleEndian16(at: 3), start > 0, start <= last
        else { return malformed() }
        service.found(start, last)
        return end(.done)
    }

    // MARK: ATT_READ_BY_TYPE_RSP

    mutating func listCharacteristics(from handle: UInt16, into pdu: inout RequestPDU, _ now: Instant) {
        begin(ATTOpcode.readByTypeRequest, &pdu, now)
        pdu.append(littleEndian: handle)
        pdu.append(littleEndian: service.end)
        pdu.append(littleEndian: UUID.characteristic.short)
    }

    /// A length and entries of it: handle, properties, the value's handle, its UUID.
    mutating func takeCharacteristics(_ response: borrowing Span<UInt8>, into pdu: inout RequestPDU, _ now: Instant) -> Step {
        guard let length = response.octet(at: 1).map(Int.init), length == 7 || length == 21, response.count >= 2 + length,
            (response.count - 2) % length == 0
        else { return malformed() }
        var position = 2
        while position < response.count {
            guard let declaration = response.littleEndian16(at: position), let properties = response.octet(at: position + 2),
                let value = response.littleEndian16(at: position + 3),
                let uuid = UUID(response.extracting(position + 5..<position + length)),
                service.add(declaration: declaration, AttributeTable.Properties(rawValue: properties), value: value, uuid)
            else { return malformed() }
            position += length
        }
        // The service ends with this value: there is no room for another.
        guard service.lastValue < service.end else { return characteristicsListed() }
        guard mayGoOn else { return malformed() }
        // A value lies behind its declaration, so this is no overflow.
        listCharacteristics(from: service.lastDeclaration + 1, into: &pdu, now)
        return .asked
    }

    mutating func characteristicsListed() -> Step {
        service.endOfList()
        return end(service.isComplete ? .done : .notFound)
    }

    // MARK: ATT_FIND_INFORMATION_RSP

    /// Writes the request for the next characteristic that is pushed; false when there is none.
    mutating func findNextConfiguration(into pdu: inout RequestPDU, _ now: Instant) -> Bool {
        while configured + 1 < CharacteristicList.capacity {
            configured += 1
            guard let characteristic = service.characteristic(configured), characteristic.isPushed, characteristic.configuration == 0,
                characteristic.value < characteristic.end
            else { continue }
            next = characteristic.value + 1
            findInformation(to: characteristic.end, into: &pdu, now)
            return true
        }
        return false
    }

    private mutating func findInformation(to last: UInt16, into pdu: inout RequestPDU, _ now: Instant) {
        begin(ATTOpcode.findInformationRequest, &pdu, now)
        pdu.append(littleEndian: next)
        pdu.append(littleEndian: last)
    }

    /// A format and entries: handle, and a UUID of 16 or of 128 bits.
    mutating func takeInformation(_ response: borrowing Span<UInt8>, into pdu: inout RequestPDU, _ now: Instant) -> Step {
        guard let characteristic = service.characteristic(configured), let format = response.octet(at: 1), format == 1 || format == 2
        else { return malformed() }
        let length = format == 1 ? 4 : 18
        guard response.count >= 2 + length, (response.count - 2) % length == 0 else { return malformed() }
        var position = 2
        var last: UInt16 = next - 1
        while position < response.count {
            guard let handle = response.littleEndian16(at: position), handle > last, handle <= characteristic.end,
                let uuid = UUID(response.extracting(position + 2..<position + length))
            else { return malformed() }
            if uuid == .clientConfiguration {
                service.configure(configured, handle)
                return configurationSought(into: &pdu, now)
            }
            last = handle
            position += length
        }
        guard last < characteristic.end else { return configurationSought(into: &pdu, now) }
        guard mayGoOn else { return malformed() }
        next = last + 1
        findInformation(to: characteristic.end, into: &pdu, now)
        return .asked
    }

    /// One is found, or not there: on to the next.
    mutating func configurationSought(into pdu: inout RequestPDU, _ now: Instant) -> Step {
        guard mayGoOn else { return malformed() }
        if findNextConfiguration(into: &pdu, now) { return .asked }
        return end(service.isConfigurable ? .done : .notFound)
    }
}

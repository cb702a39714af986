/// Requests that read values (Core Vol 3 Part F 3.4.4).
extension AttributeServer {
    // MARK: ATT_READ_REQ

    mutating func read<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout ATTFrame
    ) -> Failure? {
        guard pdu.count == 3, let handle = pdu.littleEndian16(at: 1) else { return Failure(.invalidPDU) }
        guard let index = table.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
        if let refusal = load(index, &application) { return Failure(refusal, at: handle) }
        response.append(ATTOpcode.readResponse)
        response.appendPrefix(value.storage.span.extracting(0..<value.count))
        return nil
    }

    // MARK: ATT_READ_BLOB_REQ

    mutating func readBlob<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout ATTFrame
    ) -> Failure? {
        guard pdu.count == 5, let handle = pdu.littleEndian16(at: 1), let offset = pdu.littleEndian16(at: 3) else {
            return Failure(.invalidPDU)
        }
        guard let index = table.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
        if let refusal = load(index, &application) { return Failure(refusal, at: handle) }
        guard Int(offset) <= value.count else { return Failure(.invalidOffset, at: handle) }
        response.append(ATTOpcode.readBlobResponse)
        response.appendPrefix(value.storage.span.extracting(Int(offset)..<value.count))
        return nil
    }

    // MARK: ATT_READ_MULTIPLE_REQ, ATT_READ_MULTIPLE_VARIABLE_REQ

    mutating func readMultiple<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout ATTFrame, isVariable: Bool
    ) -> Failure? {
        guard pdu.count >= 5, pdu.count % 2 == 1 else { return Failure(.invalidPDU) }
        response.append(isVariable ? ATTOpcode.readMultipleVariableResponse : ATTOpcode.readMultipleResponse)
        var position = 1
        while let handle = pdu.littleEndian16(at: position) {
            position += 2
            guard let index = table.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
            if let refusal = load(index, &application) { return Failure(refusal, at: handle) }
            // The whole set is checked even where the response is full already: the first failure is the answer.
            if isVariable, response.room < 2 { continue }
            if isVariable { response.append(littleEndian: UInt16(truncatingIfNeeded: value.count)) }
            response.appendPrefix(value.storage.span.extracting(0..<value.count))
        }
        return nil
    }
}

/// Requests that read values (Core Vol 3 Part F 3.4.4).
extension AttributeServer {
    // MARK: ATT_READ_REQ

    @inline(__always)
    mutating func read<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU
    ) -> Failure? {
        guard pdu.count == 3, let handle = pdu.littleEndian16(at: 1) else { return Failure(.invalidPDU) }
        guard let index = self.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
        switch find(index, &application) {
        case .failure(let refusal): return Failure(refusal, at: handle)
        case .success(let found):
            response.append(ATTOpcode.readResponse)
            append(found, to: &response)
            return nil
        }
    }

    // MARK: ATT_READ_BLOB_REQ

    mutating func readBlob<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU
    ) -> Failure? {
        guard pdu.count == 5, let handle = pdu.littleEndian16(at: 1), let offset = pdu.littleEndian16(at: 3) else {
            return Failure(.invalidPDU)
        }
        guard let index = self.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
        switch find(index, &application) {
        case .failure(let refusal): return Failure(refusal, at: handle)
        case .success(let found):
            guard Int(offset) <= found.count else { return Failure(.invalidOffset, at: handle) }
            response.append(ATTOpcode.readBlobResponse)
            append(found, from: Int(offset), to: &response)
            return nil
        }
    }

    // MARK: ATT_READ_MULTIPLE_REQ, ATT_READ_MULTIPLE_VARIABLE_REQ

    mutating func readMultiple<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU, isVariable: Bool
    ) -> Failure? {
        guard pdu.count >= 5, pdu.count % 2 == 1 else { return Failure(.invalidPDU) }
        response.append(isVariable ? ATTOpcode.readMultipleVariableResponse : ATTOpcode.readMultipleResponse)
        var position = 1
        while let handle = pdu.littleEndian16(at: position) {
            position += 2
            guard let index = self.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
            switch find(index, &application) {
            case .failure(let refusal): return Failure(refusal, at: handle)
            case .success(let found):
                // The whole set is checked even where the response is full already: the first failure is the answer.
                if isVariable, response.room < 2 { continue }
                if isVariable { response.append(littleEndian: UInt16(truncatingIfNeeded: found.count)) }
                append(found, to: &response)
            }
        }
        return nil
    }
}

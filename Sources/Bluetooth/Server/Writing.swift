/// Requests and commands that write values (Core Vol 3 Part F 3.4.5 and 3.4.6).
extension AttributeServer {
    // MARK: ATT_WRITE_REQ

    mutating func write<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout ATTFrame
    ) -> Failure? {
        guard pdu.count >= 3, let handle = pdu.littleEndian16(at: 1) else { return Failure(.invalidPDU) }
        if let refusal = store(handle, pdu.extracting(3..<pdu.count), &application, isCommand: false) {
            return Failure(refusal, at: handle)
        }
        response.append(ATTOpcode.writeResponse)
        return nil
    }

    // MARK: ATT_WRITE_CMD

    mutating func writeCommand<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application
    ) -> Outcome {
        guard pdu.count >= 3, let handle = pdu.littleEndian16(at: 1) else { return .dropped(.writeCommandRefused) }
        let refusal = store(handle, pdu.extracting(3..<pdu.count), &application, isCommand: true)
        return refusal == nil ? .nothing : .dropped(.writeCommandRefused)
    }

    private mutating func store<Application: AttributeApplication & ~Copyable>(
        _ handle: UInt16, _ value: borrowing Span<UInt8>, _ application: inout Application, isCommand: Bool
    ) -> ATTError? {
        guard let index = table.index(of: handle) else { return .invalidHandle }
        let attribute = table[index]
        if let refusal = attribute.write.refusal(.writeNotPermitted) { return refusal }
        if isCommand, !attribute.takesCommands { return .writeNotPermitted }
        switch attribute.storage {
        case .constant: return .writeNotPermitted
        case .clientConfiguration(let slot):
            guard value.count == 2, let bits = value.littleEndian16(at: 0) else { return .invalidValueLength }
            return configure(attribute, slot, bits)
        case .application(let maximum):
            guard value.count <= Int(maximum) else { return .invalidValueLength }
            return application.write(handle, value, isCommand: isCommand)
        }
    }

    private mutating func configure(_ attribute: AttributeTable.Attribute, _ slot: UInt8, _ bits: UInt16) -> ATTError? {
        var allowed: UInt16 = 0
        if attribute.properties.contains(.notify) || attribute.pushesUnsubscribed { allowed |= 1 }
        if attribute.properties.contains(.indicate) { allowed |= 2 }
        guard bits & ~allowed == 0 else { return .improperConfiguration }
        client.configure(slot, bits)
        return nil
    }

    // MARK: ATT_PREPARE_WRITE_REQ

    mutating func prepareWrite(_ pdu: borrowing Span<UInt8>, _ response: inout ATTFrame) -> Failure? {
        guard pdu.count >= 5, let handle = pdu.littleEndian16(at: 1), let offset = pdu.littleEndian16(at: 3) else {
            return Failure(.invalidPDU)
        }
        // Handle and permission are checked now, offset and length when the write is executed.
        guard let index = table.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
        if let refusal = table[index].write.refusal(.writeNotPermitted) { return Failure(refusal, at: handle) }
        guard client.queue.append(handle: handle, offset: offset, pdu.extracting(5..<pdu.count)) else {
            return Failure(.prepareQueueFull, at: handle)
        }
        response.append(ATTOpcode.prepareWriteResponse)
        response.append(pdu.extracting(1..<pdu.count))
        return nil
    }

    // MARK: ATT_EXECUTE_WRITE_REQ

    mutating func executeWrite<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout ATTFrame
    ) -> Failure? {
        // The queue is empty afterwards, whatever happens.
        defer { client.queue.wipe() }
        guard pdu.count == 2, let flags = pdu.octet(at: 1), flags <= 1 else { return Failure(.invalidPDU) }
        if flags == 1, let failure = applyQueue(&application) { return failure }
        response.append(ATTOpcode.executeWriteResponse)
        return nil
    }

    /// Puts the fragments of each run of one handle together and writes the whole value once.
    private mutating func applyQueue<Application: AttributeApplication & ~Copyable>(_ application: inout Application) -> Failure? {
        var position = 0
        while let first = client.queue.entry(at: position) {
            let handle = first.handle
            guard let index = table.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
            // A write from the start replaces the value; one from further on changes what is there, or, of a value nobody
            // may read, what the queue itself has put there.
            if first.offset == 0 {
                value.removeAll()
            } else if load(index, &application) != nil {
                replay(handle, before: position)
            }
            while let entry = client.queue.entry(at: position), entry.handle == handle {
                if let refusal = client.queue.apply(entry, to: &value) { return Failure(refusal, at: handle) }
                position = entry.next
            }
            if let refusal = storeValue(handle, &application) { return Failure(refusal, at: handle) }
        }
        return nil
    }

    /// Puts together in `value` what the entries before `position` have written to `handle`.
    private mutating func replay(_ handle: UInt16, before position: Int) {
        value.removeAll()
        var earlier = 0
        var isRun = false
        while earlier < position, let entry = client.queue.entry(at: earlier) {
            if entry.handle == handle {
                if !isRun, entry.offset == 0 { value.removeAll() }
                // What was written before can be again.
                _ = client.queue.apply(entry, to: &value)
            }
            isRun = entry.handle == handle
            earlier = entry.next
        }
    }

    /// Writes the value put together; it moves out of the server while the application looks at it.
    private mutating func storeValue<Application: AttributeApplication & ~Copyable>(
        _ handle: UInt16, _ application: inout Application
    ) -> ATTError? {
        var whole = AttributeValue()
        whole.append(value.storage.span.extracting(0..<value.count))
        value.wipe()
        defer { whole.wipe() }
        return store(handle, whole.storage.span.extracting(0..<whole.count), &application, isCommand: false)
    }
}

/// Requests and commands that write values (Core Vol 3 Part F 3.4.5 and 3.4.6).
extension AttributeServer {
    // MARK: ATT_WRITE_REQ

    @inline(__always)
    mutating func write<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU
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

    /// Writes a whole value; with `isTrial` it is only found out whether that may be done, as far as the table knows.
    @inline(__always)
    private mutating func store<Application: AttributeApplication & ~Copyable>(
        _ handle: UInt16, _ value: borrowing Span<UInt8>, _ application: inout Application, isCommand: Bool, isTrial: Bool = false
    ) -> ATTError? {
        guard let index = self.index(of: handle) else { return .invalidHandle }
        let attribute = table.attributes[index]
        if let refusal = attribute.write.refusal(.writeNotPermitted) { return refusal }
        if isCommand, !attribute.takesCommands { return .writeNotPermitted }
        switch attribute.storage {
        case .constant: return .writeNotPermitted
        case .clientConfiguration(let slot, let refusal):
            // Of a value of fixed length the octets given are written, the others stay (Core Vol 3 Part F 3.4.5.1).
            guard value.count <= 2 else { return .invalidValueLength }
            var bits = client.configuration(slot)
            if let low = value.octet(at: 0) { bits = bits & 0xFF00 | UInt16(low) }
            if let high = value.octet(at: 1) { bits = bits & 0x00FF | UInt16(high) << 8 }
            return configure(attribute, slot, bits, isTrial: isTrial) ? nil : refusal
        case .application(let maximum):
            guard value.count <= Int(maximum) else { return .invalidValueLength }
            return isTrial ? nil : application.write(handle, value, isCommand: isCommand)
        }
    }

    /// False, and nothing changed, where the characteristic is not pushed in that way.
    private mutating func configure(_ attribute: AttributeTable.Attribute, _ slot: UInt8, _ bits: UInt16, isTrial: Bool) -> Bool {
        var allowed: UInt16 = 0
        if attribute.properties.contains(.notify) || attribute.pushesUnsubscribed { allowed |= 1 }
        if attribute.properties.contains(.indicate) { allowed |= 2 }
        guard bits & ~allowed == 0 else { return false }
        if !isTrial { client.configure(slot, bits) }
        return true
    }

    // MARK: ATT_PREPARE_WRITE_REQ

    mutating func prepareWrite(_ pdu: borrowing Span<UInt8>, _ response: inout AttributePDU) -> Failure? {
        guard pdu.count >= 5, let handle = pdu.littleEndian16(at: 1), let offset = pdu.littleEndian16(at: 3) else {
            return Failure(.invalidPDU)
        }
        // Handle and permission are checked now, offset and length when the queue is executed.
        guard let index = self.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
        if let refusal = table.attributes[index].write.refusal(.writeNotPermitted) { return Failure(refusal, at: handle) }
        guard client.queue.append(handle: handle, offset: offset, pdu.extracting(5..<pdu.count)) else {
            return Failure(.prepareQueueFull, at: handle)
        }
        response.append(ATTOpcode.prepareWriteResponse)
        response.append(pdu.extracting(1..<pdu.count))
        return nil
    }

    // MARK: ATT_EXECUTE_WRITE_REQ

    mutating func executeWrite<Application: AttributeApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ application: inout Application, _ response: inout AttributePDU
    ) -> Failure? {
        // The queue is empty afterwards, whatever happens.
        defer { client.queue.wipe() }
        guard pdu.count == 2, let flags = pdu.octet(at: 1), flags <= 1 else { return Failure(.invalidPDU) }
        if flags == 1, let failure = applyQueue(&application) { return failure }
        response.append(ATTOpcode.executeWriteResponse)
        return nil
    }

    /// Checks all of the queue, then writes all of it: after an error nothing has changed (Core Vol 3 Part F 3.4.6.3 leaves that open, and
    /// a client that is told of an error writes once more). Only what the application itself refuses is known no sooner than it is written.
    private mutating func applyQueue<Application: AttributeApplication & ~Copyable>(_ application: inout Application) -> Failure? {
        walkQueue(&application, isTrial: true) ?? walkQueue(&application, isTrial: false)
    }

    /// Puts the fragments of each run of one handle together and writes the whole value once.
    private mutating func walkQueue<Application: AttributeApplication & ~Copyable>(
        _ application: inout Application, isTrial: Bool
    ) -> Failure? {
        var position = 0
        while let first = client.queue.entry(at: position) {
            let handle = first.handle
            guard let index = self.index(of: handle) else { return Failure(.invalidHandle, at: handle) }
            var end = position
            while let entry = client.queue.entry(at: end), entry.handle == handle { end = entry.next }
            if let refusal = assemble(index, position, end, &application) { return Failure(refusal, at: handle) }
            if let refusal = storeValue(handle, &application, isTrial: isTrial) { return Failure(refusal, at: handle) }
            position = end
        }
        return nil
    }

    /// Puts together in `value` what the attribute at `index` is once the queue up to `end` is written; its last run begins at `begin`.
    ///
    /// A write from the start replaces a value of variable length; one from further on changes what is there, or, of a value nobody may
    /// read, what the queue itself has put there.
    private mutating func assemble<Application: AttributeApplication & ~Copyable>(
        _ index: Int, _ begin: Int, _ end: Int, _ application: inout Application
    ) -> ATTError? {
        let attribute = table.attributes[index]
        let isFixed = if case .clientConfiguration = attribute.storage { true } else { false }
        let replaces = !isFixed && client.queue.entry(at: begin)?.offset == 0
        if replaces || !load(index, &application) { value.removeAll() }
        // What was written before can be again: on a value that has it, it changes nothing.
        var position = replaces ? begin : 0
        var isRun = false
        while position < end, let entry = client.queue.entry(at: position) {
            let isOurs = entry.handle == attribute.handle
            if isOurs {
                if !isRun, !isFixed, entry.offset == 0 { value.removeAll() }
                if let refusal = client.queue.apply(entry, to: &value) { return refusal }
            }
            isRun = isOurs
            position = entry.next
        }
        return nil
    }

    /// Puts what the attribute at `index` is now into `value`; false where nobody may read it.
    private mutating func load<Application: AttributeApplication & ~Copyable>(_ index: Int, _ application: inout Application) -> Bool {
        guard case .success(let found) = find(index, &application) else { return false }
        if found.isConstant {
            value.removeAll()
            value.append(table.constants.storage.span.extracting(found.start..<found.start + found.count))
        }
        return true
    }

    /// Writes the value put together; it moves out of the server while the application looks at it.
    private mutating func storeValue<Application: AttributeApplication & ~Copyable>(
        _ handle: UInt16, _ application: inout Application, isTrial: Bool
    ) -> ATTError? {
        var whole = AttributeValue()
        whole.append(value.storage.span.extracting(0..<value.count))
        value.wipe()
        defer { whole.wipe() }
        return store(handle, whole.storage.span.extracting(0..<whole.count), &application, isCommand: false, isTrial: isTrial)
    }
}

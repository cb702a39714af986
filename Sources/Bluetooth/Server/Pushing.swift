/// What became of a value handed over for pushing.
public enum PushResult: Hashable, Sendable {
    case notified
    /// The client will confirm; no other indication goes out before.
    case indicated
    /// Something pushed before has not left yet, or an indication is not confirmed: try again.
    case busy
    case notConnected
    /// No such value, or one that is not pushed.
    case unknownHandle
    case notSubscribed
    /// Longer than the client's MTU less 3, or than 512 octets: never cut.
    case tooLong
}

extension PeripheralHost {
    /// The client has asked for notifications or indications of the value `handle`.
    public mutating func isSubscribed(_ handle: UInt16) -> Bool {
        guard link.isUp, let index = server.table.index(of: handle) else { return false }
        return server.configuration(behind: index) & 3 != 0
    }
}

extension AttributeServer {
    // MARK: ATT_HANDLE_VALUE_NTF, ATT_HANDLE_VALUE_IND

    /// Writes a notification or indication of `handle` into `frame`, by what the client subscribed.
    mutating func push(_ handle: UInt16, _ octets: borrowing Span<UInt8>, into frame: inout ATTFrame) -> PushResult {
        guard let index = table.index(of: handle) else { return .unknownHandle }
        let attribute = table[index]
        // A configuration has its characteristic's properties, but is not its value.
        if case .clientConfiguration = attribute.storage { return .unknownHandle }
        guard attribute.properties.contains(.notify) || attribute.properties.contains(.indicate) else { return .unknownHandle }
        // The longest value there is (Core Vol 3 Part F 3.2.9) is shorter than the largest MTU lets through.
        guard octets.count <= min(Int(client.mtu) - 3, 512) else { return .tooLong }
        let bits = configuration(behind: index)
        let opcode: UInt8
        if bits & 2 != 0 {
            guard !client.isAwaitingConfirmation else { return .busy }
            client.isAwaitingConfirmation = true
            opcode = ATTOpcode.indication
        } else if bits & 1 != 0 || attribute.pushesUnsubscribed {
            opcode = ATTOpcode.notification
        } else {
            return .notSubscribed
        }
        frame.beginFrame(channel: Channel.attribute, limit: 4 + Int(client.mtu))
        frame.append(opcode)
        frame.append(littleEndian: handle)
        frame.append(octets)
        frame.finishFrame()
        return opcode == ATTOpcode.indication ? .indicated : .notified
    }

    /// The client's bits in the configuration that follows the value at `index`; 0 where there is none.
    mutating func configuration(behind index: Int) -> UInt16 {
        var next = index + 1
        while next < table.count, table[next].type != .characteristic, !AttributeTable.isService(table[next].type) {
            if case .clientConfiguration(let slot) = table[next].storage { return client.configuration(slot) }
            next += 1
        }
        return 0
    }
}

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

extension AttributeServer {
    // MARK: ATT_HANDLE_VALUE_NTF, ATT_HANDLE_VALUE_IND

    /// Writes a notification or indication of `handle` into `pdu`, by what the client subscribed.
    mutating func push(_ handle: UInt16, _ octets: borrowing Span<UInt8>, into pdu: inout AttributePDU) -> PushResult {
        guard let index = self.index(of: handle) else { return .unknownHandle }
        let attribute = table.attributes[index]
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
        pdu.removeAll(limit: Int(client.mtu))
        pdu.append(opcode)
        pdu.append(littleEndian: handle)
        pdu.append(octets)
        return opcode == ATTOpcode.indication ? .indicated : .notified
    }
}

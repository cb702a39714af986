/// Commands answered.
extension HostCore {
    /// HCI_Command_Complete: number of packets, opcode, return parameters.
    mutating func commandComplete(_ event: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard let allowed = event.octet(at: 0), let opcode = event.littleEndian16(at: 1) else { return drop(.eventTruncated) }
        commands.allow(allowed, now)
        // Opcode 0 only updates the count (Core Vol 4 Part E 7.7.14).
        if opcode == 0 { return nil }
        guard let command = commands.command(opcode) else { return drop(.commandUnexpected) }
        commands.settle()
        let answer = event.extracting(3..<event.count)
        if case .bringUp(let step) = command { return stepDone(step, answer, now) }
        // An answer that says nothing is no success.
        if answer.isEmpty { counters.count(.eventTruncated) }
        return answered(command, answer.octet(at: 0).map(HCIStatus.init) ?? .unspecified, now)
    }

    /// HCI_Command_Status: status, number of packets, opcode.
    mutating func commandStatus(_ event: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard let status = event.octet(at: 0), let allowed = event.octet(at: 1), let opcode = event.littleEndian16(at: 2) else {
            return drop(.eventTruncated)
        }
        commands.allow(allowed, now)
        if opcode == 0 { return nil }
        guard let command = commands.command(opcode) else { return drop(.commandUnexpected) }
        // A success for a command that ends in Command Complete says no more than "received".
        if status == 0, !command.answersWithStatus { return nil }
        commands.settle()
        if case .bringUp(let step) = command { return stepDone(step, event.extracting(0..<1), now) }
        return answered(command, HCIStatus(rawValue: status), now)
    }

    private mutating func answered(_ command: Command, _ status: HCIStatus, _ now: Instant) -> HostEvent? {
        switch command {
        case .setRandomAddress, .setAdvertisingParameters, .setAdvertisingData, .setScanResponse:
            return status == .success ? nil : advertisingRefused(status, now)
        case .replaceAdvertisingData:
            replacementAnswered(status)
            return nil
        case .setAdvertisingEnable(let on):
            return advertisingAnswered(on, status, now)
        case .setScanAddress where initiation.phase == .waiting:
            // The command that connects is behind it, and says itself what is wrong.
            return nil
        case .setScanAddress, .setScanParameters:
            return status == .success ? nil : scanningRefused(status, now)
        case .setScanEnable(let on): return scanningAnswered(on, status, now)
        case .createConnection: return initiatingAnswered(status, now)
        case .cancelConnection:
            // Command Disallowed means that it has just succeeded or failed: the event is on its way.
            initiation.cancelAnswered(now)
            return nil
        case .updateConnection(let handle):
            if status != .success, connection.handle == handle { connection.isUpdating = false }
            return nil
        case .disconnect(let handle, _):
            // The link is already gone when the controller does not know it: its event comes or has come.
            if status == .unknownConnection, connection.isUp, connection.handle == handle { return linkLost(status, now) }
            return nil
        case .readChannelMap(let handle): return probeAnswered(handle, status, now)
        case .readVersion:
            commands.idleQuestionAnswered()
            return nil
        case .bringUp, .longTermKeyNegativeReply, .setDataLength, .setPHY:
            return nil
        }
    }
}

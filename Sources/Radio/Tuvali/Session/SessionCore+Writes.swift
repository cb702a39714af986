import Bluetooth

/// What a wallet writes. It cannot be told of a mistake by an error (Android writes commands only), so what is wrong
/// is ignored and counted, or ends the session.
extension SessionCore {
    mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? {
        switch service.characteristic(at: handle) {
        case .transferReportResponse: value.append(report.storage.span.extracting(0..<report.count))
        case .verificationStatus: if let status, !isStatusDue { value.append(status) }
        case .disconnect: if phase == .closing, !isDisconnectDue { value.append(0x01) }
        // Nothing is ever requested.
        default: break
        }
        return nil
    }

    mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? {
        guard isLinkUp else { return nil }
        switch service.characteristic(at: handle) {
        case .submitResponse: acceptChunk(value)
        case .identifyRequest: identify(value)
        case .responseSize: beginTransfer(value)
        case .transferReportRequest: requestReport(value)
        default: return .writeNotPermitted
        }
        return nil
    }

    // MARK: Identify: nonce(12) | wallet public key(32)

    private mutating func identify(_ value: borrowing Span<UInt8>) {
        guard value.count >= 44 else { return note(.shortIdentify) }
        // A second one would change the keys under the first.
        guard phase == .connected else { return note(.secondIdentify) }
        for index in 0..<12 { nonce[index] = value[index] }
        for index in 0..<32 { walletKey[index] = value[12 + index] }
        phase = .identified
        hasIdentified = true
        events.append(.identified)
    }

    // MARK: Response Size: u32

    private mutating func beginTransfer(_ value: borrowing Span<UInt8>) {
        switch phase {
        case .secure: break
        // A second transfer would use the nonce again.
        case .receiving, .deciding, .waitingDisconnect: return note(.secondResponseSize)
        default: return note(.outOfTurn)
        }
        guard value.count >= 4 else { return fail(.peripheralFailed, now: now) }
        let maxData = TransferSize.maxData(mtu: mtu)
        guard maxData >= TransferSize.minimumMaxData else { return fail(.mtuTooSmall, now: now) }
        let size = UInt32(value[0]) << 24 | UInt32(value[1]) << 16 | UInt32(value[2]) << 8 | UInt32(value[3])
        guard assembler.begin(size: size, maxData: maxData) else { return fail(.responseSizeInvalid, now: now) }
        phase = .receiving
        awaitProgress()
        transferDeadline = now.adding(milliseconds: patience.transfer)
    }

    /// Gives the wallet its time for the next chunks.
    private mutating func awaitProgress() {
        phaseDeadline = now.adding(milliseconds: patient(patience.progress, events: 5))
        freshChunks = 0
        quota = min(patience.quota, assembler.missing)
    }

    // MARK: Submit Response: sequence(2) | crc(2) | payload

    private mutating func acceptChunk(_ value: borrowing Span<UInt8>) {
        guard phase == .receiving else {
            // Before the size, or after the last chunk.
            return note(phase.rawValue < Phase.receiving.rawValue ? .beforeSize : .afterLast)
        }
        resendAt = nil
        let outcome = assembler.accept(value)
        note(outcome)
        guard outcome == .accepted else { return }
        freshChunks += 1
        if freshChunks >= quota { awaitProgress() }
        // A report that still waits to leave has just turned into success: the wallet will not ask again.
        if assembler.isComplete, isReportDue || reportAt != nil { messageReceived() }
    }

    // MARK: Transfer Report Request: 00 nothing, 01 report, 02 the wallet failed

    private mutating func requestReport(_ value: borrowing Span<UInt8>) {
        guard let request = value.octet(at: 0), request == 1 || request == 2 else { return note(.unknownReportRequest) }
        switch phase {
        case .receiving: break
        case .connected, .identified, .secure:
            // No transfer to report on: the reference dies here.
            return fail(request == 2 ? .walletFailed : .transferFailed, now: now)
        default: return note(.outOfTurn)
        }
        if request == 2 { return fail(.walletFailed, now: now) }
        resendAt = nil
        if assembler.isBeyondRepair { return fail(.tooManyMissing, now: now) }
        scheduleReport()
        if assembler.isComplete { messageReceived() }
    }

    private mutating func messageReceived() {
        phase = .deciding
        phaseDeadline = nil
        transferDeadline = nil
        events.append(.received)
    }

    /// The first report of a session waits for a wallet that may not listen yet; `reportAtOnce` ends the wait.
    private mutating func scheduleReport() {
        if hasReported {
            isReportDue = true
        } else if reportAt == nil {
            reportAt = now.adding(milliseconds: patient(patience.firstReport, events: 2))
        }
    }
}

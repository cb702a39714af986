/// Commands answered: bring-up walks its table, advertising its sequence.
extension PeripheralHost {
    /// HCI_Command_Complete: number of packets, opcode, return parameters.
    mutating func commandComplete(_ event: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard let allowed = event.octet(at: 0), let opcode = event.littleEndian16(at: 1) else { return drop(.eventTruncated) }
        allow(allowed, now)
        // Opcode 0 only updates the count (Core Vol 4 Part E 7.7.14).
        if opcode == 0 { return nil }
        guard let command = outstanding, command.opcode(isExtended: advertising.isExtended).rawValue == opcode else {
            return drop(.commandUnexpected)
        }
        outstanding = nil
        commandDeadline = nil
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
        allow(allowed, now)
        if opcode == 0 { return nil }
        guard let command = outstanding, command.opcode(isExtended: advertising.isExtended).rawValue == opcode else {
            return drop(.commandUnexpected)
        }
        // A success for a command that ends in Command Complete says no more than "received".
        if status == 0, !command.answersWithStatus { return nil }
        outstanding = nil
        commandDeadline = nil
        if case .bringUp(let step) = command { return stepDone(step, event.extracting(0..<1), now) }
        return answered(command, HCIStatus(rawValue: status), now)
    }

    /// Num_HCI_Command_Packets. A pause of 0 that is never lifted ends by itself.
    private mutating func allow(_ packets: UInt8, _ now: Instant) {
        mayCommand = packets > 0
        pausedUntil = mayCommand ? nil : now.adding(milliseconds: Self.commandMilliseconds)
    }

    private mutating func answered(_ command: Command, _ status: HCIStatus, _ now: Instant) -> HostEvent? {
        switch command {
        case .setRandomAddress, .setAdvertisingParameters, .setAdvertisingData, .setScanResponse:
            return status == .success ? nil : advertisingRefused(status, now)
        case .setAdvertisingEnable(let on):
            return advertisingAnswered(on, status, now)
        case .disconnect(let handle, _):
            // The link is already gone when the controller does not know it: its event comes or has come.
            if status == .unknownConnection, link.isUp, link.handle == handle { return linkLost(status, now) }
            return nil
        case .readChannelMap(let handle): return probeAnswered(handle, status, now)
        case .bringUp, .longTermKeyNegativeReply, .setDataLength, .setPHY:
            return nil
        }
    }

    // MARK: bring-up

    private mutating func stepDone(_ step: BringUp.Step, _ answer: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        guard bringUp.current == step, let octet = answer.octet(at: 0) else {
            return stepFailed(step, .malformed, .bringUpMalformed(step), now)
        }
        let status = HCIStatus(rawValue: octet)
        guard status == .success else { return stepFailed(step, .done(status), .bringUpRefused(step, status), now) }
        guard controller.take(answer.extracting(1..<answer.count), of: step) else {
            return stepFailed(step, .malformed, .bringUpMalformed(step), now)
        }
        if step == .version, controller.version < 6 { return fault(.versionTooOld(controller.version), now) }
        if step == .features, !controller.isLESupported { return fault(.noPeripheral, now) }
        bringUp.advance(.done(status), controller: controller)
        return queueStep(now)
    }

    private mutating func stepFailed(
        _ step: BringUp.Step, _ result: BringUp.Result, _ fault: ControllerFault, _ now: Instant
    ) -> HostEvent? {
        if step == .leEventMask, bringUp.current == step, !isEventMaskRefused, case .done = result {
            isEventMaskRefused = true
            queue.append(.bringUp(step))
            return nil
        }
        bringUp.advance(result, controller: controller)
        if BringUp.row(step).isMandatory { return self.fault(fault, now) }
        return queueStep(now)
    }

    /// An optional step was not answered in time.
    mutating func stepUnanswered(_ now: Instant) -> HostEvent? {
        bringUp.advance(.timedOut, controller: controller)
        return queueStep(now)
    }

    private mutating func queueStep(_ now: Instant) -> HostEvent? {
        if let step = bringUp.current {
            queue.append(.bringUp(step))
            return nil
        }
        credits = controller.dataPackets
        phase = .ready
        advertising.isExtended = !controller.hasLegacyAdvertising && controller.hasExtendedAdvertising
        if advertising.isWanted { restartAdvertising(now) }
        return .ready
    }

    // MARK: advertising

    /// Queues the whole sequence: payload and address may change only while advertising is off.
    mutating func restartAdvertising(_ now: Instant) {
        guard phase == .ready, advertising.isWanted, !link.isUp else { return }
        advertising.isFast = true
        advertising.fastUntil = advertising.savesPower ? now.adding(milliseconds: Advertising.fastMilliseconds) : nil
        advertising.retryAt = nil
        queueAdvertising(isPayloadNew: true)
    }

    private mutating func queueAdvertising(isPayloadNew: Bool) {
        queue.removeAdvertising()
        if advertising.mayBeOn { queue.append(.setAdvertisingEnable(false)) }
        if isPayloadNew, !advertising.isExtended { queue.append(.setRandomAddress) }
        queue.append(.setAdvertisingParameters)
        // An advertising set is made by its parameters, and can be given an address only then.
        if isPayloadNew, advertising.isExtended { queue.append(.setRandomAddress) }
        if isPayloadNew {
            queue.append(.setAdvertisingData)
            queue.append(.setScanResponse)
        }
        queue.append(.setAdvertisingEnable(true))
    }

    /// The fast time is over.
    mutating func slowAdvertising() {
        advertising.isFast = false
        advertising.fastUntil = nil
        queueAdvertising(isPayloadNew: false)
    }

    private mutating func advertisingAnswered(_ on: Bool, _ status: HCIStatus, _ now: Instant) -> HostEvent? {
        if !on {
            // Command Disallowed means it was off already: a connection came first.
            advertising.ended()
        } else if status != .success {
            advertising.isOn = false
            advertising.mayBeOn = !link.isUp
            return advertisingRefused(status, now)
        } else {
            advertising.refusals = 0
            advertising.mayBeOn = true
            if advertising.hasLinkedMeanwhile {
                // The link may be this advertisement's, which ended with it, or the former's, and then this one goes on beside
                // the link: it is turned off, and begun anew where it is wanted.
                queue.removeAdvertising()
                if advertising.isWanted, !link.isUp { restartAdvertising(now) } else { queue.append(.setAdvertisingEnable(false)) }
            } else {
                advertising.isOn = advertising.isWanted
            }
        }
        return nil
    }

    mutating func advertisingRefused(_ status: HCIStatus, _ now: Instant) -> HostEvent? {
        guard advertising.isWanted, !link.isUp else { return nil }
        // It was asked although it does not list the command.
        if status == .unknownCommand, !advertising.isExtended, !controller.hasLegacyAdvertising { return fault(.noPeripheral, now) }
        advertising.refusals += 1
        guard advertising.refusals < 4 else { return fault(.advertisingRefused(status), now) }
        queue.removeAdvertising()
        // What the controller does is no longer known: the next try ends it first.
        advertising.mayBeOn = true
        advertising.retryAt = now.adding(milliseconds: 500)
        return nil
    }
}

extension Controller {
    /// Whether it lists the five commands of legacy advertising (Core Vol 4 Part E 6.27, octets 25 and 26).
    var hasLegacyAdvertising: Bool {
        supports(octet: 25, bit: 4) && supports(octet: 25, bit: 5) && supports(octet: 25, bit: 7)
            && supports(octet: 26, bit: 0) && supports(octet: 26, bit: 1)
    }

    /// Whether it lists the five commands of extended advertising (octet 36).
    var hasExtendedAdvertising: Bool {
        supports(octet: 36, bit: 1) && supports(octet: 36, bit: 2) && supports(octet: 36, bit: 3) && supports(octet: 36, bit: 4)
            && supports(octet: 36, bit: 5)
    }

    /// Keeps what a bring-up step returned behind its status; false when it is too short.
    mutating func take(_ parameters: borrowing Span<UInt8>, of step: BringUp.Step) -> Bool {
        switch step {
        case .version:
            guard parameters.count >= 8, let hci = parameters.octet(at: 0), let maker = parameters.littleEndian16(at: 4),
                let revision = parameters.littleEndian16(at: 6)
            else { return false }
            version = hci
            manufacturer = maker
            subversion = revision
        case .commands:
            guard parameters.count >= 64 else { return false }
            for index in 0..<64 { commands[index] = parameters[index] }
        case .features:
            guard let mask = parameters.littleEndian64(at: 0) else { return false }
            features = mask
        case .leFeatures:
            guard let mask = parameters.littleEndian64(at: 0) else { return false }
            leFeatures = mask
        case .leBufferSize, .leBufferSizeV2:
            guard let length = parameters.littleEndian16(at: 0), let packets = parameters.octet(at: 2) else { return false }
            setBuffers(length: Int(length), packets: Int(packets))
        case .sharedBufferSize:
            guard let length = parameters.littleEndian16(at: 0), let packets = parameters.littleEndian16(at: 3) else { return false }
            setBuffers(length: Int(length), packets: Int(packets))
            // Without a buffer nothing can be answered.
            return dataLength > 0 && dataPackets > 0
        case .address:
            guard let own = DeviceAddress(parameters, at: 0) else { return false }
            address = own
        case .reset, .eventMask, .leHostSupport, .leEventMask, .suggestedDataLength, .defaultPHY: break
        }
        return true
    }

    /// An ACL packet never exceeds the frame the host writes it into.
    private mutating func setBuffers(length: Int, packets: Int) {
        dataLength = min(length, 1021)
        dataPackets = packets
    }
}

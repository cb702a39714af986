/// Opening, closing and crediting a channel by commands of the signalling channel (Core Vol 3 Part A 4.6, 4.7 and 4.22 to 4.24).
extension CreditChannel {
    // MARK: what the application wants

    /// Asks for a channel; false while there is one.
    mutating func open(_ newSPSM: UInt16, _ now: Instant) -> Bool {
        guard phase == .closed else { return false }
        reset()
        spsm = newSPSM
        phase = .opening
        isRequestDue = true
        deadline = now.adding(milliseconds: Self.openingMilliseconds)
        return true
    }

    /// Closes it. An opening one is closed once it is open.
    mutating func close(tellsEnd tells: Bool, _ now: Instant) {
        guard phase == .open else { return }
        phase = .closing
        tellsEnd = tells
        isRequestDue = true
        deadline = now.adding(milliseconds: Self.closingMilliseconds)
    }

    // MARK: requests of our own

    /// Writes what is due into the signalling lane.
    mutating func write(identifier newIdentifier: UInt8, into pdu: inout SignallingPDU) {
        let credits = creditsDue
        if isRequestDue {
            isRequestDue = false
            identifier = newIdentifier
            if phase == .opening { writeConnection(into: &pdu) } else { writeDisconnection(into: &pdu) }
        } else if credits > 0 {
            receiveCredits += credits
            Signalling.write(Signalling.flowControlCredit, newIdentifier, into: &pdu) {
                $0.append(littleEndian: Self.localID)
                $0.append(littleEndian: credits)
            }
        }
    }

    private mutating func writeConnection(into pdu: inout SignallingPDU) {
        receiveCredits = Self.credits
        Signalling.write(Signalling.creditConnectionRequest, identifier, into: &pdu) {
            $0.append(littleEndian: spsm)
            $0.append(littleEndian: Self.localID)
            $0.append(littleEndian: Self.mtu)
            $0.append(littleEndian: Self.mps)
            $0.append(littleEndian: Self.credits)
        }
    }

    private func writeDisconnection(into pdu: inout SignallingPDU) {
        Signalling.write(Signalling.disconnectionRequest, identifier, into: &pdu) {
            $0.append(littleEndian: remoteID)
            $0.append(littleEndian: Self.localID)
        }
    }

    // MARK: what needs no answer

    /// Takes a response, a reject or credits.
    mutating func take(_ command: SignallingCommand, _ pdu: borrowing Span<UInt8>, _ now: Instant) -> Step {
        let isAnswer = identifier != 0 && command.identifier == identifier
        switch command.code {
        case Signalling.creditConnectionResponse: return isAnswer && phase == .opening ? connected(pdu, now) : .ignored
        case Signalling.commandReject:
            guard isAnswer else { return .ignored }
            identifier = 0
            if phase == .closing { return ended() }
            guard phase == .opening else { return .ignored }
            reset()
            return .refused(.notUnderstood)
        case Signalling.disconnectionResponse: return isAnswer && phase == .closing ? ended() : .ignored
        case Signalling.flowControlCredit: return credited(pdu, now)
        default: return .ignored
        }
    }

    /// Connection Response: DCID, MTU, MPS, credits, result.
    private mutating func connected(_ pdu: borrowing Span<UInt8>, _ now: Instant) -> Step {
        guard let endpoint = pdu.littleEndian16(at: 4), let newMTU = pdu.littleEndian16(at: 6), let newMPS = pdu.littleEndian16(at: 8),
            let credits = pdu.littleEndian16(at: 10), let result = pdu.littleEndian16(at: 12), pdu.count == 14
        else { return refused(.malformed) }
        guard result == 0 else { return refused(.result(result)) }
        guard Self.dynamicIDs.contains(endpoint) else { return refused(.malformed) }
        remoteID = endpoint
        guard newMTU >= Self.least, newMPS >= Self.least else {
            // The peer takes the channel for open.
            phase = .open
            close(tellsEnd: false, now)
            return .refused(.malformed)
        }
        accept(newMTU, newMPS, credits)
        return .opened
    }

    private mutating func refused(_ refusal: ChannelRefusal) -> Step {
        reset()
        return .refused(refusal)
    }

    private mutating func accept(_ newMTU: UInt16, _ newMPS: UInt16, _ credits: UInt16) {
        (remoteMTU, remoteMPS, sendCredits) = (newMTU, newMPS, credits)
        phase = .open
        identifier = 0
        deadline = nil
        missing = 0
    }

    /// Flow Control Credit: the sender's endpoint, and how many.
    private mutating func credited(_ pdu: borrowing Span<UInt8>, _ now: Instant) -> Step {
        guard phase == .open, let endpoint = pdu.littleEndian16(at: 4), let more = pdu.littleEndian16(at: 6), pdu.count == 8,
            endpoint == remoteID
        else { return .ignored }
        let (sum, isTooMany) = sendCredits.addingReportingOverflow(more)
        guard more > 0, !isTooMany else { return violated(now) }
        sendCredits = sum
        return .nothing
    }

    /// The peer broke the rules: the channel is closed (Core Vol 3 Part A 10.1).
    mutating func violated(_ now: Instant) -> Step {
        close(tellsEnd: false, now)
        return .closed
    }

    /// Both sides agree that it is closed.
    private mutating func ended() -> Step {
        let tells = tellsEnd
        reset()
        return tells ? .closed : .nothing
    }

    // MARK: what needs an answer

    /// A peer asks for a channel: SPSM, SCID, MTU, MPS, credits.
    mutating func requested(_ command: SignallingCommand, _ pdu: borrowing Span<UInt8>, into answer: inout SignallingPDU) -> Step {
        guard let newSPSM = pdu.littleEndian16(at: 4), let endpoint = pdu.littleEndian16(at: 6), let newMTU = pdu.littleEndian16(at: 8),
            let newMPS = pdu.littleEndian16(at: 10), let credits = pdu.littleEndian16(at: 12), pdu.count == 14
        else { return .ignored }
        let result: UInt16
        if newSPSM != listened {
            result = 0x0002  // SPSM not supported
        } else if phase != .closed {
            result = endpoint == remoteID ? 0x000A : 0x0004  // source CID taken; no resources
        } else if !Self.dynamicIDs.contains(endpoint) {
            result = 0x0009  // source CID invalid
        } else if newMTU < Self.least || newMPS < Self.least {
            result = 0x000B  // unacceptable parameters
        } else {
            reset()
            remoteID = endpoint
            receiveCredits = Self.credits
            accept(newMTU, newMPS, credits)
            result = 0
        }
        let isOpen = result == 0
        Signalling.write(Signalling.creditConnectionResponse, command.identifier, into: &answer) {
            $0.append(littleEndian: isOpen ? Self.localID : 0)
            $0.append(littleEndian: isOpen ? Self.mtu : 0)
            $0.append(littleEndian: isOpen ? Self.mps : 0)
            $0.append(littleEndian: isOpen ? Self.credits : 0)
            $0.append(littleEndian: result)
        }
        return isOpen ? .opened : .nothing
    }

    /// A peer closes the channel: DCID, which is ours, and SCID. Another channel than this one is not ours to answer for.
    mutating func disconnected(_ command: SignallingCommand, _ pdu: borrowing Span<UInt8>, into answer: inout SignallingPDU) -> Step {
        guard phase == .open || phase == .closing, pdu.count == 8, pdu.littleEndian16(at: 4) == Self.localID,
            let endpoint = pdu.littleEndian16(at: 6)
        else { return .ignored }
        // Passed over without a word (Core Vol 3 Part A 4.6).
        guard endpoint == remoteID else { return .nothing }
        let tells = phase == .open || tellsEnd
        Signalling.write(Signalling.disconnectionResponse, command.identifier, into: &answer) {
            $0.append(littleEndian: Self.localID)
            $0.append(littleEndian: endpoint)
        }
        reset()
        return tells ? .closed : .nothing
    }

    /// A request was not answered.
    mutating func expired(_ now: Instant) -> Step {
        guard let due = deadline, now >= due else { return .ignored }
        switch phase {
        case .opening:
            reset()
            return .refused(.timedOut)
        case .closing: return ended()
        case .open, .closed:
            deadline = nil
            return .nothing
        }
    }
}

import Bluetooth

/// What the phone says, by State, by values and by a channel (mdoc.md sections 2.1 to 2.5).
extension LinkCore {
    mutating func receive(_ characteristic: MdocCharacteristic, _ value: borrowing Span<UInt8>) {
        guard isLinkUp, phase.rawValue >= Phase.opening.rawValue else { return note(.withoutLink) }
        guard bearer != .channel else { return note(.wrongBearer) }
        if characteristic == .state { return receiveState(MdocState(value)) }
        guard characteristic == bearer.incoming else { return note(.wrongCharacteristic) }
        guard mayReceive() else { return }
        noteProgress(octets: value.count)
        do throws(MessageFault) {
            if try FragmentAssembler.accept(value, into: &messages) { messageEnded() }
        } catch {
            fail(.malformed(error))
        }
    }

    /// A value that a phone wrote: only a gate that is the server takes any.
    mutating func receiveWritten(_ characteristic: MdocCharacteristic, _ value: borrowing Span<UInt8>) {
        guard bearer == .server else { return note(.wrongBearer) }
        receive(characteristic, value)
    }

    mutating func receiveChannel(_ octets: borrowing Span<UInt8>) {
        guard isLinkUp, phase.rawValue >= Phase.opening.rawValue else { return note(.withoutLink) }
        guard bearer == .channel else { return note(.wrongBearer) }
        guard octets.count > 0, mayReceive() else { return }
        let before = messages.waiting
        noteProgress(octets: octets.count)
        do throws(MessageFault) {
            try stream.accept(octets, into: &messages)
            guard messages.waiting > before else { return }
            messageEnded()
            // What follows a message in the same octets has begun now.
            if stream.isUnderWay { noteProgress(octets: 0) }
        } catch {
            fail(.malformed(error))
        }
    }

    /// How many octets a channel may bring: what credits are given for.
    var channelRoom: Int { phase == .open && bearer == .channel ? messages.room : 0 }

    private mutating func mayReceive() -> Bool {
        switch phase {
        case .open where hasAsked: return true
        case .closing: note(.afterEnd)
        // Nothing can be an answer yet. Its first fragment dropped, the rest would be taken for another message.
        default: fail(.unasked)
        }
        return false
    }

    private mutating func receiveState(_ state: MdocState?) {
        switch (phase, state) {
        case (.closing, _): note(.afterEnd)
        case (.opening, .end), (.open, .end): phoneEnded()
        case (.opening, .start) where bearer == .server: phoneStarted()
        case (.opening, nil) where bearer == .server && !hasStarted: fail(.wrongState)
        case (_, .start): note(.startTwice)
        default: note(.stateIgnored)
        }
    }

    /// The phone says that the session is over; nothing is left to say to it.
    mutating func phoneEnded() {
        if phase == .open, exchange == .answered {
            close(.complete)
        } else {
            fail(.phoneEnded)
        }
        disconnect()
        maySpeak = false
    }

    // MARK: an answer under way

    private mutating func noteProgress(octets: Int) {
        if !isReceiving {
            isReceiving = true
            responseDeadline = now.adding(milliseconds: patience.response)
            awaitProgress()
            if exchange == .awaiting {
                exchange = .answering
                phaseDeadline = nil
            }
        }
        freshValues += 1
        freshOctets += octets
        if freshValues >= patience.quota || freshOctets >= patience.quotaOctets { awaitProgress() }
    }

    /// Gives the phone its time for the next values.
    private mutating func awaitProgress() {
        progressDeadline = now.adding(milliseconds: patience.progress)
        freshValues = 0
        freshOctets = 0
    }

    /// A whole message waits. Whoever asked looks at it, and asks again or says the last word.
    private mutating func messageEnded() {
        stopReceiving()
        guard exchange == .awaiting || exchange == .answering else { return }
        exchange = .answered
        phaseDeadline = now.adding(milliseconds: patience.sending)
    }

    /// The oldest message was looked at.
    mutating func release() {
        messages.removeFirst()
        isFirstTold = false
    }
}

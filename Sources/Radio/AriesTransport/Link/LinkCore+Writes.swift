import Bluetooth

/// What a wallet writes. Requests are answered at once, but for one that comes before its invitation is out.
extension LinkCore {
    mutating func write(_ value: borrowing Span<UInt8>) -> ATTError? {
        switch phase {
        case _ where !isCommitted, .idle, .waiting, .linked:
            note(.writeOutOfTurn)
            return .unlikely
        case .inviting, .asked, .receiving: return take(value)
        case .judging, .answering, .answered, .closing: return drop(value)
        }
    }

    private mutating func take(_ value: borrowing Span<UInt8>) -> ATTError? {
        if phase == .asked { beginTransfer() }
        do throws(PieceFault) {
            let outcome = try assembler.accept(value)
            if outcome == .piece { noteProgress(value.count) }
            // A wallet that knows the invitation from the screen need not wait for it. What it writes is kept, and its answer held back:
            // the next request comes when that has gone.
            if phase == .inviting { isAnswerHeld = true } else if outcome == .message { messageReceived() }
            return nil
        } catch {
            fail(AriesFault(error))
            return error == .emptyMessage ? nil : .invalidValueLength
        }
    }

    /// Nothing of it is wanted: the visit has its message, or has failed.
    private mutating func drop(_ value: borrowing Span<UInt8>) -> ATTError? {
        guard assembler.isWhole else {
            note(.writeAfterFault)
            // A message that is too large is so to its end.
            return end == .failed ? .invalidValueLength : nil
        }
        do throws(PieceFault) {
            note(try assembler.accept(value) == .repeatedMarker ? .repeatedMarker : .messageAfterAnswer)
            return nil
        } catch {
            note(.messageAfterAnswer)
            return .invalidValueLength
        }
    }

    private mutating func noteProgress(_ octets: Int) {
        pieces += 1
        if pieces == 1 { events.append(.wantsSpeed) }
        freshOctets += octets
        if phase == .receiving, freshOctets >= patience.quota { awaitProgress() }
    }

    private mutating func beginTransfer() {
        phase = .receiving
        awaitProgress()
        transferDeadline = now.adding(milliseconds: patience.transfer)
    }

    /// Gives the wallet its time for the next octets: of each piece, two connection events, the request and the response.
    private mutating func awaitProgress() {
        let pieces = UInt64(max(0, patience.quota) / PieceSize.piece(mtu: mtu) + 1)
        phaseDeadline = now.adding(milliseconds: patient(patience.progress, events: 2 * pieces))
        freshOctets = 0
    }

    private mutating func messageReceived() {
        phase = .judging
        phaseDeadline = nil
        transferDeadline = nil
        events.append(.received)
    }

    // MARK: what goes out

    /// Writes the next piece to be indicated into `value`; false when none may go now.
    mutating func nextPush(into value: inout AttributeValue) -> Bool {
        guard isLinkUp, settledAt == nil, phase == .inviting || phase == .answering else { return false }
        return outbox.offer(mtu: mtu, into: &value)
    }

    /// The wallet confirmed the piece that was pushed last.
    mutating func confirmed(now: Instant) {
        self.now = now
        guard outbox.confirmed(), outbox.isDone else { return }
        switch phase {
        case .inviting: invited()
        case .answering:
            phase = .answered
            phaseDeadline = now.adding(milliseconds: patient(patience.leaving, events: 3))
        default: break
        }
    }

    private mutating func invited() {
        isInvited = true
        isAnswerHeld = false
        events.append(.asked)
        if assembler.isWhole {
            messageReceived()
        } else if pieces > 0 {
            beginTransfer()
        } else {
            phase = .asked
            phaseDeadline = now.adding(milliseconds: patience.consent)
        }
    }
}

import Bluetooth

/// From a link to where messages may go (mdoc.md sections 2.1, 2.3 and 2.4).
extension LinkCore {
    mutating func beginOpening() {
        phaseDeadline = now.adding(milliseconds: patience.opening)
        switch bearer {
        case .channel:
            step = .openChannel
            isChannelDue = true
            triedChannel = true
            channelDeadline = now.adding(milliseconds: patience.channel)
        case .client:
            step = .exchangeMTU
            isStepDue = true
        case .server: step = .start
        }
    }

    /// The session is open: the request may go.
    private mutating func open() {
        phase = .open
        exchange = .none
        asked = nil
        isStepDue = false
        isChannelDue = false
        channelDeadline = nil
        phaseDeadline = now.adding(milliseconds: patience.sending)
        isOpenedDue = true
    }

    // MARK: the gate is the server

    /// What the phone has subscribed to. It may do so before or after State says start: one waits for the other. State needs no
    /// subscription.
    mutating func subscribed(state: Bool, data: Bool, now: Instant) {
        self.now = now
        guard isLinkUp, bearer == .server else { return }
        stateSubscribed = state
        dataSubscribed = data
        openIfReady()
    }

    /// State said start, on a link that is opening.
    mutating func phoneStarted() {
        guard !hasStarted else { return note(.startTwice) }
        hasStarted = true
        step = .subscribeData
        openIfReady()
    }

    private mutating func openIfReady() {
        if phase == .opening, hasStarted, dataSubscribed { open() }
    }

    // MARK: the gate is the client

    mutating func answered(_ answeredStep: MdocStep, _ answer: MdocAnswer, now: Instant) {
        self.now = now
        guard phase == .opening, isLinkUp, bearer == .client, asked == answeredStep else { return note(.answerUnasked) }
        asked = nil
        if case .mtu(let agreed) = answer { mtu = max(AttributeServer.defaultMTU, agreed) }
        switch answeredStep.outcome(of: answer) {
        case .fail(let failure): fail(failure)
        case .goOn:
            step = answeredStep.next
            if step == .start { outbox.isStartDue = true } else { isStepDue = true }
        }
    }

    /// Start is on its way: the phone takes the link for its session's now.
    mutating func gateStarted() {
        hasStarted = true
        if phase == .opening { open() }
    }

    // MARK: the channel

    /// A channel that opens late is taken as long as State has not said start: many wallets have taken it for the session's already.
    mutating func channelOpened(now: Instant) {
        self.now = now
        guard phase == .opening, isLinkUp, triedChannel, bearer.isCentral, outbox.offered != .start else { return note(.channelUnasked) }
        bearer = .channel
        outbox.isStartDue = false
        open()
    }

    mutating func channelRefused(now: Instant) {
        self.now = now
        guard phase == .opening, isLinkUp, bearer == .channel else { return note(.channelUnasked) }
        becomeClient()
    }

    mutating func channelClosed(now: Instant) {
        self.now = now
        guard isLinkUp, bearer == .channel else { return note(.channelUnasked) }
        switch phase {
        case .opening: becomeClient()
        case .open: phoneEnded()
        case .closing: disconnect()
        case .idle, .seeking, .connecting: note(.channelUnasked)
        }
    }

    /// No channel: GATT on the same link, with all the time that it has without one.
    mutating func becomeClient() {
        bearer = .client
        isChannelDue = false
        channelDeadline = nil
        beginOpening()
    }
}

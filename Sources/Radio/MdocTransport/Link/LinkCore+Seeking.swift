import Bluetooth

/// From an engagement to a link: which way is tried, and which one after it (mdoc.md sections 1.2 and 5).
extension LinkCore {
    mutating func begin(_ offer: MdocOffer, _ preference: MdocPreference, now: Instant) throws(MdocLinkRefusal) {
        guard phase == .idle, toldAir == .rest, !isLinkUp else { throw .busy }
        guard let plan = MdocPlan(offer, preference) else { throw .noUsableBearer }
        wipe()
        self.now = now
        self.offer = offer
        second = plan.second
        seekDeadline = now.adding(milliseconds: timing.seeking)
        if second != nil { wayDeadline = now.adding(milliseconds: timing.firstWay) }
        seek(by: plan.first)
    }

    private mutating func seek(by bearer: MdocBearer) {
        forgetLink()
        outbox.wipe()
        self.bearer = bearer
        phase = .seeking
        air = bearer.isCentral ? .scan : .advertise
    }

    /// Tries the other way; false when there is none that was not tried.
    @discardableResult
    mutating func tryOtherWay() -> Bool {
        wayDeadline = nil
        guard let other = second else { return false }
        second = nil
        attempts = 0
        seek(by: other)
        return true
    }

    /// A link or a connection came to nothing: once more, or by the other way, until the time for all of it is over.
    private mutating func seekAgain() {
        guard let due = seekDeadline, now < due else { return fail(hadLink ? .linkLost : .noLink) }
        if bearer.isCentral, attempts >= timing.attempts {
            if !tryOtherWay() { fail(hadLink ? .linkLost : .noLink) }
            return
        }
        seek(by: bearer)
    }

    // MARK: the scanner

    mutating func found(now: Instant) {
        self.now = now
        guard phase == .seeking, bearer.isCentral, !isLinkUp else { return note(.foundUnasked) }
        phase = .connecting
        air = .connect
        phaseDeadline = now.adding(milliseconds: timing.connecting)
    }

    mutating func notConnected(now: Instant) {
        self.now = now
        guard phase == .connecting, !isLinkUp else { return note(.foundUnasked) }
        missed()
    }

    /// The phone that was found was not reached.
    mutating func missed() {
        attempts += 1
        seekAgain()
    }

    /// The search has ended without a word.
    mutating func searchLost() { if phase == .seeking, bearer.isCentral { toldAir = .rest } }

    // MARK: the link

    mutating func connected(asCentral: Bool, step shortening: UInt8, now: Instant) {
        self.now = now
        guard !isLinkUp else { return note(.linkUnexpected) }
        setLink(up: true)
        // A connection that crosses the word that it is given up is a connection.
        guard phase == .seeking || phase == .connecting, asCentral == bearer.isCentral else {
            note(.linkUnexpected)
            disconnect()
            return
        }
        hadLink = true
        patience = timing.shortened(by: shortening)
        // What was on the air has ended by itself.
        air = .rest
        toldAir = .rest
        phase = .opening
        beginOpening()
    }

    mutating func disconnected(now: Instant) {
        self.now = now
        guard isLinkUp else { return note(.linkUnexpected) }
        setLink(up: false)
        switch phase {
        case .idle: forgetLink()
        // That link was nobody's. What was on the air may have ended by it, and is told again.
        case .seeking, .connecting:
            toldAir = .rest
            seek(by: bearer)
        case .opening:
            attempts += 1
            seekAgain()
        case .open where exchange == .answered: finish(.complete)
        case .open: fail(.linkLost)
        case .closing: finish(end)
        }
    }

    mutating func mtuAgreed(_ newMTU: UInt16, now: Instant) {
        self.now = now
        guard isLinkUp else { return note(.withoutLink) }
        mtu = max(AttributeServer.defaultMTU, newMTU)
    }
}

import Bluetooth
import Cryptography
import Tuvali

/// A credential over Tuvali: the session on the link, the key of its one message, and what opens that.
public struct TuvaliPresentation: ~Copyable {
    public var session: Session
    private var derivation: KeyDerivation
    public private(set) var opener: MessageOpener
    /// The key of the one message, from Identify to its opening.
    private(set) var channelKey: Secret?
    /// Where the chunks are put together. Lent.
    private let message: UnsafeMutableRawBufferPointer
    private var pushed = AttributeValue()
    /// The link was asked to be fast.
    private var hasWantedSpeed = false

    /// - Parameters:
    ///   - storage: initialized; the session's for as long as this lives.
    ///   - message: room for the longest message; it outlives this.
    public init(
        storage: UnsafeMutablePointer<SessionStorage>, service: Service, message: UnsafeMutableRawBufferPointer, timing: SessionTiming
    ) throws(PresentationError) {
        let derivation: KeyDerivation
        do throws(CryptographyError) { derivation = try KeyDerivation() } catch { throw .cryptography(error) }
        let opener: MessageOpener
        do throws(OpeningError) { opener = try MessageOpener() } catch { throw .opening(error) }
        self.init(
            session: Session(storage: storage, service: service, buffer: message, timing: timing), derivation: derivation, opener: opener,
            message: message)
    }

    /// Apart from what may throw: Swift 6.2.3 breaks on an initializer that throws where properties have their defaults already.
    private init(
        session: consuming Session, derivation: consuming KeyDerivation, opener: consuming MessageOpener,
        message: UnsafeMutableRawBufferPointer
    ) {
        self.session = session
        self.derivation = derivation
        self.opener = opener
        self.message = message
    }

    // MARK: the verbs of every presentation

    /// - Parameter sharesLink: another service is offered beside this one.
    public mutating func begin(sharesLink: Bool = false, at now: Instant) -> Bool {
        do throws(ActionRefused) {
            try session.startAdvertisement(sharesLink: sharesLink, now: now)
            return true
        } catch {
            return false
        }
    }

    public mutating func take(_ event: HostEvent, intervalMicroseconds: UInt64, shortenedBy step: UInt8, at now: Instant) {
        switch event {
        case .connected:
            hasWantedSpeed = false
            session.connected(intervalMicroseconds: intervalMicroseconds, step: step, now: now)
        case .disconnected: session.disconnected(now: now)
        case .mtuExchanged(let mtu): session.mtuExchanged(mtu, now: now)
        case .ready, .confirmed, .fault: break
        // Of a phone that the gate looks for and connects to: never this wallet's.
        case .found, .scanEnded, .notConnected, .answered, .channelOpened, .channelRefused, .channelClosed: break
        }
    }

    public mutating func step(at now: Instant) -> PresentationStep? {
        while let event = session.nextEvent() {
            switch event {
            case .connected: break
            case .identified: return .committed
            case .received: if let step = open(at: now) { return step }
            case .failed(let error): return .failed(error)
            case .disconnectNow: return .wants(.rest)
            case .advertiseAgain(let end): return .released(end)
            case .ended(let end): return .ended(end)
            }
        }
        guard session.isTransferring, !hasWantedSpeed else { return nil }
        hasWantedSpeed = true
        return .wants(.speed)
    }

    public mutating func tell(_ isAccepted: Bool, at now: Instant) -> Bool { session.decide(accepted: isAccepted, now: now) }

    public mutating func stop(at now: Instant) -> Bool { session.stop(now: now) != nil }

    public mutating func end() {
        channelKey = nil
        session.reset()
        opener.wipe()
    }

    public mutating func wipe() {
        end()
        Cryptography.wipe(message)
    }

    // MARK: the link

    /// The packet goes through the host into the session.
    public mutating func receive(_ packet: borrowing Span<UInt8>, through host: inout Host, at now: Instant) -> HostEvent? {
        session.advance(to: now)
        let event = host.receive(packet, now: now, to: &session)
        // What the packet said of the link counts for what follows from it.
        session.advance(to: now, intervalMicroseconds: host.connectionIntervalMicroseconds)
        return event
    }

    /// What a phone sent before the controller told of its link; ask until there is no event.
    public mutating func receiveEarlyData(through host: inout Host, at now: Instant) -> HostEvent? {
        session.advance(to: now, intervalMicroseconds: host.connectionIntervalMicroseconds)
        return host.receiveEarlyData(now: now, to: &session)
    }

    /// Hands what the wallet has to be told to the link, as fast as it takes it.
    public mutating func push(to host: inout Host, at now: Instant) {
        if session.isReportDelayed, host.isSubscribed(session.service.handle(.transferReportResponse)) { session.reportAtOnce() }
        while let characteristic = session.nextPush(into: &pushed) {
            let handle = session.service.handle(characteristic)
            switch host.push(handle, pushed.storage.span.extracting(0..<pushed.count), now: now) {
            case .busy, .notConnected: return
            // What the link will never take must not hold up what comes after it.
            case .notified, .indicated, .unknownHandle, .notSubscribed, .tooLong: session.didPush(characteristic, now: now)
            }
        }
    }

    public var report: PresentationReport {
        PresentationReport(
            missed: session.missed, mtu: session.attributeMTU, pieces: session.totalChunks, checksumFailures: session.checksumFailures,
            size: session.messageSize)
    }

    // MARK: the message

    /// Both sides' keys make the key of the wallet's message (tuvali.md section 5).
    public mutating func agree(with key: inout KeyAgreement, at now: Instant) {
        do throws(CryptographyError) {
            let walletKey = session.walletKey
            let secret = try key.agree(with: walletKey.span)
            channelKey = try derivation.derive(32, from: secret, salt: Self.salt.span, info: Self.info.span)
            // The private key has done its work.
            key.forget()
            session.secureChannelEstablished(now: now)
        } catch {
            session.fail(.peripheralFailed, now: now)
        }
    }

    /// `SHA-256`
    private static var salt: InlineArray<7, UInt8> { [0x53, 0x48, 0x41, 0x2D, 0x32, 0x35, 0x36] }
    /// `SKVerifier`: data to the verifier is encrypted with the verifier's key.
    private static var info: InlineArray<10, UInt8> { [0x53, 0x4B, 0x56, 0x65, 0x72, 0x69, 0x66, 0x69, 0x65, 0x72] }

    private mutating func open(at now: Instant) -> PresentationStep? {
        let size = session.messageSize
        // Out of its place for the call: two parts of this cannot be lent at once. It is not wanted afterwards.
        guard let key = channelKey.take(), size > 0, size <= message.count else {
            session.fail(.transferFailed, now: now)
            return nil
        }
        let nonce = session.nonce
        let whole = UnsafeMutableRawBufferPointer(rebasing: message[..<size])
        // The compressed text is not wanted any more, and the wallet may stay for a while.
        defer { Cryptography.wipe(whole) }
        do throws(OpeningError) {
            _ = try opener.open(whole, key: key, nonce: nonce.span)
            return .presented
        } catch {
            return .unopened(error)
        }
    }

    /// Lends the message that lies open; `body` must not keep it.
    public borrowing func withMessage<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try opener.withPayload(body)
    }

    /// The message has been read.
    public mutating func forgetMessage() { opener.wipe() }
}

@testable import Bluetooth
@testable import Cryptography
@testable import Faces
@testable import Presentation
@testable import Tuvali
@testable import Visit

/// The whole gate, with a wallet that knows the key it was shown.
struct GateSide: Peripheral, ~Copyable {
    private var gate: Gatekeeper
    private let needsFace: Bool
    /// Whether the shell decides about a face; otherwise the gate's own patience ends.
    private let decides: Bool
    private let wall: Int64 = Issuer.now
    private var mustVerify = false
    private var fault: RecoveryStep?
    private var unused = PacketFrame()

    private static let walletSecret: [UInt8] = (1...32).map { UInt8($0) }
    private static let nonce = [UInt8](repeating: 9, count: 12)
    nonisolated(unsafe) private static var wallet: KeyAgreement = { try! KeyAgreement(privateKey: walletSecret.span) }()
    nonisolated(unsafe) private static var key = [UInt8](repeating: 0, count: 32)
    nonisolated(unsafe) private static var derivation: KeyDerivation = { try! KeyDerivation() }()
    nonisolated(unsafe) private static var cipher: AuthenticatedCipher = { try! AuthenticatedCipher() }()

    init(_ version: WireVersion, needsFace: Bool, decides: Bool) {
        self.needsFace = needsFace
        self.decides = decides
        var policy = Policy()
        policy.face = needsFace ? .required : .off
        policy.takesCodes = true
        policy.copiesWithoutFace = ["*"]
        let name: VerifierName, gate: Gatekeeper
        do {
            name = try VerifierName([0x47].span)
            gate = try Gatekeeper(name: name, version: version, trust: Issuer.trust, policy: policy)
        } catch {
            fatalError("\(error)")
        }
        self.gate = gate
    }

    // Work that waits is done as soon as time passes.
    var deadline: Instant? { mutating get { mustVerify ? Instant(nanoseconds: 0) : gate.deadline } }
    var sight: Sight { Sight(gate.host, gate.presentations.tuvali.session) }

    private func time(_ now: Instant) -> Now { Now(monotonic: now, wall: wall) }

    mutating func open(_ now: Instant) { gate.linkOpened(at: time(now)) }
    mutating func close(_ now: Instant) {
        gate.linkLost(at: time(now))
        act(now)
    }
    mutating func takeFault() -> RecoveryStep? { fault.take() }

    mutating func receive(_ packet: borrowing Span<UInt8>, _ now: Instant) {
        gate.receive(packet, at: time(now))
        act(now)
    }

    mutating func next(into frame: inout PacketFrame, _ now: Instant) -> Bool {
        while let action = gate.nextAction(into: &frame, maySend: true, at: time(now)) {
            if case .send = action { return true }
            perform(action, now)
        }
        return false
    }

    mutating func expire(_ now: Instant) {
        if mustVerify {
            mustVerify = false
            gate.verify(at: time(now))
        }
        gate.expire(at: time(now))
        act(now)
    }

    /// Everything but packets.
    private mutating func act(_ now: Instant) {
        while let action = gate.nextAction(into: &unused, maySend: false, at: time(now)) { perform(action, now) }
    }

    private mutating func perform(_ action: Action, _ now: Instant) {
        switch action {
        case .compare(let request):
            require(needsFace && !request.portrait.isEmpty, "a face is asked for where the policy wants one, with a portrait")
            guard decides else { return }
            let decision: FaceOutcome.Decision = request.number % 3 == 0 ? .refused(.noMatch, .below) : .bound(.above)
            gate.faceDecided(FaceOutcome(decision: decision, frames: 3, compared: 3, isTrial: true), of: request.number, at: time(now))
        case .store(let record):
            if record.outcome == .accepted {
                require(record.issuer == Issuer.id && record.reasons.isEmpty, "only the trusted issuer opens the gate")
                require(record.presentation == .tuvali || record.mtu == 0 && record.chunks == 0, "a code has no link")
            }
            require(record.outcome != .accepted || !needsFace || record.isHolderBound == true, "no face, no entry")
            gate.recordStored(true, of: record.visit, at: time(now))
        case .recover(_, let step): fault = step
        case .verify: mustVerify = true
        case .camera(let isOn): require(needsFace || !isOn, "a camera is on where the policy wants one")
        case .codes(let isWanted): require(isWanted != gate.presentations.isCommitted, "codes are wanted while nobody has committed")
        case .count, .light, .verdict, .supervisor, .show, .sign, .send, .radio, .stopped: break
        }
    }

    mutating func look(_ code: Code, _ now: Instant) {
        let text: [UInt8] =
            switch code {
            case .nothing: []
            case .own: gate.withURI { uri in uri.indices.map { uri[$0] } } ?? []
            case .text(let text): text
            // In a wrapper that nobody signed, which makes another code of the same credential.
            case .good(let number): Array("{\"n\":\(number),\"verifiableCredential\":\"\(Issuer.text(Issuer.signed[0].text))\"}".utf8)
            }
        let isIdentified = gate.presentations.current == .tuvali, taken = gate.codes.taken
        gate.read(code: text.span, at: time(now))
        require(!isIdentified || gate.codes.taken == taken, "whoever has identified is not disturbed by a code")
        if case .own = code { require(gate.codes.taken == taken, "the gate does not read its own code") }
        act(now)
    }

    mutating func identify() -> [UInt8] {
        let shown = gate.offer.key.publicKey
        // Behind Identify the gate has forgotten its key, and the wallet's first one stays.
        if shown.span.indices.contains(where: { shown[$0] != 0 }) {
            do { Self.key = try Self.agreed(shown) } catch { fatalError("\(error)") }
        }
        return Self.nonce + (0..<32).map { Self.wallet.publicKey[$0] }
    }

    private static func agreed(_ peer: InlineArray<32, UInt8>) throws -> [UInt8] {
        let secret = try wallet.agree(with: peer.span)
        let key = try derivation.derive(32, from: secret, salt: Array("SHA-256".utf8).span, info: Array("SKVerifier".utf8).span)
        return key.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// The text as a wallet sends it: one gzip member, sealed under the visit's key. A text that begins with `G` stands
    /// for a good credential, one that begins with `Z` for a member that is what follows.
    mutating func sealed(_ text: [UInt8]) -> [UInt8] {
        let member =
            switch text.first {
            case UInt8(ascii: "G"): gzip(Issuer.good)
            case UInt8(ascii: "Z"): Array(text.dropFirst())
            default: gzip(text)
            }
        var message = member + [UInt8](repeating: 0, count: 16)
        do {
            try message.withUnsafeMutableBytes { try Self.cipher.seal($0, key: Self.key.span, nonce: Self.nonce.span) }
        } catch {
            fatalError("\(error)")
        }
        return message
    }
}

func fuzzGate(_ octets: UnsafeBufferPointer<UInt8>) {
    let setup = octets.first ?? 0
    var air = Air(GateSide(setup & 0x80 == 0 ? .v05 : .v04, needsFace: setup & 0x20 != 0, decides: setup & 0x40 == 0), setup: setup)
    air.play(octets)
}

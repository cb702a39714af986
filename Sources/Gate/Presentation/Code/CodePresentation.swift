import Bluetooth
import Credentials
import Cryptography

/// A credential in a code before the camera: it comes whole, in one frame, and the verdict goes back by light alone.
///
/// There is no key, no session and nobody to be asked to leave; so there are no steps. What there is instead is a memory: a code does not
/// go away when it has been read.
public struct CodePresentation: ~Copyable {
    /// What a frame has shown.
    public enum Sight: Hashable, Sendable {
        /// Nothing that anything follows from.
        case nothing
        /// Somebody holds up a code that is not for this gate: the screen says so for a while.
        case stranger
        /// A code to be looked into.
        case new
    }

    private enum Content {
        case none
        case credential(ReceivedCredential)
        case refused(RejectReason)
    }

    /// As the gate's code for Trusted Key wallets begins; empty where it has none.
    public var walletLink: [UInt8] = []
    private var memory: CodeMemory
    private var content = Content.none
    private var size = 0
    /// Until when the screen says that the code is not for this gate.
    public private(set) var strangerUntil: Instant?
    public private(set) var counters = CodeCounters()

    /// As long as the screen says it; shorter than a visitor needs to come.
    static var strangerMilliseconds: UInt64 { 4_000 }

    /// - Parameter places: lent; of `CodeMemory.capacity`, initialized, and of nobody else's use for as long as this lives.
    public init(places: UnsafeMutableBufferPointer<CodeMemory.Place>) throws(PresentationError) {
        let memory: CodeMemory
        do throws(CryptographyError) { memory = try CodeMemory(places) } catch { throw .cryptography(error) }
        self.init(memory)
    }

    /// Apart from what may throw, as in `TuvaliPresentation`.
    private init(_ memory: consuming CodeMemory) { self.memory = memory }

    // MARK: looks

    /// A frame was looked at.
    ///
    /// - Parameters:
    ///   - text: empty where there was no code.
    ///   - mayBegin: nothing else is under way. Otherwise the look only says which codes are still there.
    public mutating func see(_ text: Span<UInt8>, mayBegin: Bool, at now: Instant) -> Sight {
        // The gate's own code in a mirror or a pane of glass, this one, the one before, or another gate's: no digest is made of it.
        let isOffer = isOffer(text)
        if isOffer {
            CodeCounters.count(&counters.own)
            memory.seeOther()
            return .nothing
        }
        if text.isEmpty {
            memory.seeNothing()
            return .nothing
        }
        guard text.count <= CodeContent.longest else {
            CodeCounters.count(&counters.nothing)
            memory.seeOther()
            return .nothing
        }
        switch memory.see(text, mayBegin: mayBegin, at: now) {
        case .known, nil: return .nothing
        case .lasting:
            strangerUntil = now.adding(milliseconds: Self.strangerMilliseconds)
            return .stranger
        case .new: return mayBegin ? .new : .nothing
        }
    }

    /// The code is ignored: it is counted, and there is no record.
    public mutating func ignore(_ text: Span<UInt8>, _ what: IgnoredCode, at now: Instant) {
        switch what {
        case .foreign: CodeCounters.count(&counters.foreign)
        case .nothing: CodeCounters.count(&counters.nothing)
        case .damaged: CodeCounters.count(&counters.damaged)
        }
        memory.ignore(text, isTold: what != .foreign, at: now)
    }

    // MARK: the visit

    /// The code is taken up.
    public mutating func commit(_ text: Span<UInt8>, _ credential: consuming ReceivedCredential, at now: Instant) {
        begin(text, isEngagement: false, now)
        content = .credential(credential)
    }

    /// The code is taken up, to be refused by name.
    public mutating func commit(_ text: Span<UInt8>, refused reason: RejectReason, isEngagement: Bool, at now: Instant) {
        begin(text, isEngagement: isEngagement, now)
        content = .refused(reason)
    }

    /// The code is the engagement of a phone, which is answered elsewhere: here it is only remembered, for as long as a phone may show it.
    public mutating func note(engagement text: Span<UInt8>, at now: Instant) { begin(text, isEngagement: true, now) }

    /// The code is a wallet's answer, which is judged elsewhere: here it is only remembered, as any code that was judged.
    public mutating func note(answer text: Span<UInt8>, at now: Instant) { begin(text, isEngagement: false, now) }

    private mutating func begin(_ text: Span<UInt8>, isEngagement: Bool, _ now: Instant) {
        CodeCounters.count(&counters.taken)
        memory.take(text, isEngagement: isEngagement, at: now)
        size = text.count
        strangerUntil = nil
    }

    /// What was read, once.
    public mutating func takeCredential() throws(RejectReason) -> ReceivedCredential {
        let taken = content
        content = .none
        switch taken {
        case .credential(let credential): return credential
        case .refused(let reason): throw reason
        case .none: throw .credentialMissing
        }
    }

    /// The visit is over, with this verdict.
    ///
    /// - Returns: whether the code was not rejected before for what would be so again.
    public mutating func end(isLasting: Bool) -> Bool {
        end()
        return memory.end(isLasting: isLasting)
    }

    /// Forgets the credential, where nobody has taken it.
    mutating func end() {
        if case .credential(var credential) = content {
            content = .none
            credential.wipe()
        }
        content = .none
        size = 0
    }

    /// As `end`, and every code is forgotten.
    public mutating func wipe() {
        end()
        strangerUntil = nil
        memory.forget()
    }

    /// Other issuers are believed.
    public mutating func pardon() { memory.pardon() }

    public var report: PresentationReport { PresentationReport(missed: nil, mtu: 0, pieces: 0, checksumFailures: 0, size: size) }

    /// Nothing of any code is left.
    public var isForgotten: Bool {
        if case .none = content { memory.isEmpty } else { false }
    }

    public mutating func expire(at now: Instant) {
        if let until = strangerUntil, now >= until { strangerUntil = nil }
    }

    /// What this gate, and every other, has on its screen: `OPENID4VP:` and `didcomm:` in any case, and the site's own wallet link.
    private func isOffer(_ text: Span<UInt8>) -> Bool {
        Self.begins(text, with: "openid4vp:") || Self.begins(text, with: "didcomm:")
            || (!walletLink.isEmpty && Self.begins(text, with: walletLink.span))
    }

    private static func begins(_ text: Span<UInt8>, with scheme: StaticString) -> Bool {
        scheme.withUTF8Buffer { begins(text, with: $0.span) }
    }

    /// ASCII letters in any case.
    private static func begins(_ text: Span<UInt8>, with start: Span<UInt8>) -> Bool {
        guard text.count >= start.count else { return false }
        for index in 0..<start.count where lower(text[index]) != lower(start[index]) { return false }
        return true
    }

    private static func lower(_ octet: UInt8) -> UInt8 { (0x41...0x5A).contains(octet) ? octet | 0x20 : octet }
}

/// What codes the gate has seen since its start, each once for each time it came into sight.
public struct CodeCounters: Hashable, Sendable {
    /// A visit began with it.
    public var taken: UInt64 = 0
    /// Frames with this gate's or another's own code.
    public var own: UInt64 = 0
    /// Somebody else's: a web address, a ticket.
    public var foreign: UInt64 = 0
    /// No credential, or frames with more than a code can hold.
    public var nothing: UInt64 = 0
    /// It looks like a credential, and does not decode.
    public var damaged: UInt64 = 0

    public init() {}

    static func count(_ counter: inout UInt64) { if counter < .max { counter += 1 } }
}

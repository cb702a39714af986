import CBOR
import Cryptography

/// The gate's side of a session, from a phone's engagement to the end of the link (mdoc.md section 3). Octets in, octets out: it knows no
/// link and no clock.
///
/// Whatever fails is final, and wipes the keys of both directions. The gate's ephemeral key stays until `forget`, because a document that
/// is proven by a MAC needs it (mdoc.md section 6).
public struct ReaderSession: ~Copyable {
    public let transcript: SessionTranscript
    /// EReaderKeyBytes, `#6.24(bstr COSE_Key)`.
    public let readerKeyBytes: [UInt8]
    /// A request was sent that the phone has not answered.
    public private(set) var isAwaitingResponse = false

    private var pair: CurveAgreement
    private var isEstablished = false
    private var isOver = false
    /// Of both directions. Tests look at them.
    var keys: SessionKeys

    /// A session with a key of its own. Throws `unavailable`.
    public init(_ engagement: DeviceEngagement) throws(SessionError) {
        let pair: CurveAgreement
        do throws(CryptographyError) {
            pair = try CurveAgreement(engagement.curve)
        } catch {
            throw .unavailable
        }
        try self.init(engagement, pair: pair)
    }

    /// A session with a known key, for tests and recorded sessions. Throws `otherCurve`, `unavailable`.
    public init(_ engagement: DeviceEngagement, pair: consuming CurveAgreement) throws(SessionError) {
        try self.init(engagement.octets, engagement.point, .code, pair)
    }

    /// A session whose engagement may have come by another way than a code. Throws `otherCurve`, `unavailable`.
    init(
        _ engagement: [UInt8], _ phone: CurvePoint, _ handover: SessionTranscript.Handover, _ pair: consuming CurveAgreement
    ) throws(SessionError) {
        guard pair.curve == phone.curve else { throw .otherCurve }
        let readerKey = CBOREncoding.embedded(SessionKey.encode(pair.curve, point: pair.point))
        let transcript = SessionTranscript(engagement: engagement, readerKey: readerKey, handover: handover)
        let keys: SessionKeys
        do throws(CryptographyError) {
            let secret = try pair.agree(with: phone)
            keys = try SessionKeys(sharing: secret, salt: try transcript.salt())
        } catch {
            throw .unavailable
        }
        self.init(transcript, readerKey, pair, keys)
    }

    private init(_ transcript: SessionTranscript, _ readerKey: [UInt8], _ pair: consuming CurveAgreement, _ keys: consuming SessionKeys) {
        self.transcript = transcript
        readerKeyBytes = readerKey
        self.pair = pair
        self.keys = keys
    }

    // MARK: the gate asks

    /// SessionEstablishment, the first message of the session, with a DeviceRequest in it.
    public mutating func establishment(request: Span<UInt8>) throws(SessionError) -> [UInt8] {
        guard !isEstablished else { throw .alreadyEstablished }
        let data = try seal(request)
        isEstablished = true
        return SessionData.establishment(readerKey: readerKeyBytes, data: data)
    }

    /// SessionData with another DeviceRequest, once the phone has answered the one before or the gate has given it up.
    public mutating func request(_ request: Span<UInt8>) throws(SessionError) -> [UInt8] {
        guard isEstablished else { throw .notEstablished }
        guard !isAwaitingResponse else { throw .requestInProgress }
        return SessionData.encode(try seal(request))
    }

    /// Nobody has answered in time. The session goes on: an answer that still comes is opened, and counts as not awaited.
    public mutating func giveUp() { isAwaitingResponse = false }

    private mutating func seal(_ request: Span<UInt8>) throws(SessionError) -> [UInt8] {
        guard !isOver else { throw .over }
        do throws(SessionError) {
            let data = try keys.reader.seal(request)
            isAwaitingResponse = true
            return data
        } catch {
            // A request too long was never begun.
            if error != .tooLong { close() }
            throw error
        }
    }

    // MARK: the phone answers

    /// Opens a message of the phone. Throws how the session has ended with it; `answer` of the error is what is to be sent.
    public mutating func open(_ sessionData: Span<UInt8>) throws(SessionEnd) -> SessionMessage {
        guard !isOver else { throw .over }
        do throws(SessionEnd) {
            guard let message = SessionData(sessionData) else { throw .undecodable }
            guard let data = message.data else { throw .ended(message.status ?? .termination) }
            let plaintext = try keys.device.open(data)
            let isAwaited = isAwaitingResponse
            isAwaitingResponse = false
            // Data and a status in one message: first the answer, then the end.
            if message.status != nil { close() }
            return SessionMessage(plaintext: plaintext, status: message.status, isAwaited: isAwaited)
        } catch {
            close()
            throw error
        }
    }

    /// The key of a device's MAC over this session, from the phone's key in a document (mdoc.md section 6), 32 octets. It can be derived
    /// after the end of the session too, until `forget`. Throws `algorithmMismatch` for a key of another curve, `keyForgotten`,
    /// `unavailable`.
    public borrowing func deviceMACKey(for deviceKey: CurvePoint) throws(CryptographyError) -> Secret {
        let secret = try pair.agree(with: deviceKey)
        let salt = try transcript.salt(), info = Array("EMacKey".utf8)
        var derivation = try KeyDerivation()
        return try derivation.derive(Self.macKeyLength, from: secret, salt: salt.span, info: info.span)
    }

    private static let macKeyLength = 32

    // MARK: the end

    /// Ends the session and wipes its keys. Returns the message that tells the phone; nil where the session was over, or was never begun.
    public mutating func end(_ status: SessionStatus = .termination) -> [UInt8]? {
        guard !isOver else { return nil }
        close()
        return isEstablished ? SessionData.encode(status) : nil
    }

    /// Whether it has ended, by whichever side.
    public var hasEnded: Bool { isOver }

    /// Wipes everything that is secret, the gate's ephemeral key too.
    public mutating func forget() {
        close()
        pair.forget()
    }

    private mutating func close() {
        isOver = true
        isAwaitingResponse = false
        keys.reader.forget()
        keys.device.forget()
    }
}

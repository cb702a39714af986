/// What the gate answers to what was posted, by its number. The listener makes the words of HTTP of it.
public enum GateWord: Hashable, Sendable {
    /// A message for the wallet, in an envelope or plain: 200.
    case message([UInt8])
    /// A verdict on a Trusted Key answer: 200.
    case accepted, rejected
    /// It is taken, and there is nothing to be said: 202.
    case taken
    /// It is no message, no answer, or not for this visit: 400.
    case malformed
    /// Nobody is invited, or somebody came first: 410.
    case gone

    /// Octets of the longest message: an acknowledgement in an envelope has fewer than two thousand.
    public static var mostMessage: Int { 8 << 10 }
    /// Octets of the longest word with its head.
    public static var most: Int { MessageHead.size + mostMessage }

    private static var firstType: UInt16 { 0x8000 }

    private var type: UInt16 {
        let place: UInt16 =
            switch self {
            case .message: 0
            case .accepted: 1
            case .rejected: 2
            case .taken: 3
            case .malformed: 4
            case .gone: 5
            }
        return Self.firstType + place
    }

    /// - Throws: `wrongNumber` for 0, `wrongLength` for a message of no octets or too many.
    public func octets(number: UInt32) throws(ListenerError) -> [UInt8] {
        guard number != 0 else { throw .wrongNumber }
        var payload: [UInt8] = []
        if case .message(let octets) = self {
            guard 1...Self.mostMessage ~= octets.count else { throw .wrongLength }
            payload = octets
        }
        return MessageHead(length: UInt32(payload.count), type: type, number: number).octets + payload
    }

    /// Takes the first word off what came from the gate.
    ///
    /// - Returns: the word, its number, and how many octets it had; nil where it is not all there.
    public static func first(
        of octets: borrowing Span<UInt8>
    ) throws(ListenerError) -> (word: GateWord, number: UInt32, count: Int)? {
        guard octets.count >= MessageHead.size else { return nil }
        let head = try MessageHead(decoding: octets)
        guard head.type >= firstType, head.type <= firstType + 5 else { throw .unknownType }
        guard head.number != 0 else { throw .wrongNumber }
        let isMessage = head.type == firstType
        guard isMessage ? 1...UInt32(mostMessage) ~= head.length : head.length == 0 else { throw .wrongLength }
        let end = MessageHead.size + Int(head.length)
        guard octets.count >= end else { return nil }
        let word: GateWord
        switch head.type - firstType {
        case 0:
            var message: [UInt8] = []
            message.reserveCapacity(Int(head.length))
            for index in MessageHead.size..<end { message.append(octets[index]) }
            word = .message(message)
        case 1: word = .accepted
        case 2: word = .rejected
        case 3: word = .taken
        case 4: word = .malformed
        default: word = .gone
        }
        return (word, head.number, end)
    }
}

/// What the listener says. The gate takes all of it for a stranger's.
public enum ListenerWord: Hashable, Sendable {
    /// It is confined and answers from now on; said once, before everything else.
    case ready
    /// Somebody posted something. Its octets follow in the same message: so many of the target, then the body.
    case posted(Posted)
    /// How many requests were refused since the last word about it.
    case refused(Refusals)

    /// What a request brought.
    public struct Posted: Hashable, Sendable {
        public var kind: PostedKind
        /// Its connection's, until it is answered; never 0.
        public var number: UInt32
        /// Octets of the target; 0 of an envelope.
        public var targetCount: Int
        /// Octets of the body; 0 of a query.
        public var bodyCount: Int

        public init(kind: PostedKind, number: UInt32, targetCount: Int, bodyCount: Int) {
            self.kind = kind
            self.number = number
            self.targetCount = targetCount
            self.bodyCount = bodyCount
        }
    }

    enum Kind {
        static var ready: UInt16 { 0x0001 }
        static var refused: UInt16 { 0x0002 }
        /// With the kind of what was posted.
        static var posted: UInt16 { 0x0010 }
    }

    /// Octets of the longest target, and of the longest body.
    public static var mostTarget: Int { 16 << 10 }
    public static var mostEnvelope: Int { 512 << 10 }
    public static var mostAnswer: Int { 64 << 10 }
    /// Octets of target and body of the longest message.
    public static var mostContent: Int { mostEnvelope }
    /// Octets of the longest head with what follows it before target and body.
    public static var mostHead: Int { MessageHead.size + max(4, Refusals.size) }

    /// The octets before target and body.
    ///
    /// - Throws: what the gate would.
    public func head() throws(ListenerError) -> [UInt8] {
        switch self {
        case .ready: return MessageHead(length: 0, type: Kind.ready, number: 0).octets
        case .refused(let refusals):
            return MessageHead(length: UInt32(Refusals.size), type: Kind.refused, number: 0).octets + refusals.octets
        case .posted(let posted):
            try posted.check()
            let length = UInt32(clamping: 4 + posted.targetCount + posted.bodyCount)
            let head = MessageHead(length: length, type: Kind.posted + UInt16(posted.kind.rawValue), number: posted.number)
            return head.octets + Little.octets(UInt32(clamping: posted.targetCount))
        }
    }

    /// What a head is followed by before the message is understood: the octets of its payload that are no target and no body.
    ///
    /// - Throws: `cutOff`, `wrongVersion`, `unknownType`, `wrongLength`, `wrongNumber`: nothing more is read then.
    public static func rest(after head: borrowing Span<UInt8>) throws(ListenerError) -> Int {
        let read = try MessageHead(decoding: head)
        switch read.type {
        case Kind.ready:
            guard read.length == 0 else { throw .wrongLength }
        case Kind.refused:
            guard read.length == UInt32(Refusals.size) else { throw .wrongLength }
        default:
            guard PostedKind(type: read.type) != nil else { throw .unknownType }
            guard read.number != 0 else { throw .wrongNumber }
            guard read.length >= 4, read.length <= UInt32(4 + mostContent) else { throw .wrongLength }
            return 4
        }
        guard read.number == 0 else { throw .wrongNumber }
        return Int(read.length)
    }

    /// - Parameter octets: a head, and as many octets as `rest` said.
    public init(decoding octets: borrowing Span<UInt8>) throws(ListenerError) {
        let count = try Self.rest(after: octets), read = try MessageHead(decoding: octets)
        guard octets.count == MessageHead.size + count else { throw .cutOff }
        switch read.type {
        case Kind.ready: self = .ready
        case Kind.refused: self = .refused(Refusals(octets))
        default:
            guard let kind = PostedKind(type: read.type) else { throw .unknownType }
            let target = Int(Little.word(octets, MessageHead.size)), content = Int(read.length) - 4
            guard target <= content else { throw .wrongLength }
            let posted = Posted(kind: kind, number: read.number, targetCount: target, bodyCount: content - target)
            try posted.check()
            self = .posted(posted)
        }
    }
}

extension ListenerWord.Posted {
    /// Each kind has what it has, within its limits.
    func check() throws(ListenerError) {
        guard number != 0 else { throw .wrongNumber }
        let fits =
            switch kind {
            case .envelope: targetCount == 0 && 1...ListenerWord.mostEnvelope ~= bodyCount
            case .query: 1...ListenerWord.mostTarget ~= targetCount && bodyCount == 0
            case .form, .json: 1...ListenerWord.mostTarget ~= targetCount && 1...ListenerWord.mostAnswer ~= bodyCount
            }
        guard fits else { throw .wrongLength }
    }
}

/// What was posted, and how it is to be read.
public enum PostedKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A DIDComm envelope (aries.md section 6).
    case envelope = 0
    /// A Trusted Key answer in the target's query (trustedkey.md section 2B).
    case query = 1
    /// The same as the body of a form, or as a JSON text.
    case form = 2
    case json = 3

    init?(type: UInt16) {
        guard type >= ListenerWord.Kind.posted, let kind = UInt8(exactly: type - ListenerWord.Kind.posted) else { return nil }
        self.init(rawValue: kind)
    }
}

/// Requests that were refused, by the status they were answered with. What does not fit is the most there is.
public struct Refusals: Hashable, Sendable {
    /// The statuses that are counted, in the order of the message.
    public static let statuses: [UInt16] = [400, 404, 405, 408, 411, 413, 414, 415, 431, 503]
    static var size: Int { 4 * 10 }

    private var counts = [UInt32](repeating: 0, count: Refusals.statuses.count)

    public init() {}

    init(_ message: borrowing Span<UInt8>) {
        for index in counts.indices { counts[index] = Little.word(message, MessageHead.size + 4 * index) }
    }

    /// Of a status that is not counted, nothing is.
    public mutating func count(_ status: UInt16) {
        guard let index = Self.statuses.firstIndex(of: status), counts[index] < .max else { return }
        counts[index] += 1
    }

    public mutating func add(_ other: Refusals) {
        for index in counts.indices { counts[index] = UInt32(clamping: UInt64(counts[index]) + UInt64(other.counts[index])) }
    }

    public var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

    /// Status and count of each that was.
    public var list: [(status: UInt16, count: UInt32)] {
        zip(Self.statuses, counts).filter { $0.1 > 0 }.map { (status: $0.0, count: $0.1) }
    }

    var octets: [UInt8] { counts.flatMap { Little.octets($0) } }
}

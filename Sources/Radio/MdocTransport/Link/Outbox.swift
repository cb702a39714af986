import Bluetooth

/// What leaves: a request, a last word, and what State says. One after the other, and never one inside the other.
struct Outbox: ~Copyable {
    enum Item: UInt8 {
        case none, start, request, word, end
    }

    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0
    private var word = OctetBuffer<64>()
    private var fragments = FragmentCutter()
    private var stream = StreamCutter()
    private var touched = 0
    /// What State has to say.
    var isStartDue = false
    var isEndDue = false
    private(set) var hasRequest = false
    private(set) var hasWord = false
    /// What was offered last and is not sent.
    private(set) var offered = Item.none

    init(memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    /// The longest request that is taken.
    var longest: Int { min(memory.count, MessageSize.longestRequest) }
    var isEmpty: Bool { !isStartDue && !isEndDue && !hasRequest && !hasWord }

    /// Takes a request; false, and nothing changed, where it is too long.
    mutating func put(request: borrowing Span<UInt8>) -> Bool {
        guard request.count <= longest else { return false }
        request.withUnsafeBytes { from in
            guard let source = from.baseAddress, let base = memory.baseAddress else { return }
            base.copyMemory(from: source, byteCount: from.count)
        }
        count = request.count
        touched = max(touched, count)
        hasRequest = true
        beginCutting(count)
        return true
    }

    /// Takes the last word; false, and nothing changed, where it is too long. A request of which nothing has left is dropped for it; one
    /// that has begun to leave is sent to its end, for the phone takes what follows for more of it.
    mutating func put(word octets: borrowing Span<UInt8>) -> Bool {
        guard octets.count <= MessageSize.longestWord else { return false }
        dropUnbegun()
        word.removeAll()
        word.append(octets)
        hasWord = true
        if !hasRequest { beginCutting(octets.count) }
        return true
    }

    /// Drops a request of which nothing has left.
    mutating func dropUnbegun() {
        guard hasRequest, fragments.position == 0, stream.position == 0 else { return }
        hasRequest = false
        offered = .none
    }

    private mutating func beginCutting(_ count: Int) {
        fragments.begin()
        stream.begin(count)
    }

    /// Replaces `value` by what leaves next over `bearer`; `.none` when there is nothing.
    mutating func offer(over bearer: MdocBearer, mtu: UInt16, into value: inout AttributeValue) -> Item {
        offered = .none
        if isStartDue {
            value.removeAll()
            value.append(MdocState.start.rawValue)
            offered = .start
        } else if hasRequest {
            if offerMessage(over: bearer, mtu, into: &value) { offered = .request }
        } else if hasWord {
            if offerWord(over: bearer, mtu, into: &value) { offered = .word }
        } else if isEndDue {
            value.removeAll()
            value.append(MdocState.end.rawValue)
            offered = .end
        }
        return offered
    }

    private mutating func offerMessage(over bearer: MdocBearer, _ mtu: UInt16, into value: inout AttributeValue) -> Bool {
        let message = UnsafeRawBufferPointer(rebasing: memory[0..<count]).assumingMemoryBound(to: UInt8.self)
        return bearer == .channel
            ? stream.offer(message.span, into: &value) : fragments.offer(message.span, mtu: mtu, into: &value)
    }

    private mutating func offerWord(over bearer: MdocBearer, _ mtu: UInt16, into value: inout AttributeValue) -> Bool {
        let octets = word.storage.span.extracting(0..<word.count)
        return bearer == .channel ? stream.offer(octets, into: &value) : fragments.offer(octets, mtu: mtu, into: &value)
    }

    /// `taken` octets of what was offered are on their way; returns what has left whole by that, or `.none`.
    mutating func take(_ taken: Int, over bearer: MdocBearer) -> Item {
        let item = offered
        offered = .none
        switch item {
        case .none: return .none
        case .start: isStartDue = false
        case .end: isEndDue = false
        case .request, .word:
            if bearer == .channel { stream.take(taken) } else { fragments.take() }
            guard bearer == .channel ? stream.isDone : fragments.isDone else { return .none }
            finish(item)
        }
        return item
    }

    private mutating func finish(_ item: Item) {
        if item == .word {
            hasWord = false
        } else {
            hasRequest = false
            if hasWord { beginCutting(word.count) }
        }
    }

    /// Zeros all that was to leave, and forgets it.
    mutating func wipe() {
        if touched > 0, let base = memory.baseAddress { base.initializeMemory(as: UInt8.self, repeating: 0, count: touched) }
        touched = 0
        count = 0
        word.wipe()
        fragments = FragmentCutter()
        stream = StreamCutter()
        isStartDue = false
        isEndDue = false
        hasRequest = false
        hasWord = false
        offered = .none
    }
}

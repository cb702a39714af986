/// L2CAP frames put together from ACL fragments in one fixed buffer (Core Vol 3 Part A 7.2).
/// A frame that is too long, overrun or cut off by a new start is dropped whole and counted.
struct Reassembly: ~Copyable {
    /// Header, and the largest ATT PDU served.
    private(set) var frame = OctetBuffer<521>()
    /// Whole length of the frame being put together, header included; 0 when none is.
    private var expected = 0
    /// The rest of a frame that was given up is still coming.
    private var isSkipping = false

    enum Outcome: Equatable {
        case incomplete
        /// `frame` holds one whole L2CAP frame.
        case complete
        case dropped(Drop)
    }

    init() {}

    mutating func reset() {
        frame.removeAll()
        expected = 0
        isSkipping = false
    }

    mutating func wipe() {
        frame.wipe()
        reset()
    }

    /// A frame is under way.
    var isIncomplete: Bool { !frame.isEmpty && !isSkipping }

    /// A first fragment. Its frame replaces one still under way.
    mutating func start(_ fragment: borrowing Span<UInt8>) -> Outcome {
        reset()
        return add(fragment)
    }

    mutating func resume(_ fragment: borrowing Span<UInt8>) -> Outcome {
        if isSkipping { return .incomplete }
        guard !frame.isEmpty else { return .dropped(.continuationWithoutStart) }
        return add(fragment)
    }

    private mutating func add(_ fragment: borrowing Span<UInt8>) -> Outcome {
        // First fragments of one to three octets are legal: the length is read once two octets are there.
        guard frame.append(fragment) else { return giveUp(expected == 0 ? .frameTooLong : .continuationOverrun) }
        if expected == 0, let length = frame.storage.span.extracting(0..<frame.count).littleEndian16(at: 0) {
            expected = 4 + Int(length)
            guard expected <= frame.limit else { return giveUp(.frameTooLong) }
        }
        guard expected > 0, frame.count >= expected else { return .incomplete }
        guard frame.count == expected else { return giveUp(.frameOverrun) }
        expected = 0
        return .complete
    }

    private mutating func giveUp(_ drop: Drop) -> Outcome {
        frame.removeAll()
        expected = 0
        isSkipping = true
        return .dropped(drop)
    }

    /// The complete frame, where it lies.
    mutating func lendFrame() -> UnsafeBufferPointer<UInt8> { frame.lend() }

    /// Ends the use of a complete frame.
    mutating func consume() { frame.removeAll() }

    /// The longest frame taken.
    static var capacity: Int { 521 }
}

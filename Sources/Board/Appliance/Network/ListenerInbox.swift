import Cryptography
import Linux
import ListenerProtocol

/// What comes from the listener: one message after the other, into one buffer that is as long as the longest and never another. Whoever
/// writes it may be anybody.
struct ListenerInbox: ~Copyable {
    enum Filling {
        /// The channel has nothing more now.
        case nothing
        /// The other end is gone.
        case ended
        /// What was posted lies in the buffer until `release`.
        case word(ListenerWord)
    }

    private let content = UnsafeMutableRawBufferPointer.allocate(byteCount: ListenerWord.mostContent, alignment: 64)
    private var head = [UInt8](repeating: 0, count: ListenerWord.mostHead)
    private var headCount = 0
    private var posted: ListenerWord.Posted?
    private var contentCount = 0
    private(set) var isHeld = false

    deinit {
        wipe(content)
        content.deallocate()
    }

    /// Reads on; nothing while something is held.
    ///
    /// - Throws: at the first octet from which no message can follow.
    mutating func fill(from channel: Int32) throws(ListenerError) -> Filling {
        guard !isHeld else { return .nothing }
        if posted == nil {
            if let ended = try fillHead(from: channel) { return ended }
            let word = try ListenerWord(decoding: head.span.extracting(0..<headCount))
            headCount = 0
            guard case .posted(let posted) = word else { return .word(word) }
            (self.posted, contentCount) = (posted, 0)
        }
        guard let posted else { return .nothing }
        let count = posted.targetCount + posted.bodyCount
        while contentCount < count {
            let step = Channel.read(into: UnsafeMutableRawBufferPointer(rebasing: content[contentCount..<count]), from: channel)
            guard let step = try Self.step(step) else { return .nothing }
            guard step > 0 else { return .ended }
            contentCount += step
        }
        isHeld = true
        return .word(.posted(posted))
    }

    /// Lends target and body of what is held; nil where nothing is.
    borrowing func withContent<Result>(_ body: (_ target: borrowing Span<UInt8>, _ body: borrowing Span<UInt8>) -> Result) -> Result? {
        guard isHeld, let posted else { return nil }
        let octets = UnsafeRawBufferPointer(rebasing: content[0..<posted.targetCount + posted.bodyCount])
            .assumingMemoryBound(to: UInt8.self)
        return body(octets.span.extracting(0..<posted.targetCount), octets.span.extracting(posted.targetCount..<octets.count))
    }

    /// Overwrites what is held, and goes on reading.
    mutating func release() {
        wipe(UnsafeMutableRawBufferPointer(rebasing: content[0..<contentCount]))
        (posted, contentCount, isHeld) = (nil, 0, false)
    }

    /// Another listener begins.
    mutating func begin() {
        release()
        headCount = 0
    }

    /// Reads the head and what follows it before target and body; nil once that is there.
    private mutating func fillHead(from channel: Int32) throws(ListenerError) -> Filling? {
        var end = MessageHead.size
        if headCount >= end { end += try ListenerWord.rest(after: head.span) }
        while headCount < end {
            let start = headCount
            let step = head.withUnsafeMutableBytes {
                Channel.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[start..<end]), from: channel)
            }
            guard let step = try Self.step(step) else { return .nothing }
            guard step > 0 else { return .ended }
            headCount += step
            if headCount == MessageHead.size { end += try ListenerWord.rest(after: head.span) }
        }
        return nil
    }

    /// How many octets came, 0 at the end; nil where there are none now.
    private static func step(_ count: Int) throws(ListenerError) -> Int? {
        if count >= 0 { return count }
        return Channel.isWaiting ? nil : 0
    }
}

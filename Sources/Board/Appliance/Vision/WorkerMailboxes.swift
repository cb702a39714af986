import Glibc
import Linux
import VisionProtocol

/// A request on its way to a worker, in memory of its own that holds the longest.
final class WorkerOutbox {
    private let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: MessageHeader.size + MessageHeader.mostPayload, alignment: 64)
    private var sent = 0
    private var count = 0

    deinit {
        wipe()
        storage.deallocate()
    }

    var isEmpty: Bool { sent == count }

    /// Only while it is empty.
    func put(_ asked: WorkerRequest, request: UInt32, _ octets: UnsafeRawBufferPointer) throws(MessageError) {
        var head = [UInt8](repeating: 0, count: WorkerRequest.mostHead)
        var span = head.mutableSpan
        // It throws where the octets are more than fit.
        let headCount = try asked.encode(request: request, count: octets.count, into: &span)
        storage.copyBytes(from: head.prefix(headCount))
        var end = headCount
        if asked.picture != nil, !octets.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: storage[headCount..<headCount + octets.count]).copyMemory(from: octets)
            end += octets.count
        }
        (sent, count) = (0, end)
    }

    /// Writes what the channel takes; wiped once all is written. False where the channel is broken.
    func write(to channel: Int32) -> Bool {
        while sent < count, let start = storage.baseAddress {
            let step = Channel.write(UnsafeRawBufferPointer(start: start + sent, count: count - sent), to: channel)
            if step < 0, errno == EINTR { continue }
            if step < 0, errno == EAGAIN { return true }
            guard step > 0 else { return false }
            sent += step
        }
        wipe()
        return true
    }

    func wipe() {
        if count > 0, let start = storage.baseAddress { explicit_bzero(start, count) }
        (sent, count) = (0, 0)
    }
}

/// What came from a worker: memory for the longest reply is all there is.
struct WorkerInbox {
    enum Filling { case some, nothing, ended }

    private var octets = [UInt8](repeating: 0, count: WorkerReply.most)
    private var count = 0

    mutating func fill(from channel: Int32) -> Filling {
        while count < octets.count {
            let start = count
            let step = octets.withUnsafeMutableBytes { octets in
                Channel.read(into: UnsafeMutableRawBufferPointer(rebasing: octets[start...]), from: channel)
            }
            if step < 0, errno == EINTR { continue }
            if step < 0, errno == EAGAIN { return count > 0 ? .some : .nothing }
            // The end comes after everything that was said.
            guard step > 0 else { return count > 0 && hasWhole ? .some : .ended }
            count += step
        }
        return .some
    }

    private var hasWhole: Bool {
        guard count >= MessageHeader.size else { return false }
        return count >= MessageHeader.size + Int(octets[0]) + Int(octets[1]) << 8 || octets[2] != 0 || octets[3] != 0
    }

    /// Takes the next whole reply; nil where it is not all there.
    ///
    /// - Throws: a frame that breaks a rule, or is longer than any reply.
    mutating func next() throws(MessageError) -> (MessageHeader, WorkerReply)? {
        guard count >= MessageHeader.size else { return nil }
        let frame = try MessageHeader(decoding: octets.span)
        let end = MessageHeader.size + Int(frame.length)
        guard end <= octets.count else { throw .wrongLength }
        guard count >= end else { return nil }
        let reply = try WorkerReply(frame, decoding: octets.span.extracting(MessageHeader.size..<end))
        // Scores do not stay, and no text of a code.
        octets.withUnsafeMutableBytes { octets in
            guard let start = octets.baseAddress else { return }
            memmove(start, start + end, count - end)
            explicit_bzero(start + (count - end), end)
        }
        count -= end
        return (frame, reply)
    }

    mutating func wipe() {
        octets.withUnsafeMutableBytes { octets in
            if let start = octets.baseAddress { explicit_bzero(start, octets.count) }
        }
        count = 0
    }
}

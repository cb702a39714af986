import Glibc
import VisionProtocol

/// The worker's end of the pipe, and the buffer a request is read into.
final class WorkerChannel {
    static let descriptor: Int32 = 3

    private let request: UnsafeMutableRawBufferPointer
    private let reply = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: WorkerReply.most)
    /// Octets of the buffer that hold something.
    private var used = 0
    /// Which request is being answered.
    private(set) var id: UInt32 = 0

    init?() {
        let size = MessageHeader.size + MessageHeader.mostPayload
        guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED else {
            return nil
        }
        request = UnsafeMutableRawBufferPointer(start: start, count: size)
        reply.initialize(repeating: 0)
    }

    /// Waits for a request. The worker ends with the channel, and at anything that is no request.
    ///
    /// - Parameter body: gets the octets of the picture, which lie in memory until `wipe`.
    func next(_ body: (WorkerRequest, UnsafeRawBufferPointer) -> Void) {
        fill(to: MessageHeader.size)
        do throws(MessageError) {
            let frame = try MessageHeader(decoding: octets(0..<MessageHeader.size).span)
            id = frame.request
            let end = MessageHeader.size + Int(frame.length)
            fill(to: end)
            let payload = octets(MessageHeader.size..<end)
            let asked = try WorkerRequest(frame, decoding: payload.span)
            body(asked, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(payload)[min(PictureHeader.size, payload.count)...]))
        } catch {
            _exit(WorkerExit.badRequest.rawValue)
        }
    }

    /// Nothing of the last request is left.
    func wipe() {
        if let start = request.baseAddress { explicit_bzero(start, used) }
        used = 0
    }

    /// - Throws: what the gate would say of the reply.
    func send(_ answer: WorkerReply) throws(MessageError) {
        var span = reply.mutableSpan
        let count = try answer.encode(request: id, into: &span)
        // Scores do not stay, and no text of a code.
        defer { if let start = reply.baseAddress { explicit_bzero(start, count) } }
        var sent = 0
        while sent < count {
            let step = reply.baseAddress.map { write(Self.descriptor, $0 + sent, count - sent) } ?? -1
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { _exit(WorkerExit.channelClosed.rawValue) }
            sent += step
        }
    }

    func say(_ answer: WorkerReply) {
        do throws(MessageError) { try send(answer) } catch {
            // Whatever was found was checked before; a mistake of this program's must not look like an answer.
            _exit(WorkerExit.badRequest.rawValue)
        }
    }

    /// Says why it cannot begin, and ends.
    func refuse(_ status: Int32) -> Never {
        do throws(MessageError) { try send(.cannotOpen(status: status)) } catch {}
        _exit(WorkerExit.notOpened.rawValue)
    }

    private func fill(to end: Int) {
        while used < end {
            let step = request.baseAddress.map { read(Self.descriptor, $0 + used, end - used) } ?? -1
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { _exit(WorkerExit.channelClosed.rawValue) }
            used += step
        }
    }

    /// The range lies within the buffer: its ends are header and payload, both of bounded length.
    private func octets(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(request)[range]).assumingMemoryBound(to: UInt8.self)
    }
}

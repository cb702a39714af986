import Glibc
import HTTP
import Linux

/// One of the places, and who has it: a connection from its first octet to its answer, in memory that is the place's for good.
final class Connection {
    enum Stage: Hashable {
        /// Nobody has the place.
        case empty
        case reading
        /// The request is whole and waits for its turn to be handed over, or is being handed over.
        case whole
        /// The gate has it, and nothing of it is left here.
        case judged
        /// An answer is being sent.
        case answering
    }

    private(set) var stage = Stage.empty
    /// -1 for none; also while something is handed over whose sender has gone.
    private(set) var descriptor: Int32 = -1
    /// What the gate knows it by; never 0 while somebody is here.
    private(set) var number: UInt32 = 0
    /// When what is under way has to be over, in nanoseconds of `Clock.monotonic`.
    private(set) var deadline: UInt64 = .max
    var reader: RequestReader

    private var isBody = false
    private var answer: [UInt8] = []
    private var sent = 0
    private let line = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.requestLine, alignment: 64)
    private let content = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.content, alignment: 64)

    init() {
        reader = RequestReader(line: line, content: content)
    }

    deinit {
        line.deallocate()
        content.deallocate()
    }

    func begin(_ descriptor: Int32, number: UInt32, _ now: UInt64) {
        (self.descriptor, self.number, stage, isBody) = (descriptor, number, .reading, false)
        deadline = now &+ HTTPLimits.headTime
    }

    /// Takes octets. Throws what the request is refused for.
    func take(_ octets: UnsafeRawBufferPointer, _ now: UInt64) throws(RequestFault) {
        let octets = octets.assumingMemoryBound(to: UInt8.self)
        try reader.take(octets.span)
        switch reader.phase {
        case .head: break
        case .body:
            if !isBody { (isBody, deadline) = (true, now &+ HTTPLimits.bodyTime) }
            // It is little and the first that is sent: it goes, or its receiver sends the body after a second all the same.
            if reader.takeExpectation() { _ = Response.goOn.withUnsafeBytes { Channel.write($0, to: descriptor) } }
        case .whole: (stage, deadline) = (.whole, now &+ HTTPLimits.judgeTime)
        }
    }

    /// Why it has waited too long, where that is somebody's fault.
    var lateness: RequestFault {
        switch stage {
        case .reading: isBody ? .bodyTimedOut : .headTimedOut
        default: .notTaken
        }
    }

    /// The gate has it. The time it may take goes on.
    func handedOver() {
        reader.wipe()
        if stage == .whole { stage = .judged }
    }

    func begin(_ answer: Response, _ now: UInt64) {
        (self.answer, sent, stage) = (answer.octets, 0, .answering)
        deadline = now &+ HTTPLimits.answerTime
    }

    enum Sending { case done, unfinished, broken }

    /// Sends what goes of the answer.
    func send() -> Sending {
        while sent < answer.count {
            let step = answer.withUnsafeBytes {
                Channel.write(UnsafeRawBufferPointer(rebasing: $0[sent...]), to: descriptor)
            }
            if step < 0, errno == EINTR { continue }
            if step < 0, errno == EAGAIN { return .unfinished }
            guard step > 0 else { return .broken }
            sent += step
        }
        return .done
    }

    /// Nobody is here any more.
    ///
    /// - Parameter isHandedOver: its content is still on its way to the gate, and stays for that.
    /// - Returns: its descriptor, which is the caller's now; -1 for none.
    func leave(whileHandedOver isHandedOver: Bool) -> Int32 {
        defer { descriptor = -1 }
        (number, answer, deadline) = (0, [], .max)
        if !isHandedOver { reader.wipe() }
        stage = isHandedOver ? .whole : .empty
        return descriptor
    }
}

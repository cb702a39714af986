import Glibc
import HTTP
import Linux
import ListenerProtocol
import ListenerSandbox

/// The listener's end of the channel to the gate: one message after the other goes out, words come in. The process ends with the channel,
/// and at anything that is no word.
struct GateChannel {
    /// The connection whose content is being sent; nil for none.
    private(set) var source: Int?
    /// What is being sent before that content.
    private var head: [UInt8] = []
    private var sent = 0
    private var inbox: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: GateWord.most)

    var isFree: Bool { head.isEmpty }

    /// Begins a message, with what a connection brought behind it. Only while it is free.
    mutating func begin(_ word: ListenerWord, from source: Int? = nil) {
        do throws(ListenerError) { head = try word.head() } catch { _exit(Exit.badWord.rawValue) }
        (sent, self.source) = (0, source)
    }

    /// Sends what goes now. True once the message is gone whole.
    ///
    /// - Parameter connection: the source's.
    mutating func flush(_ connection: Connection?) -> Bool {
        guard !isFree, head.withUnsafeBytes({ send($0, from: 0) }) else { return false }
        let start = head.count
        let isGone = connection?.reader.withContent { content in
            content.withUnsafeBytes { send($0, from: start) }
        }
        guard isGone ?? true else { return false }
        head.removeAll(keepingCapacity: true)
        source = nil
        return true
    }

    /// Sends what is left of a part that begins at that place of the message. False where not all of it goes.
    private mutating func send(_ part: UnsafeRawBufferPointer, from start: Int) -> Bool {
        while sent < start + part.count {
            let step = Channel.write(UnsafeRawBufferPointer(rebasing: part[(sent - start)...]), to: ListenerConfinement.channel)
            if step < 0, errno == EINTR { continue }
            if step < 0, errno == EAGAIN { return false }
            guard step > 0 else { _exit(Exit.channelClosed.rawValue) }
            sent += step
        }
        return true
    }

    /// Reads what came. Then `next` has it.
    mutating func fill() {
        let count = chunk.withUnsafeMutableBytes { Channel.read(into: $0, from: ListenerConfinement.channel) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { _exit(Exit.channelClosed.rawValue) }
        inbox.append(contentsOf: chunk[..<count])
    }

    /// The next word, and the number it is for; nil where it is not all there.
    mutating func next() -> (word: GateWord, number: UInt32)? {
        do throws(ListenerError) {
            guard let (word, number, count) = try GateWord.first(of: inbox.span) else { return nil }
            inbox.removeFirst(count)
            return (word, number)
        } catch {
            _exit(Exit.badWord.rawValue)
        }
    }
}

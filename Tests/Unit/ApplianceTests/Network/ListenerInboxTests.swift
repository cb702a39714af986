import Glibc
import Linux
import TestSupport
import Testing

@testable import Appliance
@testable import ListenerProtocol

@Suite("What comes from the listener")
struct ListenerInboxTests {
    /// Two ends that do not wait.
    private func pair() throws -> (gate: Int32, listener: Int32) {
        let (here, there) = try Channel.pair(SocketType.stream)
        return (here, there)
    }

    private func write(_ octets: [UInt8], to channel: Int32) {
        #expect(octets.withUnsafeBytes { Channel.write($0, to: channel) } == octets.count)
    }

    private static func message(_ target: [UInt8], _ body: [UInt8], kind: PostedKind = .form, number: UInt32 = 1) throws -> [UInt8] {
        try ListenerWord.posted(.init(kind: kind, number: number, targetCount: target.count, bodyCount: body.count)).head() + target + body
    }

    private static func isPosted(_ filling: ListenerInbox.Filling) -> Bool {
        if case .word(.posted) = filling { true } else { false }
    }

    private static func isNothing(_ filling: ListenerInbox.Filling) -> Bool { if case .nothing = filling { true } else { false } }
    private static func isEnded(_ filling: ListenerInbox.Filling) -> Bool { if case .ended = filling { true } else { false } }
    private static func isReady(_ filling: ListenerInbox.Filling) -> Bool {
        if case .word(.ready) = filling { true } else { false }
    }

    @Test("one message after the other, an octet at a time; nothing is read while one is held")
    func messages() throws {
        let (gate, listener) = try pair()
        defer { for end in [gate, listener] { close(end) } }
        var inbox = ListenerInbox()
        let first = try ListenerWord.ready.head(), second = try Self.message([1, 2], [3, 4, 5]),
            third = try Self.message([9], [8], number: 2)
        for octet in first.dropLast() {
            write([octet], to: listener)
            #expect(Self.isNothing(try inbox.fill(from: gate)) == true)
        }
        write(Array(first.suffix(1)), to: listener)
        let word = try inbox.fill(from: gate)
        #expect(Self.isReady(word) == true)
        for octet in second.dropLast() {
            write([octet], to: listener)
            #expect(Self.isNothing(try inbox.fill(from: gate)) == true)
        }
        write(second.suffix(1) + third, to: listener)
        #expect(Self.isPosted(try inbox.fill(from: gate)) == true)
        #expect(Self.isNothing(try inbox.fill(from: gate)) == true)
        let held = inbox.withContent { target, body in [target[0], target[1], body[0], body[1], body[2]] }
        #expect(held == [1, 2, 3, 4, 5])
        inbox.release()
        #expect((inbox.withContent { _, _ in true } == nil) == true)
        #expect(Self.isPosted(try inbox.fill(from: gate)) == true)
        #expect(inbox.withContent { target, body in [target[0], body[0]] } == [9, 8])
    }

    @Test("the end is told behind the last message, and in the middle of one")
    func ends() throws {
        let (gate, listener) = try pair()
        defer { close(gate) }
        var inbox = ListenerInbox()
        write(try Self.message([1], [2]) + [7, 7], to: listener)
        close(listener)
        #expect(Self.isPosted(try inbox.fill(from: gate)) == true)
        inbox.release()
        let filling = try inbox.fill(from: gate)
        #expect(Self.isEnded(filling) == true)
        inbox.begin()
    }

    @Test("a head from which nothing can follow is refused as soon as it is there, and nothing behind it is read")
    func lies() throws {
        let heads = [
            MessageHead(length: .max, type: 0x10, number: 1).octets, MessageHead(length: 4, type: 0x99, number: 1).octets,
            MessageHead(length: 5, type: 0x10, number: 0).octets, [UInt8](repeating: 0xFF, count: 12),
            MessageHead(length: 5, type: 0x11, number: 1).octets + [0, 0, 0, 0],
            MessageHead(length: 5, type: 0x10, number: 1).octets + [9, 0, 0, 0],
        ]
        for head in heads {
            let (gate, listener) = try pair()
            defer { for end in [gate, listener] { close(end) } }
            var inbox = ListenerInbox()
            write(head, to: listener)
            do throws(ListenerError) {
                _ = try inbox.fill(from: gate)
                Issue.record("it was read: \(head)")
            } catch {}
        }
    }

    @Test("random octets neither trap nor hold more than there is room for")
    func noise() throws {
        var random = SeededRandom(seed: 9)
        for _ in 0..<500 {
            let (gate, listener) = try pair()
            defer { for end in [gate, listener] { close(end) } }
            var inbox = ListenerInbox()
            var octets = try Self.message(random.bytes(3), random.bytes(20)) + random.bytes(40)
            octets[Int.random(in: 0..<16, using: &random)] = UInt8.random(in: 0...255, using: &random)
            write(octets, to: listener)
            do throws(ListenerError) {
                for _ in 0..<4 {
                    let isPosted = Self.isPosted(try inbox.fill(from: gate))
                    if isPosted { inbox.release() }
                }
            } catch {}
        }
    }
}

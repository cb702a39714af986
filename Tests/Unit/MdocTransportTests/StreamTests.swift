import Bluetooth
import TestSupport
import Testing

@testable import MdocTransport

/// Messages in a channel, and back (mdoc.md section 2.4).
@Suite struct StreamTests {
    typealias Messages = FragmentTests.Messages

    /// Puts pieces together; the messages that were whole before the fault, and the fault.
    static func join(_ pieces: [[UInt8]], _ messages: Messages = Messages()) -> (messages: [[UInt8]], fault: MessageFault?) {
        var assembler = StreamAssembler()
        var whole: [[UInt8]] = []
        for piece in pieces {
            var fault: MessageFault?
            do throws(MessageFault) { try assembler.accept(piece.span, into: &messages.buffer) } catch { fault = error }
            while let message = messages.take() { whole.append(message) }
            if let fault { return (whole, fault) }
        }
        return (whole, nil)
    }

    /// The pieces of a message, where a link takes at most `most` octets at once.
    static func cut(_ message: [UInt8], most: Int = 512) -> [[UInt8]] {
        var cutter = StreamCutter()
        var value = AttributeValue()
        var pieces: [[UInt8]] = []
        cutter.begin(message.count)
        while cutter.offer(message.span, into: &value) {
            let piece = (0..<min(most, value.count)).map { value.storage[$0] }
            pieces.append(piece)
            cutter.take(piece.count)
            if pieces.count > message.count + 4 { break }
        }
        return pieces
    }

    @Test(arguments: [1, 2, 3, 4, 5, 20, 498, 512])
    func everyLengthIsCutAndComesBackWhole(_ most: Int) {
        let messages = Messages()
        for count in [0, 1, 2, 3, 4, 5, 100, 507, 508, 509, 511, 512, 513, 1020, 1021, 2000] {
            let message = message(count)
            let pieces = Self.cut(message, most: most)
            #expect(pieces.joined().elementsEqual(stream(message)))
            let joined = Self.join(pieces, messages)
            #expect(joined.messages == [message] && joined.fault == nil)
        }
    }

    @Test func whereItIsCutMeansNothing() {
        let octets = stream(message(7)) + stream([]) + stream(message(3)) + stream([0x61])
        let expected = [message(7), [], message(3), [0x61]]
        let messages = Messages(64)
        for first in 0...octets.count {
            for second in first...octets.count {
                let pieces = [Array(octets[..<first]), Array(octets[first..<second]), Array(octets[second...])]
                let joined = Self.join(pieces, messages)
                #expect(joined.messages == expected && joined.fault == nil)
            }
        }
    }

    @Test func aStreamThatEndsEarlyHasNoMoreThanItsWholeMessages() {
        let octets = stream(message(7)) + stream(message(3))
        let messages = Messages(64)
        for length in 0..<octets.count {
            let joined = Self.join([Array(octets.prefix(length))], messages)
            #expect(joined.messages == (length < 11 ? [] : [message(7)]) && joined.fault == nil)
            messages.buffer.wipe()
        }
    }

    @Test func aLengthAboveTheBoundIsRefusedAtItsFourthOctet() {
        for length in [0x0004_0001, 0x0008_0000, 0x0100_0000, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            let octets = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            #expect(Self.join([Array(octets[..<3])]).fault == nil)
            #expect(Self.join([Array(octets[..<3]), [octets[3]]]).fault == .messageTooLong)
            #expect(Self.join([octets + [1, 2, 3]]).fault == .messageTooLong)
        }
        #expect(Self.join([[0x00, 0x04, 0x00, 0x00]]).fault == nil)
    }

    @Test func aMessageOfTheBoundComesThrough() {
        let longest = message(MessageSize.longest)
        let pieces = Self.cut(longest)
        #expect(Self.join(pieces).messages == [longest])
    }

    @Test func manyMessagesAtOnceAreRefused() {
        let messages = Messages(64)
        var assembler = StreamAssembler()
        let most = [UInt8](repeating: 0, count: 4 * MessageBuffer.mostWaiting)
        #expect(throws: Never.self) { try assembler.accept(most.span, into: &messages.buffer) }
        #expect(throws: MessageFault.tooManyMessages) { try assembler.accept([0, 0, 0, 0].span, into: &messages.buffer) }
        for _ in 0..<MessageBuffer.mostWaiting { #expect(messages.take() == []) }
    }

    @Test func whatIsTakenIsNeverMoreThanWasOffered() {
        var cutter = StreamCutter()
        var value = AttributeValue()
        let long = message(1000), other = message(999)
        cutter.take(9)
        #expect(cutter.isDone && cutter.position == 0)
        cutter.begin(1000)
        cutter.take(9)
        #expect(cutter.position == 0)
        #expect(cutter.offer(long.span, into: &value))
        cutter.take(-1)
        #expect(cutter.position == 0)
        #expect(cutter.offer(long.span, into: &value))
        cutter.take(.max)
        #expect(cutter.position == 512)
        // Another message than the one that was begun is not sent under its length.
        #expect(!cutter.offer(other.span, into: &value))
    }
}

import Testing

@testable import MdocTransport

/// Messages that wait, and the one behind them.
@Suite struct MessageBufferTests {
    typealias Messages = FragmentTests.Messages

    @Test func messagesLeaveInTheOrderTheyCame() throws {
        let messages = Messages(64)
        for count in [5, 0, 3] {
            let sent = message(count)
            try messages.buffer.append(sent.span)
            try messages.buffer.close()
        }
        try messages.buffer.append([9, 9].span)
        #expect(messages.buffer.waiting == 3 && messages.buffer.underWay == 2)
        #expect(messages.take() == message(5))
        #expect(messages.take() == [])
        #expect(messages.buffer.room == 64 - 5)
        try messages.buffer.append([8].span)
        #expect(messages.take() == message(3))
        #expect(messages.take() == nil)
        try messages.buffer.close()
        #expect(messages.take() == [9, 9, 8])
        #expect(messages.buffer.room == 64)
    }

    @Test func whatDoesNotFitChangesNothing() throws {
        let messages = Messages(8)
        let six = message(6), three = message(3), two = message(2)
        try messages.buffer.append(six.span)
        #expect(throws: MessageFault.messageTooLong) { try messages.buffer.append(three.span) }
        #expect(messages.buffer.underWay == 6)
        try messages.buffer.close()
        #expect(throws: MessageFault.tooManyMessages) { try messages.buffer.append(three.span) }
        try messages.buffer.append(two.span)
        try messages.buffer.close()
        #expect(messages.take() == message(6))
        #expect(messages.take() == message(2))
    }

    @Test func onlySoManyWait() throws {
        let messages = Messages(8)
        for _ in 0..<MessageBuffer.mostWaiting { try messages.buffer.close() }
        #expect(throws: MessageFault.tooManyMessages) { try messages.buffer.close() }
        #expect(messages.take() == [])
        try messages.buffer.close()
    }

    @Test func aMessageThatWasTakenLeavesNoOctet() throws {
        let messages = Messages(64)
        try messages.buffer.append([UInt8](repeating: 0xA5, count: 40).span)
        try messages.buffer.close()
        try messages.buffer.append([1, 2].span)
        messages.buffer.removeFirst()
        #expect(Array(messages.memory) == [1, 2] + [UInt8](repeating: 0, count: 62))
        messages.buffer.wipe()
        #expect(messages.memory.allSatisfy { $0 == 0 })
        #expect(messages.buffer.room == 64)
    }

    @Test func aMessageThatIsAbandonedLeavesNoOctetAndTheWholeOnesStay() throws {
        let messages = Messages(64)
        try messages.buffer.append([1, 2].span)
        try messages.buffer.close()
        try messages.buffer.append([3, 4, 5].span)
        messages.buffer.abandon()
        #expect(Array(messages.memory) == [1, 2] + [UInt8](repeating: 0, count: 62))
        #expect(messages.buffer.underWay == 0 && messages.take() == [1, 2])
    }

    @Test func memoryOfNoOctetsTakesNone() {
        var buffer = MessageBuffer(memory: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        #expect(throws: MessageFault.messageTooLong) { try buffer.append([1].span) }
        #expect(throws: Never.self) { try buffer.close() }
        #expect(buffer.withFirst { $0.count } == 0)
        buffer.removeFirst()
        buffer.wipe()
        #expect(buffer.first == nil)
    }
}

import Bluetooth
import TestSupport
import Testing

@testable import MdocTransport

/// Messages in values, and back (mdoc.md section 2.2).
@Suite struct FragmentTests {
    static let mtus: [UInt16] = [23, 64, 185, 515, 517]

    /// A buffer for messages, in memory of a size.
    final class Messages {
        let memory: UnsafeMutableRawBufferPointer
        var buffer: MessageBuffer

        init(_ size: Int = MessageSize.buffer) {
            memory = .allocate(byteCount: size, alignment: 64)
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            buffer = MessageBuffer(memory: memory)
        }

        deinit { memory.deallocate() }

        /// What became of a value: whether it ended a message, or the fault.
        func accept(_ value: [UInt8]) -> Result<Bool, MessageFault> {
            do throws(MessageFault) {
                return .success(try FragmentAssembler.accept(value.span, into: &buffer))
            } catch {
                return .failure(error)
            }
        }

        /// The oldest message, which leaves.
        func take() -> [UInt8]? {
            let message = buffer.withFirst { octets in (0..<octets.count).map { octets[$0] } }
            buffer.removeFirst()
            return message
        }
    }

    /// The values of a message.
    static func cut(_ message: [UInt8], mtu: UInt16) -> [[UInt8]] {
        var cutter = FragmentCutter()
        var value = AttributeValue()
        var values: [[UInt8]] = []
        cutter.begin()
        while cutter.offer(message.span, mtu: mtu, into: &value) {
            values.append((0..<value.count).map { value.storage[$0] })
            cutter.take()
            if values.count > message.count + 1 { break }
        }
        return values
    }

    @Test(arguments: mtus)
    func everyLengthIsCutAsItShouldBeAndComesBackWhole(_ mtu: UInt16) {
        let payload = MessageSize.value(mtu: mtu) - 1
        let messages = Messages()
        for count in Array(0...3 * payload + 2) + [10 * payload, 10 * payload + 1] {
            let message = message(count)
            let values = Self.cut(message, mtu: mtu)
            #expect(values == fragments(message, longest: payload + 1))
            for (index, value) in values.enumerated() {
                #expect(value.count <= min(Int(mtu) - 3, 512))
                #expect(messages.accept(value) == .success(index == values.count - 1))
            }
            #expect(messages.take() == message)
        }
    }

    @Test func aValueIsOfferedUntilItIsTaken() {
        var cutter = FragmentCutter()
        var value = AttributeValue()
        let thirty = message(30)
        #expect(cutter.isDone)
        #expect(!cutter.offer([1].span, mtu: 23, into: &value))
        cutter.begin()
        for _ in 0..<3 {
            #expect(cutter.offer(thirty.span, mtu: 23, into: &value))
            #expect(value.count == 20 && cutter.position == 0)
        }
        // The link's MTU grows before the value has left.
        #expect(cutter.offer(thirty.span, mtu: 185, into: &value))
        #expect(value.count == 31 && value.storage[0] == 0x00)
        cutter.take()
        #expect(cutter.isDone)
        #expect(!cutter.offer(thirty.span, mtu: 23, into: &value))
    }

    @Test func takingWhatWasNotOfferedChangesNothing() {
        var cutter = FragmentCutter()
        var value = AttributeValue()
        let thirty = message(30)
        cutter.take()
        cutter.begin()
        cutter.take()
        #expect(!cutter.isDone && cutter.position == 0)
        #expect(cutter.offer(thirty.span, mtu: 23, into: &value))
        cutter.take()
        cutter.take()
        #expect(cutter.position == 19)
    }

    @Test func shortAndEmptyPayloadsAreLegal() {
        let messages = Messages()
        for value in [[1, 0x61], [1], [1, 0x62], [1]] as [[UInt8]] { #expect(messages.accept(value) == .success(false)) }
        #expect(messages.accept([0, 0x63]) == .success(true))
        #expect(messages.accept([0]) == .success(true))
        #expect(messages.take() == [0x61, 0x62, 0x63])
        #expect(messages.take() == [])
        #expect(messages.take() == nil)
    }

    @Test func everyOtherHeaderIsAFault() {
        for header in 2...255 as ClosedRange<UInt8> {
            let messages = Messages(16)
            #expect(messages.accept([1, 0x61]) == .success(false))
            #expect(messages.accept([header, 0x62]) == .failure(.header))
        }
    }

    @Test func aValueOfNoOctetsIsAFault() {
        #expect(Messages(16).accept([]) == .failure(.emptyValue))
    }

    @Test func aValueLongerThanAnAttributeIsAFault() {
        let messages = Messages()
        #expect(messages.accept([1] + [UInt8](repeating: 7, count: 511)) == .success(false))
        #expect(messages.accept([1] + [UInt8](repeating: 7, count: 512)) == .failure(.valueTooLong))
    }

    @Test func aMessageHasTheBoundAndNotAnOctetMore() {
        let messages = Messages()
        let value = [1] + [UInt8](repeating: 9, count: 511)
        let whole = MessageSize.longest / 511
        for _ in 0..<whole { #expect(messages.accept(value) == .success(false)) }
        let rest = MessageSize.longest - whole * 511
        #expect(messages.accept([1] + [UInt8](repeating: 9, count: rest + 1)) == .failure(.messageTooLong))
        #expect(messages.accept([1] + [UInt8](repeating: 9, count: rest)) == .success(false))
        #expect(messages.accept([1, 9]) == .failure(.messageTooLong))
        #expect(messages.accept([0, 9]) == .failure(.messageTooLong))
        #expect(messages.accept([0]) == .success(true))
        #expect(messages.buffer.first == MessageSize.longest)
        #expect(messages.memory[MessageSize.longest] == 0)
    }

    /// Every value of a message cut at every length: a shorter message, or a fault, and never more than was sent.
    @Test func truncatedValuesGiveNothingThatWasNotSent() {
        let sent = message(60)
        let values = fragments(sent, longest: 20)
        for index in values.indices {
            for length in 0..<values[index].count {
                let messages = Messages(256)
                var outcomes: [Result<Bool, MessageFault>] = []
                for (position, value) in values.enumerated() {
                    outcomes.append(messages.accept(position == index ? Array(value.prefix(length)) : value))
                    if case .failure = outcomes[position] { break }
                }
                if length == 0 {
                    #expect(outcomes.last == .failure(.emptyValue))
                    #expect(messages.take() == nil)
                } else {
                    let start = index * 19 + length - 1
                    let expected = Array(sent[..<start]) + sent[min(sent.count, (index + 1) * 19)...]
                    #expect(messages.take() == expected)
                }
            }
        }
    }
}

import Bluetooth
import TestSupport
import Testing

@testable import AriesTransport

/// A message as a wallet has one.
private func message(_ count: Int) -> [UInt8] { (0..<max(count - 1, 0)).map { UInt8(truncatingIfNeeded: $0 &* 7) } + [UInt8(ascii: "}")] }

private func cut(_ message: [UInt8], mtu: UInt16) -> [[UInt8]] {
    var cutter = PieceCutter()
    var value = AttributeValue()
    var values: [[UInt8]] = []
    cutter.begin()
    while cutter.offer(message.span, mtu: mtu, into: &value) {
        values.append((0..<value.count).map { value.storage[$0] })
        cutter.take()
    }
    return values
}

/// An assembler with memory of its own, whose values can be compared.
private final class Incoming {
    let memory: UnsafeMutableRawBufferPointer
    private var assembler: PieceAssembler

    init(_ room: Int = PieceSize.longest) {
        memory = .allocate(byteCount: room, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        assembler = PieceAssembler(memory: memory)
    }

    deinit { memory.deallocate() }

    func accept(_ value: [UInt8]) -> Result<PieceAssembler.Outcome, PieceFault> {
        do throws(PieceFault) { return .success(try assembler.accept(value.span)) } catch { return .failure(error) }
    }

    var message: [UInt8]? { assembler.withMessage { octets in octets.indices.map { octets[$0] } } }
    func wipe() { assembler.wipe() }
}

struct PieceCutterTests {
    @Test func piecesAreTwelveOctetsShorterThanTheMTUAndNeverMoreThan500() {
        for (mtu, size) in [(0, 11), (22, 11), (23, 11), (24, 12), (185, 173), (247, 235), (512, 500), (517, 500), (65535, 500)] {
            #expect(PieceSize.piece(mtu: UInt16(mtu)) == size)
        }
    }

    @Test func aMessageIsCutAtEveryMTU() {
        let text = message(1_300)
        for mtu in 23...520 as ClosedRange<UInt16> {
            let values = cut(text, mtu: mtu), size = PieceSize.piece(mtu: mtu)
            #expect(values.count == (text.count + size - 1) / size + 1)
            #expect(values.dropLast(2).allSatisfy { $0.count == size })
            #expect(values.dropLast().flatMap { $0 } == text)
            #expect(values.last == marker)
        }
    }

    @Test func aMessageOfWholePiecesHasNoEmptyOneAtItsEnd() {
        #expect(cut(message(22), mtu: 23).map { $0.count } == [11, 11, 3])
        #expect(cut([], mtu: 23) == [marker])
    }

    /// A cutter with its message.
    private struct Outgoing {
        var text: [UInt8]
        var cutter = PieceCutter()

        /// Octets of the value that is offered; nil where none is.
        mutating func offer(mtu: UInt16) -> Int? {
            var value = AttributeValue()
            let text = text
            return cutter.offer(text.span, mtu: mtu, into: &value) ? value.count : nil
        }
    }

    @Test func aPieceIsOfferedUntilItIsTakenAndAsLongAsTheLinkTakesThen() {
        var outgoing = Outgoing(text: message(600))
        #expect(outgoing.offer(mtu: 23) == nil)
        outgoing.cutter.begin()
        #expect(outgoing.offer(mtu: 23) == 11)
        #expect(outgoing.offer(mtu: 512) == 500)
        outgoing.cutter.take()
        #expect(outgoing.cutter.position == 500)
        #expect(outgoing.offer(mtu: 512) == 100)
        outgoing.cutter.take()
        #expect(!outgoing.cutter.isDone)
        #expect(outgoing.offer(mtu: 512) == 3)
        #expect(!outgoing.cutter.isDone)
        outgoing.cutter.take()
        #expect(outgoing.cutter.isDone)
        #expect(outgoing.offer(mtu: 512) == nil)
    }

    @Test func aMessageThatBecameShorterIsNotReadPastItsEnd() {
        var outgoing = Outgoing(text: message(100))
        outgoing.cutter.begin()
        #expect(outgoing.offer(mtu: 100) == 88)
        outgoing.cutter.take()
        outgoing.text = message(5)
        #expect(outgoing.offer(mtu: 100) == nil)
    }
}

struct PieceAssemblerTests {
    @Test func whatIsCutIsPutTogetherWhateverTheSplit() {
        var random = SeededRandom(seed: 11)
        let incoming = Incoming()
        for size in [1, 2, 3, 11, 173, 500, 512] {
            let text = message(2_000)
            for start in stride(from: 0, to: text.count, by: size) {
                #expect(incoming.accept(Array(text[start..<min(start + size, text.count)])) == .success(.piece))
                #expect(incoming.message == nil)
            }
            #expect(incoming.accept(marker) == .success(.message))
            #expect(incoming.message == text)
            incoming.wipe()
        }
        for _ in 0..<200 {
            let text = message(Int.random(in: 1..<5_000, using: &random))
            var start = 0
            while start < text.count {
                let size = min(Int.random(in: 1...512, using: &random), text.count - start)
                _ = incoming.accept(Array(text[start..<start + size]))
                start += size
            }
            #expect(incoming.accept(marker) == .success(.message))
            #expect(incoming.message == text)
            incoming.wipe()
        }
    }

    @Test func onlyExactlyTheMarkerEndsAMessage() {
        let incoming = Incoming()
        for text in ["EO", "EOMX", "XEOM", "eom", "EON", "E", "EOMEOM"] { #expect(incoming.accept(Array(text.utf8)) == .success(.piece)) }
        #expect(incoming.accept(marker) == .success(.message))
        #expect(incoming.message == Array("EOEOMXXEOMeomEONEEOMEOM".utf8))
    }

    @Test func anEmptyMessageIsAFaultBeforeAWholeOneAndNothingBehindIt() {
        let incoming = Incoming()
        #expect(incoming.accept(marker) == .failure(.emptyMessage))
        // What follows a fault means nothing any more.
        #expect(incoming.accept([1]) == .failure(.emptyMessage))
        incoming.wipe()
        _ = incoming.accept([1])
        _ = incoming.accept(marker)
        for _ in 0..<3 { #expect(incoming.accept(marker) == .success(.repeatedMarker)) }
        #expect(incoming.message == [1])
    }

    @Test func aSecondMessageIsDropped() {
        let incoming = Incoming()
        _ = incoming.accept([1])
        _ = incoming.accept(marker)
        #expect(incoming.accept([2]) == .success(.dropped))
        #expect(incoming.accept(marker) == .success(.dropped))
        #expect(incoming.accept(marker) == .success(.repeatedMarker))
        #expect(incoming.message == [1])
    }

    @Test func writesOfNoOctetsAndOfTooManyAreFaults() {
        let incoming = Incoming()
        #expect(incoming.accept([]) == .failure(.valueLength))
        incoming.wipe()
        #expect(incoming.accept([UInt8](repeating: 1, count: 512)) == .success(.piece))
        #expect(incoming.accept([UInt8](repeating: 1, count: 513)) == .failure(.valueLength))
        #expect(incoming.accept(marker) == .failure(.valueLength))
        #expect(incoming.message == nil)
    }

    @Test func aMessageIsAsLongAsTheMemoryAndNoLonger() {
        let incoming = Incoming(), piece = [UInt8](repeating: 0x20, count: 512)
        for _ in 0..<PieceSize.longest / 512 { #expect(incoming.accept(piece) == .success(.piece)) }
        #expect(incoming.accept([1]) == .failure(.messageTooLarge))
        incoming.wipe()
        for _ in 0..<PieceSize.longest / 512 { _ = incoming.accept(piece) }
        #expect(incoming.accept(marker) == .success(.message))
        #expect(incoming.message?.count == PieceSize.longest)
        let small = Incoming(10)
        #expect(small.accept([UInt8](repeating: 1, count: 10)) == .success(.piece))
        #expect(small.accept([1]) == .failure(.messageTooLarge))
        let none = Incoming(0)
        #expect(none.accept([1]) == .failure(.messageTooLarge))
        none.wipe()
    }

    @Test func whatIsWipedIsZeroAndBeginsAgain() {
        let incoming = Incoming()
        _ = incoming.accept([UInt8](repeating: 0xAA, count: 500))
        _ = incoming.accept([UInt8](repeating: 0xBB, count: 513))
        incoming.wipe()
        #expect(incoming.memory.prefix(1_024).allSatisfy { $0 == 0 })
        #expect(incoming.message == nil)
        #expect(incoming.accept([1]) == .success(.piece))
        #expect(incoming.accept(marker) == .success(.message))
        #expect(incoming.message == [1])
    }
}

import Bluetooth
import MdocTransport

/// Values and pieces of a channel against what the text says of them (mdoc.md sections 2.2 and 2.4).
func fuzzMdocFraming(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    switch script.octet() % 3 {
    case 0: joinValues(&script)
    case 1: joinStream(&script)
    default: cutAndJoin(&script)
    }
}

let mdocFramingSeeds: [[UInt8]] = [
    [0, 0, 1, 2, 1, 0x61, 2, 0, 0x62, 1, 0], [0, 1, 3, 1, 2, 3, 0, 2, 7], [1, 0, 5, 0, 0, 0, 1, 7, 6, 0, 0, 0, 1, 8, 9, 3, 0, 4, 0],
    [1, 1, 4, 0xFF, 0xFF, 0xFF, 0xFF], [1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0], [2, 23, 0, 200, 0, 3], [2, 3, 2, 0, 16, 7],
]

/// Memory for messages that is the same for every input; whoever begins finds it as the last one left it.
nonisolated(unsafe) let mdocIncoming = zeroed(MessageSize.buffer)
nonisolated(unsafe) let mdocOutgoing = zeroed(MessageSize.longestRequest)

private func zeroed(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    return memory
}

private func take(_ messages: inout MessageBuffer) -> [UInt8]? {
    let message = messages.withFirst { octets in octets.withUnsafeBytes { Array($0) } }
    messages.removeFirst()
    return message
}

/// A small memory makes its bounds near; the real one is what a gate has.
private func memory(_ script: inout Script) -> UnsafeMutableRawBufferPointer {
    script.octet() & 1 == 0 ? mdocIncoming : UnsafeMutableRawBufferPointer(rebasing: mdocIncoming[..<64])
}

private func joinValues(_ script: inout Script) {
    let memory = memory(&script)
    var messages = MessageBuffer(memory: memory)
    var model: [UInt8] = []
    while !script.isAtEnd {
        let value = script.block()
        var fault: MessageFault?
        var isWhole = false
        do throws(MessageFault) { isWhole = try FragmentAssembler.accept(value.span, into: &messages) } catch { fault = error }
        var expected: MessageFault?
        if model.count + value.count - 1 > min(memory.count, MessageSize.longest) { expected = .messageTooLong }
        if value.count > 512 { expected = .valueTooLong }
        if let header = value.first, header > 1 { expected = .header }
        if value.isEmpty { expected = .emptyValue }
        require(fault == expected, "a value is judged as the text says")
        if fault != nil { break }
        model += value.dropFirst()
        require(isWhole == (value[0] == 0), "00 is the last value")
        guard isWhole else { continue }
        require(take(&messages) == model, "a message is what its values were")
        model = []
    }
    messages.wipe()
    require(mdocIncoming.prefix(1024).allSatisfy { $0 == 0 }, "what is wiped is zero")
}

private func joinStream(_ script: inout Script) {
    let memory = memory(&script)
    var messages = MessageBuffer(memory: memory)
    var assembler = StreamAssembler()
    var all: [UInt8] = []
    var found: [[UInt8]] = []
    var fault: MessageFault?
    while fault == nil, !script.isAtEnd {
        let piece = script.block()
        all += piece
        do throws(MessageFault) { try assembler.accept(piece.span, into: &messages) } catch { fault = error }
        while messages.first != nil { if let message = take(&messages) { found.append(message) } }
    }
    var position = 0
    var expected: [[UInt8]] = []
    while position + 4 <= all.count {
        let length = all[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= MessageSize.longest, position + 4 + length <= all.count else { break }
        expected.append(Array(all[position + 4..<position + 4 + length]))
        position += 4 + length
    }
    require(expected.starts(with: found), "messages are what the stream has")
    if fault == nil { require(found.count == expected.count, "every whole message is found") }
    messages.wipe()
    require(mdocIncoming.prefix(1024).allSatisfy { $0 == 0 }, "what is wiped is zero")
}

/// A message of any size on a link of any MTU comes back, value by value and piece by piece.
private func cutAndJoin(_ script: inout Script) {
    let mtu = script.word()
    let message = [UInt8](repeating: script.octet(), count: Int(script.word()) % (MessageSize.longestRequest + 1))
    let most = 1 + Int(script.octet())
    var messages = MessageBuffer(memory: mdocIncoming)
    var value = AttributeValue()
    var fragments = FragmentCutter()
    fragments.begin()
    while fragments.offer(message.span, mtu: mtu, into: &value) {
        require(value.count >= 1 && value.count <= min(Int(max(mtu, 23)) - 3, 512), "a value is as long as the link takes")
        do throws(MessageFault) {
            let isWhole = try FragmentAssembler.accept(value.storage.span.extracting(0..<value.count), into: &messages)
            fragments.take()
            require(isWhole == fragments.isDone, "the last value is the last")
        } catch {
            return require(false, "what is cut is put together")
        }
    }
    require(take(&messages) == message, "a message comes back from values")
    var cutter = StreamCutter()
    var assembler = StreamAssembler()
    cutter.begin(message.count)
    while cutter.offer(message.span, into: &value) {
        let count = min(most, value.count)
        do throws(MessageFault) {
            try assembler.accept(value.storage.span.extracting(0..<count), into: &messages)
        } catch {
            return require(false, "what is cut is put together")
        }
        cutter.take(count)
    }
    require(take(&messages) == message && !assembler.isUnderWay, "a message comes back from a channel")
    messages.wipe()
}

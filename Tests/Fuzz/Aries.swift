import AriesTransport
import Bluetooth
import Cryptography
import DIDComm

/// What a wallet writes, from its pieces to its message: a text that is no envelope, an envelope, or what is in one (aries.md sections 1
/// to 3).
func fuzzAries(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    switch script.octet() % 4 {
    case 0: joinPieces(&script)
    case 1: cutAndJoinPieces(&script)
    case 2: openEnvelope(script.take(octets.count))
    default: readMessage(script.take(octets.count))
    }
}

let ariesSeeds: [[UInt8]] = [
    [0, 3, 1, 2, 3, 3, 0x45, 0x4F, 0x4D, 3, 0x45, 0x4F, 0x4D, 1, 9], [0, 3, 0x45, 0x4F, 0x4D], [0, 0, 1, 1], [1, 23, 0, 200, 0],
    [1, 0, 2, 0, 16],
    [2] + Array(#"{"protected":"e30","iv":"AAAAAAAAAAAAAAAA","ciphertext":"","tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#.utf8),
    [3]
        + Array(
            (#"{"@type":"https://didcomm.org/present-proof/2.0/presentation","@id":"m","~thread":{"thid":"r"},"#
                + #""formats":[{"attach_id":"p","format":"anoncreds/proof@v1.0"}],"#
                + #""presentations~attach":[{"@id":"p","data":{"base64":"e30="}}]}"#).utf8),
    [3] + Array(#"{"@type":"did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/present-proof/1.0/problem-report","@id":"m"}"#.utf8),
]

/// The same for every input; whoever begins finds it as the last one left it.
nonisolated(unsafe) private let memory = {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceSize.longest, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    return memory
}()

private func array(_ octets: borrowing Span<UInt8>) -> [UInt8] { octets.withUnsafeBytes { Array($0) } }

private func joinPieces(_ script: inout Script) {
    let room = script.octet() < 0x80 ? PieceSize.longest : Int(script.word())
    var assembler = PieceAssembler(memory: UnsafeMutableRawBufferPointer(rebasing: memory.prefix(room)))
    var model: [UInt8] = []
    while !script.isAtEnd, assembler.withMessage(array) == nil {
        let value = script.block()
        var fault: PieceFault?
        var outcome: PieceAssembler.Outcome?
        do throws(PieceFault) { outcome = try assembler.accept(value.span) } catch { fault = error }
        var expected: PieceFault?
        if value.isEmpty || value.count > PieceSize.longestValue {
            expected = .valueLength
        } else if value == Array("EOM".utf8) {
            if model.isEmpty { expected = .emptyMessage } else { require(outcome == .message, "the marker ends a message") }
        } else if model.count + value.count > min(room, PieceSize.longest) {
            expected = .messageTooLarge
        } else {
            require(outcome == .piece, "everything else is a piece")
            model += value
        }
        require(fault == expected, "a value is judged as the text says")
        if fault != nil { break }
        if outcome == .message { require(assembler.withMessage(array) == model, "a message is what its pieces were") }
    }
    assembler.wipe()
    require(memory.prefix(1024).allSatisfy { $0 == 0 }, "what is wiped is zero")
}

/// A message of any size on a link of any MTU comes back.
private func cutAndJoinPieces(_ script: inout Script) {
    let mtu = script.word()
    let message = [UInt8](repeating: script.octet() | 0x80, count: Int(script.word()))
    var assembler = PieceAssembler(memory: memory)
    var cutter = PieceCutter()
    var value = AttributeValue()
    cutter.begin()
    while cutter.offer(message.span, mtu: mtu, into: &value) {
        require(value.count >= 1 && value.count <= 500, "a piece is as long as the link takes")
        do throws(PieceFault) {
            let outcome = try assembler.accept(value.storage.span.extracting(0..<value.count))
            cutter.take()
            require((outcome == .message) == cutter.isDone, "the marker is the last")
        } catch {
            require(message.isEmpty, "what is cut is put together")
            break
        }
    }
    if !message.isEmpty { require(assembler.withMessage(array) == message, "a message comes back") }
    assembler.wipe()
}

/// Nobody who has not the gate's key makes what opens: whoever finds one has broken the boxes, or this code.
private func openEnvelope(_ text: [UInt8]) {
    let seed = [UInt8](repeating: 1, count: EnvelopeKey.seedLength)
    guard let secret = try? Secret(copying: seed.span), let key = try? EnvelopeKey(seed: secret) else { return }
    do throws(EnvelopeFault) {
        let opened = try Envelope(parsing: text.span).open(by: key)
        require(opened.message.count <= text.count, "a message is shorter than its envelope")
    } catch {
        require(error != .unavailable, "the libraries work")
    }
}

private func readMessage(_ text: [UInt8]) {
    do throws(WalletMessageFault) {
        switch try WalletMessage.read(text.span, answering: MessageThread(request: "r", invitation: "i")) {
        case .declined: break
        case .presentation(let message):
            require(message.attachment.count > 0 && message.attachment.count < text.count, "an attachment is part of its message")
        }
    } catch {
        require(ProblemCode(error.code) == .malformed, "a form is all that can be wrong with a message")
    }
}

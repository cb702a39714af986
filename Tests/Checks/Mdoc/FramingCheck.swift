import Bluetooth
import JSON
import MdocTransport
import TestSupport

/// `framing.json`: messages and the values they are cut into, values and pieces of a channel and the messages they make up.
enum FramingCheck {
    /// The member by which the file is told from others.
    static let member = "l2cap"

    /// Prints every difference, and how many of how many agree. Returns the program's exit code: 0 none, 1 some, 2 an unusable file.
    static func run(_ file: JSONValue) -> Int32 {
        guard let sent = file["send"]?.elements, let received = file["receive"]?.elements, let streams = file[member]?.elements else {
            return 2
        }
        var agreed = 0, all = 0
        var isUsable = true
        func compare(_ name: String, _ comparison: Comparison?) {
            all += 1
            guard let comparison else {
                isUsable = false
                return
            }
            if comparison.found == comparison.expected {
                agreed += 1
            } else {
                print("\(name): expected \(comparison.expected), found \(comparison.found)")
            }
        }
        for (index, each) in sent.enumerated() { compare("send \(index)", cutting(each)) }
        for each in received { compare("receive \(each["name"]?.string ?? "?")", joining(each, "values", isStream: false)) }
        for each in streams { compare("l2cap \(each["name"]?.string ?? "?")", joining(each, "sdus", isStream: true)) }
        guard isUsable, all > 0 else { return 2 }
        print("\(agreed) of \(all)")
        return agreed == all ? 0 : 1
    }

    /// What the file says and what comes of it here, as texts.
    private struct Comparison {
        var expected: [String]
        var found: [String]
    }

    /// The faults that the file knows, in its words.
    private static func text(_ fault: MessageFault) -> String {
        switch fault {
        case .emptyValue: "empty fragment"
        case .header: "fragment header"
        case .messageTooLong: "message too long"
        case .valueTooLong: "value too long"
        case .tooManyMessages: "too many messages"
        }
    }

    private static func octets(_ value: JSONValue?) -> [UInt8]? { value?.stringBytes.flatMap { Hex.decode($0) } }

    private static func list(_ value: JSONValue?) -> [[UInt8]]? {
        guard let elements = value?.elements else { return nil }
        var list: [[UInt8]] = []
        for element in elements {
            guard let octets = octets(element) else { return nil }
            list.append(octets)
        }
        return list
    }

    /// Cuts a message; nil where the file does not say how.
    private static func cutting(_ each: JSONValue) -> Comparison? {
        guard let mtu = each["mtu"]?.int64.flatMap(UInt16.init(exactly:)), let message = octets(each["message"]),
            let values = list(each["values"])
        else { return nil }
        var cutter = FragmentCutter()
        var value = AttributeValue()
        var found: [String] = []
        cutter.begin()
        while cutter.offer(message.span, mtu: mtu, into: &value) {
            found.append(Hex.text((0..<value.count).map { value.storage[$0] }))
            cutter.take()
        }
        return Comparison(expected: values.map { Hex.text($0) }, found: found)
    }

    /// Puts messages together, until they are or until the first fault; nil where the file does not say of what.
    private static func joining(_ each: JSONValue, _ member: String, isStream: Bool) -> Comparison? {
        guard let pieces = list(each[member]), let messages = list(each["messages"]), let error = each["error"] else { return nil }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: MessageSize.buffer, alignment: 16)
        defer { memory.deallocate() }
        var buffer = MessageBuffer(memory: memory)
        var assembler = StreamAssembler()
        var found: [String] = []
        var fault: MessageFault?
        for piece in pieces where fault == nil {
            do throws(MessageFault) {
                if isStream {
                    try assembler.accept(piece.span, into: &buffer)
                } else {
                    _ = try FragmentAssembler.accept(piece.span, into: &buffer)
                }
            } catch {
                fault = error
            }
            while let message = buffer.withFirst({ octets in (0..<octets.count).map { octets[$0] } }) {
                found.append(Hex.text(message))
                buffer.removeFirst()
            }
        }
        let expected = messages.map { Hex.text($0) } + [error.string ?? "no error"]
        return Comparison(expected: expected, found: found + [fault.map(text) ?? "no error"])
    }
}

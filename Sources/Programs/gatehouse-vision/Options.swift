import Glibc
import VisionProtocol

/// What the gate says when it starts its supervisor, and the supervisor hands on to each worker as it is.
struct Options {
    var plugin = ""
    var models = ""
    var configuration: String?
    var user: String?
    /// Mebibytes.
    var memory: UInt64 = 1024
    /// Milliseconds.
    var referenceTime: UInt64 = 4000
    var probeTime: UInt64 = 1500
    /// What a face has to be for its template to be of use; nil where each is.
    var gates: FrameGates?
    var isLenient = false
    var command: String?
    var commandUser: String?
    /// The process that has to be the parent's.
    var parent: Int32?
    /// As they came, but for `--parent`.
    private(set) var texts: [String] = []

    /// nil where something is no option, or no value of one.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--lenient" {
                isLenient = true
                texts.append(name)
                continue
            }
            guard let value = rest.popFirst(), set(name, value) else { return nil }
            if name != "--parent" { texts += [name, value] }
        }
        guard memory >= 512, memory <= 1 << 20, referenceTime <= 600_000, probeTime <= 600_000 else { return nil }
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "--plugin": plugin = value
        case "--models": models = value
        case "--configuration": configuration = value
        case "--user": user = value
        case "--command": command = value
        case "--command-user": commandUser = value
        case "--memory": return Self.take(value, &memory)
        case "--reference-time": return Self.take(value, &referenceTime)
        case "--probe-time": return Self.take(value, &probeTime)
        case "--gates":
            gates = FrameGates(option: value)
            return gates != nil
        case "--parent":
            parent = Int32(value)
            return parent != nil
        default: return false
        }
        return true
    }

    private static func take(_ text: String, _ number: inout UInt64) -> Bool {
        guard let value = UInt64(text) else { return false }
        number = value
        return true
    }
}

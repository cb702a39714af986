/// JSON-LD that asks for as much work or memory as it can, within the size of a message and the limits of the JSON parser.
public struct HostileDocument: Sendable, CustomStringConvertible {
    public let name: String
    public let text: String
    /// Pinned contexts it names.
    public let contexts: [String: String]

    public var description: String { name }
    public var octets: [UInt8] { Array(text.utf8) }

    init(_ name: String, _ text: String, contexts: [String: String] = [:]) {
        self.name = name
        self.text = text
        self.contexts = contexts
    }

    public static let all: [HostileDocument] = graphs + contexts + names + values
}

func list(_ count: Int, _ item: (Int) -> String) -> String { (0..<count).map(item).joined(separator: ",") }

func long(_ count: Int, _ letter: String = "a") -> String { String(repeating: letter, count: count) }

/// What an examination of a board found, part by part, for people and for programs.
public struct DoctorReport: Sendable {
    public var sections: [Section]

    public init(_ sections: [Section]) {
        self.sections = sections
    }

    /// The rows that keep the gate from working, or soon will.
    public var troubles: [Row] { sections.flatMap(\.rows).filter { $0.state == .trouble } }

    /// One part of the board.
    public struct Section: Sendable {
        public let name: String
        /// The whole part in one line; nil where only the rows say something.
        public var summary: String?
        public var rows: [Row] = []

        public init(_ name: String, summary: String? = nil) {
            self.name = name
            self.summary = summary
        }

        mutating func add(_ name: String, _ value: String) {
            rows.append(Row(name: name, value: value, state: .ok))
        }

        /// Something to know, which does not keep the gate from working.
        mutating func note(_ name: String, _ value: String, _ remedy: Remedy? = nil) {
            rows.append(Row(name: name, value: value, state: .note, remedy: remedy))
        }

        mutating func trouble(_ name: String, _ code: String, _ sentence: String, _ remedy: Remedy) {
            rows.append(Row(name: name, value: sentence, state: .trouble, code: code, remedy: remedy))
        }
    }

    public struct Row: Hashable, Sendable {
        public let name: String
        /// A fact, or, of a trouble, the sentence.
        public let value: String
        public let state: State
        /// Which trouble it is: stays the same from version to version.
        public var code: String?
        /// What to do; every trouble has one.
        public var remedy: Remedy?
    }

    public enum State: String, Sendable {
        case ok, note, trouble
    }

    /// What to do about something, and the command that does it or is the first step to it.
    public struct Remedy: Hashable, Sendable {
        public let advice: String
        public let command: String

        public init(_ advice: String, _ command: String) {
            self.advice = advice
            self.command = command
        }

        /// A path as one word of a command, whatever is in it.
        static func word(_ path: String) -> String {
            let isPlain = path.utf8.allSatisfy { octet in
                (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet)
                    || "/._-+,:@%".utf8.contains(octet)
            }
            if isPlain && !path.isEmpty { return path }
            return "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        }
    }
}

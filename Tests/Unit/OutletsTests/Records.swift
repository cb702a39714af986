import JSON

/// Audit records as a gate writes them.
enum Records {
    static func parse(_ line: String) throws -> JSONValue { try JSONDocument(parsing: Array(line.utf8)).root }

    /// - Parameter members: what follows the members that every record has, with a comma in front of each.
    static func line(_ sequence: Int, _ event: String, at: Int64 = 1_800_000_007, _ members: String = "") -> String {
        let previous = String(repeating: "0", count: 64)
        return #"{"seq":\#(sequence),"prev":"\#(previous)","at":\#(at),"up":912345,"event":"\#(event)"\#(members)}"#
    }

    static let accepted = #","visit":6,"outcome":"accepted","form":"sd_jwt","issuer":"https://issuer.example","openedMs":74,"decidedMs":75"#
    static let rejected = #","visit":7,"outcome":"rejected","reasons":["expired","no-match"],"openedMs":80,"decidedMs":1200,"faceMs":1115"#
}

/// Prometheus' text format 0.0.4. Not OpenMetrics, which node_exporter's textfile collector takes for untyped, and no timestamps, for which
/// it refuses the whole file.
struct MetricText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    /// What a server that gives it out calls it.
    static var contentType: String { "text/plain; version=0.0.4; charset=utf-8" }

    private(set) var octets: [UInt8] = []

    /// The two lines before the samples of a family.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        add("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
        add(name)
        if !labels.isEmpty {
            add("{")
            for (index, label) in labels.enumerated() {
                add("\(index == 0 ? "" : ",")\(label.name)=\"")
                for octet in label.value.utf8 { escape(octet) }
                add("\"")
            }
            add("}")
        }
        add(" \(value)\n")
    }

    /// A family of one sample without labels.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: String) {
        family(name, kind, help)
        sample(name, [], value)
    }

    private mutating func add(_ text: String) { octets.append(contentsOf: text.utf8) }

    /// Backslash, quote and newline are the only ones that the format gives a second meaning.
    private mutating func escape(_ octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): octets += [UInt8(ascii: "\\"), octet]
        case 0x0A: octets += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        default: octets.append(octet)
        }
    }
}

import Envelopes

/// Visits by hour as an SVG document. What was accepted is filled, what was rejected is hatched, what ended without a verdict is dotted, so
/// that they can be told apart in black and white too. Nothing is fetched from anywhere, and every text is escaped.
public struct AuditChart {
    /// The plot's edges, in a picture of 960 by 480.
    private static let (left, right, top, bottom) = (70.0, 940.0, 90.0, 400.0)
    /// A week, hour by hour. A longer time has wider bars.
    private static let mostBars: Int64 = 168
    private static let mostLabels = 9
    /// Hours from one label to the next, where bars are shorter than a day.
    private static let labelled: [Int64] = [1, 2, 3, 6, 12, 24, 48, 96, 192, 384]
    /// What a bar may stand for, in hours; beyond the last, doubled until there are few enough.
    private static let steps: [Int64] = [1, 2, 3, 6, 12, 24, 168]
    private static let kinds = [("accepted", "accepted"), ("rejected", "rejected"), ("ended", "ended without a verdict")]
    /// Of a name in the title.
    private static let mostCharacters = 40

    /// What happened in `step` hours, from the first of them.
    private struct Bar {
        let hour: Int64
        var parts: [UInt64] = [0, 0, 0]

        var total: UInt64 { parts.reduce(0, +) }
    }

    private let bars: [Bar]
    private let step: Int64
    private let gate: String
    /// Below the legend, of what somebody may want to ask about.
    private let door: String
    private static let doorEvents = ["emergency", "forced", "held", "tamper", "supervisor-used", "lines-lost"]

    public init(_ statistics: AuditStatistics) {
        self.init(statistics.hours, gate: statistics.gateName, door: statistics.doorEvents.rows)
    }

    /// - Parameter gate: what the gate calls itself, which may be anything; empty where that is not on record.
    init(_ hours: [AuditHour], gate: String, door: [AuditStatistics.Count] = []) {
        self.gate = gate
        let told = Self.doorEvents.compactMap { name in door.first { $0.name == name } }
        self.door = told.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        let visited = hours.filter { $0.visits > 0 }
        guard let first = visited.map(\.hour).min(), let last = visited.map(\.hour).max() else {
            (bars, step) = ([], 1)
            return
        }
        let step = Self.step(from: first, to: last), begin = first / step
        var bars = (begin...last / step).map { Bar(hour: $0 * step) }
        for hour in visited {
            let place = Int(hour.hour / step - begin)
            for (kind, count) in [hour.accepted, hour.rejected, hour.withoutVerdict].enumerated() { bars[place].parts[kind] += count }
        }
        (self.bars, self.step) = (bars, step)
    }

    private static func step(from first: Int64, to last: Int64) -> Int64 {
        func fits(_ step: Int64) -> Bool { last / step - first / step < mostBars }
        if let step = steps.first(where: fits) { return step }
        var step = steps.last ?? 1
        while !fits(step) { step *= 2 }
        return step
    }

    /// The document's text.
    public var svg: String {
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="960" height="480" viewBox="0 0 960 480" role="img" \
            font-family="sans-serif" font-size="12">
            <title>\(Self.escaped(title))</title>
            <defs>
            <pattern id="rejected" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" fill="#fff"/>\
            <path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" stroke="#b3261e" stroke-width="1.6"/></pattern>
            <pattern id="ended" width="5" height="5" patternUnits="userSpaceOnUse"><rect width="5" height="5" fill="#fff"/>\
            <circle cx="2.5" cy="2.5" r="0.9" fill="#333"/></pattern>
            </defs>
            <rect width="960" height="480" fill="#fff"/>
            <text x="480" y="30" text-anchor="middle" font-size="16" fill="#222">\(Self.escaped(title))</text>

            """
        let (highest, tick) = scale
        text += legend + Self.grid(highest, tick)
        if !door.isEmpty {
            text += "<text x=\"505\" y=\"81\" text-anchor=\"middle\" fill=\"#222\">at the door: \(Self.escaped(door))</text>\n"
        }
        for (place, bar) in bars.enumerated() { text += drawn(bar, at: place, highest) }
        if bars.isEmpty { text += "<text x=\"505\" y=\"245\" text-anchor=\"middle\" fill=\"#222\">no visits</text>\n" }
        text += """
            <path d="M70 90V400H940" fill="none" stroke="#222"/>
            <g fill="#222">
            \(labels)<text x="505" y="460" text-anchor="middle">date and hour, UTC by the gate's clock</text>
            <text x="20" y="245" text-anchor="middle" transform="rotate(-90 20 245)">visits \(Self.words(for: step))</text>
            </g>
            </svg>

            """
        return text
    }

    private var title: String {
        let name = gate.count > Self.mostCharacters ? String(gate.prefix(Self.mostCharacters - 1)) + "…" : gate
        let begin = "Visits" + (name.isEmpty ? "" : " at " + name) + " " + Self.words(for: step)
        guard let first = bars.first, let last = bars.last else { return begin }
        let days = [Self.date(first.hour), Self.date(last.hour + step - 1)]
        return begin + ", " + (days[0] == days[1] ? days[0] : days[0] + " to " + days[1])
    }

    private static func words(for step: Int64) -> String {
        switch step {
        case 1: "by hour"
        case 24: "by day"
        case ..<24: "in \(step) hours each"
        default: "in \(step / 24) days each"
        }
    }

    // MARK: parts

    private var legend: String {
        var text = "<g fill=\"#222\">\n"
        for (place, kind) in Self.kinds.enumerated() {
            let x = 290 + 130 * place
            text +=
                "<rect x=\"\(x)\" y=\"52\" width=\"18\" height=\"12\" fill=\"\(Self.fill(place))\" stroke=\"#222\" stroke-width=\"0.8\"/>"
            text += "<text x=\"\(x + 25)\" y=\"62\">\(kind.1)</text>\n"
        }
        return text + "</g>\n"
    }

    private static func fill(_ kind: Int) -> String { kind == 0 ? "#2f6f4f" : "url(#\(kinds[kind].0))" }

    /// The highest line, and the distance of two: 1, 2 or 5 times a power of ten, at most six of them.
    private var scale: (highest: UInt64, tick: UInt64) {
        let most = max(1, bars.map(\.total).max() ?? 1)
        var power: UInt64 = 1
        while true {
            for tick in [power, 2 * power, 5 * power] {
                let count = (most - 1) / tick + 1
                if count <= 6 { return (count * tick, tick) }
            }
            power *= 10
        }
    }

    private static func grid(_ highest: UInt64, _ tick: UInt64) -> String {
        var lines = "<g stroke=\"#ddd\">\n", words = "<g fill=\"#222\" text-anchor=\"end\">\n"
        for step in 0...highest / tick {
            let y = bottom - Double(step * tick) / Double(highest) * (bottom - top)
            lines += "<path d=\"M70 \(decimal(y))H940\"/>\n"
            words += "<text x=\"62\" y=\"\(decimal(y + 4))\">\(step * tick)</text>\n"
        }
        return lines + "</g>\n" + words + "</g>\n"
    }

    /// What a bar has of the plot's width.
    private var room: Double { (Self.right - Self.left) / Double(max(1, bars.count)) }

    private func middle(of place: Int) -> Double { Self.left + (Double(place) + 0.5) * room }

    private func drawn(_ bar: Bar, at place: Int, _ highest: UInt64) -> String {
        let width = min(room * 0.8, 60), x = Self.decimal(middle(of: place) - width / 2)
        var text = "", y = Self.bottom
        for (kind, count) in bar.parts.enumerated() where count > 0 {
            let height = Double(count) / Double(highest) * (Self.bottom - Self.top)
            y -= height
            text += "<rect x=\"\(x)\" y=\"\(Self.decimal(y))\" width=\"\(Self.decimal(width))\" height=\"\(Self.decimal(height))\" "
            text += "fill=\"\(Self.fill(kind))\" stroke=\"#222\" stroke-width=\"0.5\"/>\n"
        }
        return text
    }

    /// Below the plot, of some bars when they begin: the date, and above it the hour where bars are shorter than a day, round ones.
    private var labels: String {
        let every = max(1, (bars.count + Self.mostLabels - 1) / Self.mostLabels), least = Int64(every) * step
        let hours = Self.labelled.first { $0 >= least } ?? least
        var text = ""
        for (place, bar) in bars.enumerated() where step < 24 ? bar.hour % hours == 0 : place % every == 0 {
            let x = Self.decimal(middle(of: place))
            text += "<text x=\"\(x)\" y=\"433\" text-anchor=\"middle\">\(Self.date(bar.hour))</text>\n"
            if step < 24 {
                let hour = bar.hour % 24
                text += "<text x=\"\(x)\" y=\"417\" text-anchor=\"middle\">\(hour < 10 ? "0" : "")\(hour):00</text>\n"
            }
        }
        return text
    }

    private static func date(_ hour: Int64) -> String {
        // The last step may reach beyond what can be written.
        Timestamp.text(min(hour * 3600, Timestamp.latest)).map { String($0.prefix(10)) } ?? "?"
    }

    /// A coordinate with one decimal.
    private static func decimal(_ value: Double) -> String { String((value * 10).rounded() / 10) }

    /// Text of somebody else's in XML 1.0: its markup is none, and what XML cannot hold or would turn the reading direction is replaced.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: escaped += "&amp;"
            case 0x3C: escaped += "&lt;"
            case 0x3E: escaped += "&gt;"
            case 0x22: escaped += "&quot;"
            case 0x27: escaped += "&apos;"
            case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE...0xFFFF: escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

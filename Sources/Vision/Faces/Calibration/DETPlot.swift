/// A detection error trade-off plot as an SVG document: false non-matches over false matches at every threshold, both axes in normal
/// deviates.
///
/// Left of the dashed line the rate is too low for so many pairs to show: fewer than three errors are expected there.
public struct DETPlot: Sendable {
    private static let size = 640.0
    private static let margin = 70.0
    /// The rates at the ends of both axes.
    private static let least = 1e-5
    private static let most = 0.6
    private static let ticks: [(rate: Double, label: String)] = [
        (1e-5, "0.001"), (1e-4, "0.01"), (1e-3, "0.1"), (0.005, "0.5"), (0.01, "1"), (0.02, "2"), (0.05, "5"), (0.1, "10"), (0.2, "20"),
        (0.4, "40"),
    ]

    private let scores: LabelledScores
    private let choice: ThresholdChoice?

    public init(_ scores: LabelledScores, choice: ThresholdChoice?) {
        self.scores = scores
        self.choice = choice
    }

    /// The document's text.
    public var svg: String {
        let end = Self.size - Self.margin
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="640" height="640" viewBox="0 0 640 640" font-family="sans-serif" font-size="12">
            <rect width="640" height="640" fill="#fff"/>
            <g stroke="#ddd">

            """
        for tick in Self.ticks {
            let at = Self.decimal(Self.across(tick.rate)), up = Self.decimal(Self.down(tick.rate))
            text += "<path d=\"M\(at) 70V570M70 \(up)H570\"/>\n"
        }
        text += "</g>\n<g fill=\"#333\">\n"
        for tick in Self.ticks {
            text += "<text x=\"\(Self.decimal(Self.across(tick.rate)))\" y=\"588\" text-anchor=\"middle\">\(tick.label)</text>\n"
            text += "<text x=\"62\" y=\"\(Self.decimal(Self.down(tick.rate) + 4))\" text-anchor=\"end\">\(tick.label)</text>\n"
        }
        text += """
            <text x="320" y="612" text-anchor="middle">false match rate, %</text>
            <text x="20" y="320" text-anchor="middle" transform="rotate(-90 20 320)">false non-match rate, %</text>
            <text x="320" y="40" text-anchor="middle">\(title)</text>
            </g>
            <rect x="70" y="70" width="500" height="500" fill="none" stroke="#333"/>
            <path d="M\(Self.decimal(min(end, Self.across(3 / Double(scores.impostor.count))))) 70V570" stroke="#888" stroke-dasharray="4 4"/>
            <polyline fill="none" stroke="#06c" stroke-width="2" points="\(points)"/>

            """
        if let choice {
            let x = Self.decimal(Self.across(choice.falseMatches.rate ?? 0)), y = Self.decimal(Self.down(choice.falseNonMatches.rate ?? 0))
            text += "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"5\" fill=\"#c00\"/>\n"
            text += "<text x=\"560\" y=\"90\" text-anchor=\"end\" fill=\"#c00\">threshold \(choice.threshold)</text>\n"
        }
        return text + "</svg>\n"
    }

    private var title: String {
        "\(scores.impostor.count) pairs of different people, \(scores.genuine.count) of the same, \(scores.people) people"
    }

    /// The curve from the strictest threshold to the laxest: a corner wherever a rate has changed by enough to be seen.
    private var points: String {
        var corners: [String] = []
        var drawn = (falseMatches: -1.0, falseNonMatches: -1.0)
        // Above the highest score there is nothing left to pass.
        for threshold in [2] + Set(scores.genuine + scores.impostor).sorted(by: >) {
            let falseMatches = scores.falseMatches(at: threshold).rate ?? 0,
                falseNonMatches = scores.falseNonMatches(at: threshold).rate ?? 0
            guard Self.isSeen(drawn.falseMatches, falseMatches) || Self.isSeen(drawn.falseNonMatches, falseNonMatches) else { continue }
            drawn = (falseMatches, falseNonMatches)
            let corner = Self.decimal(Self.across(falseMatches)) + "," + Self.decimal(Self.down(falseNonMatches))
            if corner != corners.last { corners.append(corner) }
        }
        return corners.joined(separator: " ")
    }

    private static func isSeen(_ old: Double, _ new: Double) -> Bool {
        min(old, new) <= 0 ? old != new : abs(new - old) > 0.002 * min(old, new)
    }

    /// Where a rate lies on an axis, 0 to 1; rates beyond its ends lie at the ends.
    private static func place(_ rate: Double) -> Double {
        let low = NormalDeviate.of(least), high = NormalDeviate.of(most)
        return (NormalDeviate.of(min(max(rate, least), most)) - low) / (high - low)
    }

    private static func across(_ rate: Double) -> Double { margin + place(rate) * (size - 2 * margin) }
    private static func down(_ rate: Double) -> Double { size - margin - place(rate) * (size - 2 * margin) }

    /// A coordinate with one decimal.
    private static func decimal(_ value: Double) -> String { String((value * 10).rounded() / 10) }
}

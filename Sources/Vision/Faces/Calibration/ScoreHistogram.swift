/// How alike the pairs of one person are, and those of two, as an SVG document: the share of each kind's pairs over the similarity, and the
/// threshold between them.
///
/// The two kinds share an axis as shares, since there are many more pairs of two people than of one.
public struct ScoreHistogram: Sendable {
    /// Over the whole range of a similarity, 0 to 1.
    package static let bins = 50
    private static let (left, top, width, height) = (70.0, 70.0, 500.0, 300.0)
    /// How much the upper end of the axis may be.
    private static let ends = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]

    private let scores: LabelledScores
    private let threshold: Double?

    public init(_ scores: LabelledScores, threshold: Double?) {
        self.scores = scores
        self.threshold = threshold
    }

    /// The document's text.
    public var svg: String {
        let genuine = Self.shares(scores.genuine), impostor = Self.shares(scores.impostor)
        let most = max(genuine.max() ?? 0, impostor.max() ?? 0)
        let end = Self.ends.first { $0 >= most } ?? 1
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="640" height="440" viewBox="0 0 640 440" font-family="sans-serif" font-size="12">
            <rect width="640" height="440" fill="#fff"/>
            <g stroke="#ddd">

            """
        for step in 0...10 { text += "<path d=\"M\(Self.across(Double(step) / 10)) 70V370\"/>\n" }
        for step in 0...5 { text += "<path d=\"M70 \(Self.down(Double(step) / 5, of: 1))H570\"/>\n" }
        text += "</g>\n<g fill=\"#333\">\n"
        for step in 0...10 {
            let label = step == 10 ? "1" : step == 0 ? "0" : "0.\(step)"
            text += "<text x=\"\(Self.across(Double(step) / 10))\" y=\"388\" text-anchor=\"middle\">\(label)</text>\n"
        }
        for step in 0...5 {
            let label = Int((end * Double(step) * 20).rounded())
            text += "<text x=\"62\" y=\"\(Self.down(Double(step) / 5, of: 1, by: 4))\" text-anchor=\"end\">\(label)</text>\n"
        }
        text += """
            <text x="320" y="412" text-anchor="middle">similarity</text>
            <text x="20" y="220" text-anchor="middle" transform="rotate(-90 20 220)">pairs, % of their kind</text>
            </g>
            <text x="70" y="40" fill="#c60">\(scores.impostor.count) pairs of two people</text>
            <text x="570" y="40" text-anchor="end" fill="#06c">\(scores.genuine.count) pairs of one person</text>
            \(Self.outline(impostor, of: end, colour: "#c60"))
            \(Self.outline(genuine, of: end, colour: "#06c"))
            <rect x="70" y="70" width="500" height="300" fill="none" stroke="#333"/>

            """
        if let threshold {
            let x = Self.across(threshold)
            text += "<path d=\"M\(x) 70V370\" stroke=\"#c00\" stroke-dasharray=\"4 4\"/>\n"
            text += "<text x=\"\(x)\" y=\"62\" text-anchor=\"middle\" fill=\"#c00\">threshold \(threshold)</text>\n"
        }
        return text + "</svg>\n"
    }

    /// The share of the scores in each bin; one of 1 is in the last.
    package static func shares(_ scores: [Double]) -> [Double] {
        var counts = Array(repeating: 0, count: bins)
        for score in scores { counts[min(Int(max(score, 0) * Double(bins)), bins - 1)] += 1 }
        return counts.map { Double($0) / Double(max(scores.count, 1)) }
    }

    /// The bins' upper edges, closed along the axis.
    private static func outline(_ shares: [Double], of end: Double, colour: String) -> String {
        var path = "M\(across(0)) \(down(0, of: end))"
        for (bin, share) in shares.enumerated() { path += "V\(down(share, of: end))H\(across(Double(bin + 1) / Double(bins)))" }
        return "<path d=\"\(path)V\(down(0, of: end))Z\" fill=\"\(colour)\" fill-opacity=\"0.25\" stroke=\"\(colour)\"/>"
    }

    /// Coordinates with one decimal.
    private static func across(_ similarity: Double) -> Double { ((left + min(max(similarity, 0), 1) * width) * 10).rounded() / 10 }
    private static func down(_ share: Double, of end: Double, by more: Double = 0) -> Double {
        ((top + height - share / end * height + more) * 10).rounded() / 10
    }
}

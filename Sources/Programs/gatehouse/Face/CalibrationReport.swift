import Appliance
import Faces
import VisionProtocol

/// What `calibrate` prints.
struct CalibrationReport {
    let run: CalibrationRun
    let identity: PluginIdentity
    let scores: LabelledScores
    let choice: ThresholdChoice
    /// The false match rate that was asked for.
    let wanted: Double

    var text: String {
        var lines = [Self.counts(of: run, by: identity)]
        lines.append("pairs          \(scores.genuine.count) of one person, \(scores.impostor.count) of two")
        lines.append(
            "               of \(scores.people) people: the pairs of two come from \(scores.falseMatchesOfPeople(at: 0).trials) pairs of people, "
                + "\(scores.independentPairs) of which share nobody")
        lines.append("")
        lines.append("threshold      false matches           rate  95 %                false non-matches       rate  95 %")
        for threshold in rows { lines.append(row(threshold)) }
        lines.append("")
        lines += conclusion
        return lines.joined(separator: "\n")
    }

    /// Pictures, and what became of them.
    static func counts(of run: CalibrationRun, by identity: PluginIdentity) -> String {
        var lines = ["plug-in        \(identity.id) \(identity.version), models \(identity.modelSHA256)"]
        lines.append("pictures       \(run.folder.pictures.count) of \(run.folder.people.count) people")
        lines.append("not enrolled   " + list(run.notEnrolled.map { ($0.code, $1) }))
        lines.append("not compared   " + list(run.notCompared.map { ($0.code, $1) }))
        lines.append("compared, but not good enough for the gate   " + list(run.flaws.map { ($0.code, $1) }))
        return lines.joined(separator: "\n")
    }

    private static func list(_ counts: [(code: String, count: Int)]) -> String {
        guard !counts.isEmpty else { return "none" }
        return counts.sorted { $0.code < $1.code }.map { "\($0.code) \($0.count)" }.joined(separator: ", ")
    }

    /// Every twentieth, where both kinds of errors are not all or none, and the chosen one.
    private var rows: [Double] {
        let low = min(scores.genuine.first ?? 0, scores.impostor.first ?? 0),
            high = max(scores.genuine.last ?? 1, scores.impostor.last ?? 1)
        let grid = (0...20).map { Double($0) / 20 }.filter { $0 > low && $0 - 0.05 < high }
        return (grid.filter { $0 != choice.threshold } + [choice.threshold]).sorted()
    }

    private func row(_ threshold: Double) -> String {
        let mark = threshold == choice.threshold ? "*" : " "
        return Self.padded(Self.decimal(threshold, 6), 9) + mark + "  " + cells(scores.falseMatches(at: threshold)) + "  "
            + cells(scores.falseNonMatches(at: threshold))
    }

    private func cells(_ rate: ErrorRate) -> String {
        let interval = rate.interval()
        let bounds = Self.percent(interval.lowerBound) + "-" + Self.percent(interval.upperBound)
        return Self.padded("\(rate.errors)/\(rate.trials)", 16) + Self.padded(Self.percent(rate.rate ?? 0) + " %", 11) + "  "
            + bounds + String(repeating: " ", count: max(0, 18 - bounds.count))
    }

    private var conclusion: [String] {
        let matches = choice.falseMatches, nonMatches = choice.falseNonMatches, people = scores.falseMatchesOfPeople(at: choice.threshold)
        var lines = [
            "* threshold \(Self.decimal(choice.threshold, 6)): \(matches.errors) of \(matches.trials) pairs of two people pass. With 95 % confidence "
                + "the false match rate of one comparison is at most \(Self.percent(choice.bound)) %, were the pairs independent.",
            "  \(people.errors) of \(people.trials) pairs of people pass: "
                + "a rate of at most \(Self.percent(people.upperBound())) %, one trial for two people.",
            "  \(nonMatches.errors) of \(nonMatches.trials) pairs of one person do not pass: at most \(Self.percent(nonMatches.upperBound())) %.",
        ]
        if !choice.isShown {
            let needed = ThresholdChoice.pairsNeeded(falseMatchRate: wanted).map { "\($0)" } ?? "more"
            lines += [
                "  NOT SHOWN: a false match rate of \(Self.percent(wanted)) % takes at least \(needed) independent pairs of two people "
                    + "without an error.",
                "  Until there are as many, a threshold that is in force is not lowered.",
            ]
        }
        return lines
    }

    static func sentence(_ error: CalibrationError) -> String {
        switch error {
        case .noGenuinePairs: "no two pictures of one person could be compared"
        case .noImpostorPairs: "no pictures of two people could be compared"
        case .notAScore: "the matcher gave something that is no similarity"
        case .noThreshold: "pictures of two people have the highest similarity there is: is somebody in two folders?"
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// In percent, with three digits that count.
    static func percent(_ rate: Double) -> String {
        let percent = rate * 100
        guard percent >= 0.000_01 else { return "0" }
        var places = 2, limit = 1.0
        while percent < limit, places < 7 {
            places += 1
            limit /= 10
        }
        return decimal(percent, percent >= 99.95 ? 0 : percent >= 10 ? 1 : places)
    }

    /// With so many digits after the point, at most 15.
    static func decimal(_ value: Double, _ places: Int) -> String {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let digits = String(Int64((value * scale).rounded()))
        guard places > 0 else { return digits }
        let filled = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return filled.dropLast(places) + "." + filled.suffix(places)
    }
}

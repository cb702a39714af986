import Testing

@testable import Audit

private func hour(_ hour: Int64, _ accepted: UInt64, _ rejected: UInt64 = 0, _ withoutVerdict: UInt64 = 0) -> AuditHour {
    var row = AuditHour(hour: hour)
    (row.accepted, row.rejected, row.withoutVerdict) = (accepted, rejected, withoutVerdict)
    return row
}

/// 2026-11-22T00:00:00Z.
private let midnight = Int64(MadeLog.midnight / 3600)

/// The heights of bars with a filling, rounded.
private func heights(_ picture: String, _ filling: String) -> [Int] {
    picture.split(separator: "\n").compactMap { line in
        guard line.contains("fill=\"\(filling)\" stroke=\"#222\" stroke-width=\"0.5\""), let begin = line.firstRange(of: " height=\"")
        else {
            return nil
        }
        return Double(line[begin.upperBound...].prefix { $0 != "\"" }).map { Int($0.rounded()) }
    }
}

@Test func barsAreStackedAndTellThemselvesApartWithoutColour() {
    let picture = AuditChart([hour(midnight + 6, 10, 5, 5), hour(midnight + 8, 2)], gate: "NORTH").svg
    // 20 visits are the highest line, and the plot has a height of 310.
    #expect(
        heights(picture, "#2f6f4f") == [155, 31] && heights(picture, "url(#rejected)") == [78] && heights(picture, "url(#ended)") == [78])
    // One on the other.
    for part in ["y=\"245.0\" width=\"60.0\" height=\"155.0\"", "y=\"167.5\" width=\"60.0\" height=\"77.5\"", "y=\"90.0\" width=\"60.0\""] {
        #expect(picture.contains(part))
    }
    #expect(picture.contains("<title>Visits at NORTH by hour, 2026-11-22</title>"))
    #expect(picture.contains(">06:00<") && picture.contains(">07:00<") && picture.contains(">08:00<") && picture.contains(">2026-11-22<"))
    #expect(picture.contains(">visits by hour<") && picture.contains(">date and hour, UTC by the gate's clock<"))
    for word in ["accepted", "rejected", "ended without a verdict"] { #expect(picture.contains(">\(word)<")) }
    #expect(picture.contains("<pattern id=\"rejected\"") && picture.contains("<pattern id=\"ended\""))
    #expect(!picture.contains("href") && !picture.contains("<style") && !picture.contains("@import"))
}

@Test func aLongTimeHasWiderBars() {
    func words(_ hours: Int64) -> String {
        let picture = AuditChart([hour(midnight, 1), hour(midnight + hours, 1)], gate: "").svg
        #expect(heights(picture, "#2f6f4f").count == 2)
        return picture.split(separator: "\n").first { $0.hasPrefix("<title>") }.map(String.init) ?? ""
    }
    #expect(words(167) == "<title>Visits by hour, 2026-11-22 to 2026-11-28</title>")
    #expect(words(168) == "<title>Visits in 2 hours each, 2026-11-22 to 2026-11-29</title>")
    #expect(words(24 * 150).contains("by day") && words(24 * 365).contains("in 7 days each"))
    // A clock that was not set once: from 1970 on, and to the last day there is.
    let ends = AuditChart([hour(0, 1), hour(253_402_300_799 / 3600, 1)], gate: "").svg
    #expect(heights(ends, "#2f6f4f").count == 2 && ends.contains("1970-01-01 to 9999-12-31"))
}

@Test func aPictureOfNoVisitsSaysSo() {
    let picture = AuditChart([hour(midnight, 0)], gate: "NORTH").svg
    #expect(picture.contains(">no visits<") && heights(picture, "#2f6f4f").isEmpty && picture.hasSuffix("</svg>\n"))
}

@Test func theScaleIsRoundAndNothingIsHigherThanIt() {
    for most in [1, 2, 6, 7, 13, 99, 100, 101, 4321, 1_000_000] as [UInt64] {
        let picture = AuditChart([hour(midnight, most)], gate: "").svg
        let height = heights(picture, "#2f6f4f").first ?? 0
        #expect(height <= 310 && height > 155 || most == 1, "\(most): \(height)")
        #expect(picture.split(separator: "\n").filter { $0.hasPrefix("<path d=\"M70 ") && $0.hasSuffix("H940\"/>") }.count <= 7)
    }
}

/// Seconds to RFC 3339 `date-time`.
extension Timestamp {
    /// The last second that has a four-digit year, 9999-12-31T23:59:59Z.
    public static let latest: Seconds = 253_402_300_799

    /// The time as `2026-01-31T12:00:00Z`; nil before 1970 and after `latest`.
    public static func text(_ time: Seconds) -> String? {
        guard 0...latest ~= time else { return nil }
        let (days, second) = time.quotientAndRemainder(dividingBy: 86_400)
        // Years are counted from March, so that the leap day ends them, in the calendar's cycles of 400 years.
        let (cycle, dayOfCycle) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        return "\(date)T\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))Z"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

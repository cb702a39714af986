/// A moment as whole seconds since 1970-01-01T00:00:00Z.
public typealias Seconds = Int64

/// RFC 3339 `date-time` to seconds.
public enum Timestamp {
    /// - Parameter text: `2026-01-31T12:00:00Z`, with an optional fraction (dropped) and `Z` or `+hh:mm`.
    /// - Returns: nil for anything else, including leap seconds and dates that do not exist.
    public static func seconds(_ text: String) -> Seconds? {
        let characters = Array(text.utf8)
        guard characters.count >= 20, characters.count <= 40 else { return nil }
        func number(_ start: Int, _ length: Int) -> Int64? {
            guard start + length <= characters.count else { return nil }
            var value: Int64 = 0
            for character in characters[start..<start + length] {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= character else { return nil }
                value = value * 10 + Int64(character - UInt8(ascii: "0"))
            }
            return value
        }
        for (position, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)] {
            guard characters[position] == UInt8(ascii: separator) else { return nil }
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
            1...12 ~= month, 1...daysInMonth(month, of: year) ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        var position = 19
        if characters[position] == UInt8(ascii: ".") {
            position += 1
            let fraction = position
            while position < characters.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= characters[position] { position += 1 }
            guard position > fraction else { return nil }
        }
        guard position < characters.count else { return nil }
        var offset: Int64 = 0
        switch characters[position] {
        case UInt8(ascii: "Z"):
            guard position + 1 == characters.count else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard position + 6 == characters.count, characters[position + 3] == UInt8(ascii: ":"),
                let hours = number(position + 1, 2), let minutes = number(position + 4, 2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (characters[position] == UInt8(ascii: "+") ? 60 : -60)
        default:
            return nil
        }
        return ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset
    }

    /// ISO 8601 date and time as `xsd:dateTime` has it and as Inji's verifier reads it: laxer than `seconds`, for credentials' own dates
    /// only.
    ///
    /// - Parameter text: `2026-01-31T12:00`, with optional seconds, a fraction of them, and `Z`, `+hh:mm` or `+hh:mm:ss` of at most 18
    ///   hours; UTC where none of these is given.
    /// - Returns: whole seconds, rounded down, whether a fraction was lost and whether UTC is a guess; nil for anything else.
    package static func isoDateTime(_ text: String) -> (seconds: Seconds, isRounded: Bool, isZoneAssumed: Bool)? {
        // Longer than any fraction makes sense for.
        guard text.utf8.count <= 64 else { return nil }
        var rest = Array(text.utf8)[...]
        func take(_ separator: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: separator) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func number(_ length: Int, _ range: ClosedRange<Int64>) -> Int64? {
            let digits = rest.prefix(length)
            guard digits.count == length, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
            let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            rest = rest.dropFirst(length)
            return range.contains(value) ? value : nil
        }
        guard let year = number(4, 0...9999), take("-"), let month = number(2, 1...12), take("-"),
            let day = number(2, 1...daysInMonth(month, of: year)), take("T") || take("t"),
            let hour = number(2, 0...23), take(":"), let minute = number(2, 0...59)
        else { return nil }
        var seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60
        var isRounded = false
        if take(":") {
            guard let second = number(2, 0...59) else { return nil }
            seconds += second
            if take(".") {
                let fraction = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
                guard !fraction.isEmpty else { return nil }
                isRounded = fraction.contains { $0 != UInt8(ascii: "0") }
                rest = rest.dropFirst(fraction.count)
            }
        }
        if rest.isEmpty { return (seconds, isRounded, true) }
        if (take("Z") || take("z")) && rest.isEmpty { return (seconds, isRounded, false) }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2, 0...18), take(":"), let minutes = number(2, 0...59) else { return nil }
        var offset = (hours * 60 + minutes) * 60
        if take(":") {
            guard let more = number(2, 0...59) else { return nil }
            offset += more
        }
        guard rest.isEmpty, offset <= 18 * 3600 else { return nil }
        return (isEast ? seconds - offset : seconds + offset, isRounded, false)
    }

    private static func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar. The year is counted from March, so that the leap day ends it.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let leaps = shifted >= 0 ? shifted / 4 - shifted / 100 + shifted / 400 : -1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + leaps + dayOfYear - 719_468
    }
}

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

import CBOR
import Envelopes

/// Whether somebody is old enough (mdoc.md section 6): a holder answers a question for one age with the statement about the nearest it has.
extension MdocClaims {
    private static let agePrefix = "age_over_"
    private static let birthDate = "birth_date"
    /// "full-date" (RFC 8943), and RFC 3339 with a time.
    private static let fullDate: UInt64 = 1004, dateTime: UInt64 = 0

    /// Whether whoever the document is about is at least `years` old: what `age_over_NN` says, and where none of these decides, the date of
    /// birth. Nil where neither does, and where the issuer contradicts itself.
    ///
    /// - Parameters:
    ///   - nameSpace: where the elements stand.
    ///   - now: seconds since 1970; the day is that of UTC.
    public func isAtLeast(_ years: Int, in nameSpace: String, at now: Seconds) -> Bool? {
        guard let elements = nameSpaces.first(where: { $0.name.isExactly(nameSpace) })?.elements else { return nil }
        var isProven = false, isDisproven = false
        for element in elements {
            guard let age = Self.age(element.identifier), let holds = element.value.bool else { continue }
            if holds, age >= years { isProven = true }
            if !holds, age <= years { isDisproven = true }
        }
        if isProven || isDisproven { return isProven && isDisproven ? nil : isProven }
        guard let birth = elements.first(where: { $0.identifier.isExactly(Self.birthDate) }).flatMap({ Day($0.value) }),
            let today = Timestamp.text(now).flatMap({ Day($0) })
        else { return nil }
        return today.years(since: birth) >= years
    }

    /// NN of `age_over_NN`, two digits.
    static func age(_ identifier: String) -> Int? {
        guard identifier.utf8.starts(with: agePrefix.utf8) else { return nil }
        let digits = identifier.utf8.dropFirst(agePrefix.utf8.count)
        guard digits.count == 2, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// A day of the calendar.
    private struct Day {
        let year: Int, month: Int, day: Int

        /// A date, or the map of a photo ID (ISO/IEC 23220-2) that says which digits of it are known; nil where not all are.
        init?(_ item: CBORItem) {
            let date = item.kind == .map ? Self.exact(item) : item
            guard let date, let text = (date.content(of: fullDate) ?? date.content(of: dateTime) ?? date).text else { return nil }
            self.init(text)
        }

        /// The date of a map whose mask has no digit that is not known.
        private static func exact(_ map: CBORItem) -> CBORItem? {
            if let mask = map["approximate_mask"] {
                guard let digits = mask.textBytes, digits.allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
            }
            return map[birthDate]
        }

        /// The first ten characters of RFC 3339's `full-date` or `date-time`.
        init?(_ text: String) {
            let date = String(decoding: text.utf8.prefix(10), as: UTF8.self)
            // By way of a time, which knows how long months are.
            guard Timestamp.seconds(date + "T00:00:00Z") != nil else { return nil }
            let numbers = date.split(separator: "-").compactMap { Int($0) }
            guard numbers.count == 3 else { return nil }
            (year, month, day) = (numbers[0], numbers[1], numbers[2])
        }

        /// Whole years; whoever was born on 29 February becomes a year older on 1 March where there is no such day.
        func years(since birth: Day) -> Int {
            year - birth.year - ((month, day) < (birth.month, birth.day) ? 1 : 0)
        }
    }
}

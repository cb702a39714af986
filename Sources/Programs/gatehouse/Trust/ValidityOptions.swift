import ArgumentParser
import Envelopes

/// How long a bundle is valid, so that nobody has to write a time.
struct ValidityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "It is valid from when it is made, for so many days, whatever bundle.json says; 1 to \(ValidityOptions.longest).",
            valueName: "days"))
    var validFor: Int64?

    @Option(
        help: ArgumentHelp(
            "It is valid from when it is made until this day begins (UTC), 2027-01-31, or until this time, RFC 3339, whatever bundle.json says.",
            valueName: "date"))
    var until: String?

    /// Ten years: longer than anybody knows whom to believe.
    private static let longest: Int64 = 3650
    private static let day: Seconds = 86_400

    /// The end, exclusive; nil where neither option was given.
    func end(from created: Seconds) throws -> Seconds? {
        guard validFor == nil || until == nil else { throw ValidationError("--valid-for, --until: one of them") }
        if let validFor {
            guard 1...Self.longest ~= validFor else { throw ValidationError("--valid-for \(validFor): use 1 to \(Self.longest) days") }
            return created + validFor * Self.day
        }
        guard let until else { return nil }
        guard let end = Timestamp.seconds(until) ?? Timestamp.seconds(until + "T00:00:00Z") else {
            throw ValidationError("--until \(until): not a date such as 2027-01-31, nor an RFC 3339 time")
        }
        guard end > created else { throw ValidationError("--until \(until): that is over when the bundle is made") }
        return end
    }
}

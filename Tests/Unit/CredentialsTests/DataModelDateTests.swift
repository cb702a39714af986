import LinkedData
import Testing

@testable import Credentials
@testable import Envelopes

/// Dates as credentials write them, and when a credential holds by them.
@Suite struct DataModelDateTests {
    private static let noon: Seconds = 1_767_268_800  // 2026-01-01T12:00:00Z

    @Test(
        arguments: [
            ("2026-01-01T12:00:00Z", 0, false), ("2026-01-01T12:00:00.000Z", 0, false), ("2026-01-01T12:00:00.001Z", 0, true),
            ("2026-01-01T12:00:00.00000000000000000000000000001Z", 0, true), ("2026-01-01T12:00:00", 0, false),
            ("2026-01-01T12:00", 0, false),
            ("2026-01-01T12:00Z", 0, false), ("2026-01-01t12:00:00z", 0, false), ("2026-01-01T17:30:00+05:30", 0, false),
            ("2026-01-01T06:30:00.5-05:30", 0, true),
            ("2026-01-01T12:00:30+00:00:30", 0, false), ("2026-01-02T06:00:00+18:00", 0, false), ("2025-12-31T18:00:00-18:00", 0, false),
            ("2026-01-01T12:00:59-00:00", 59, false), ("0000-01-01T00:00:00Z", -62_167_219_200 - noon, false),
            ("9999-12-31T23:59:59Z", 253_402_300_799 - noon, false),
            ("2024-02-29T12:00:00", -58_060_800, false),
        ] as [(String, Seconds, Bool)])
    func read(_ text: String, _ sinceNoon: Seconds, _ isRounded: Bool) throws {
        let moment = try #require(Timestamp.isoDateTime(text))
        #expect(moment.seconds == Self.noon + sinceNoon && moment.isRounded == isRounded)
    }

    @Test(arguments: [
        "", " ", "2026", "2026-01-01", "2026-01-01T", "2026-01-01T12", "2026-01-01 12:00:00Z", "2026-1-1T12:00:00Z", "2026-13-01T12:00:00Z",
        "2026-00-01T12:00:00Z",
        "2026-02-29T12:00:00Z", "2026-04-31T12:00:00Z", "2026-01-00T12:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T12:60:00Z",
        "2026-01-01T12:00:60Z",
        "2026-01-01T12:00:00.Z", "2026-01-01T12:00:00,5Z", "2026-01-01T12:00:00ZZ", "2026-01-01T12:00:00Z ", " 2026-01-01T12:00:00Z",
        "2026-01-01T12:00:00+5:30",
        "2026-01-01T12:00:00+0530", "2026-01-01T12:00:00+18:01", "2026-01-01T12:00:00+19:00", "2026-01-01T12:00:00+05",
        "2026-01-01T12:00:00+05:60",
        "2026-01-01T12:00:00[UTC]", "+2026-01-01T12:00:00Z", "-2026-01-01T12:00:00Z", "12026-01-01T12:00:00Z", "20260101T120000Z",
        "1767268800",
        "2026-01-01T12:00.5Z",
        "２０２６-01-01T12:00:00Z", "2026-01-01T12:00:00\u{0}", "2026-01-01T12:00:00\u{301}Z", "2026-01-01T1２:00:00Z",
        "2026-01-01T12:00:00.0000000000000000000000000000000000000000000000000000000000001Z",
    ])
    func refused(_ text: String) {
        #expect(Timestamp.isoDateTime(text) == nil)
    }

    /// Elsewhere, dates stay as strict as RFC 3339 has them.
    @Test(arguments: ["2026-01-01T12:00:00", "2026-01-01T12:00Z", "2026-01-01t12:00:00Z", "2026-01-01T12:00:00+00:00:30"])
    func onlyHere(_ text: String) {
        #expect(Timestamp.isoDateTime(text) != nil && Timestamp.seconds(text) == nil)
    }

    private static let dateTime = "http://www.w3.org/2001/XMLSchema#dateTime"

    private func validity(
        _ dates: [(CredentialMember, String)], at time: Seconds = noon, skew: Seconds = 0
    ) -> (validity: Validity, faults: [RejectReason]) {
        let times = StatedTimes(dates.map { LinkedDate($0, text: $1, datatype: Self.dateTime) })
        return (times.validity, times.faults(at: time, skew: skew))
    }

    @Test func ends() {
        for member in [CredentialMember.expirationDate, .validUntil] {
            #expect(validity([(member, "2026-01-01T12:00:01Z")]).faults == [])
            #expect(validity([(member, "2026-01-01T12:00:00Z")]).faults == [.expired])
            #expect(validity([(member, "2026-01-01T12:00:00.999Z")]).faults == [.expired])
            #expect(validity([(member, "2026-01-01T11:59:59Z")], skew: 3600).faults == [.expired], "an end has no tolerance")
        }
        #expect(validity([(.expirationDate, "2030-01-01T00:00:00Z"), (.expirationDate, "2025-01-01T00:00:00Z")]).faults == [.expired])
        #expect(validity([(.expirationDate, "2030-01-01T00:00:00Z"), (.validUntil, "2025-01-01T00:00:00Z")]).faults == [.expired])
        #expect(validity([]).validity == Validity(notBefore: nil, expires: nil, issuedAt: nil))
    }

    @Test func starts() {
        for (member, reason) in [(CredentialMember.issuanceDate, RejectReason.issuedInFuture), (.validFrom, .notYetValid)] {
            #expect(validity([(member, "2026-01-01T12:00:00Z")]).faults == [])
            #expect(validity([(member, "2026-01-01T12:00:00.001Z")]).faults == [reason])
            #expect(validity([(member, "2026-01-01T12:00:03Z")], skew: 3).faults == [])
            #expect(validity([(member, "2026-01-01T12:00:04Z")], skew: 3).faults == [reason])
            #expect(validity([(member, "2020-01-01T00:00:00Z"), (member, "2027-01-01T00:00:00Z")]).faults == [reason])
            #expect(validity([(member, "2027-01-01T00:00:00Z")], at: .max, skew: .max).faults == [])
            #expect(validity([(member, "2027-01-01T00:00:00Z")], at: .min, skew: .min).faults == [reason])
        }
        let both = validity([
            (.issuanceDate, "2025-06-01T00:00:00Z"), (.validFrom, "2025-07-01T00:00:00Z"), (.validUntil, "2027-01-01T00:00:00Z"),
        ])
        #expect(both.faults == [])
        #expect(both.validity == Validity(notBefore: 1_751_328_000, expires: 1_798_761_600, issuedAt: 1_748_736_000))
    }

    /// A date that cannot be read is not a date that is absent.
    @Test func malformed() {
        for (text, datatype) in [
            ("soon", Self.dateTime), ("2030-01-01T00:00:00Z", Vocabulary.string.string), ("2030-01-01T00:00:00Z", ""),
            ("", Self.dateTime),
        ] {
            let past = LinkedDate(.validUntil, text: "2020-01-01T00:00:00Z", datatype: Self.dateTime)
            let dates = [LinkedDate(.expirationDate, text: text, datatype: datatype), past]
            #expect(StatedTimes(dates).faults(at: Self.noon, skew: 0) == [.timeMalformed, .expired])
        }
        for term in [
            Term.iri("urn:never"), .blankNode("b0"), .literal(Literal("2030-01-01T00:00:00Z")),
            .literal(Literal("2030-01-01T00:00:00Z", language: "en")),
        ] {
            #expect(StatedTimes([LinkedDate(.expirationDate, term)]).faults(at: Self.noon, skew: 0) == [.timeMalformed])
        }
        let stamp = Literal("2030-01-01T00:00:00Z", datatype: "http://www.w3.org/2001/XMLSchema#dateTimeStamp")
        #expect(StatedTimes([LinkedDate(.expirationDate, .literal(stamp))]).faults(at: Self.noon, skew: 0) == [])
    }
}

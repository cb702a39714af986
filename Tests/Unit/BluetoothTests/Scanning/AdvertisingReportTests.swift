import Testing

@testable import Bluetooth

/// Reports of whoever advertises, octet by octet (Core Vol 4 Part E 7.7.65.2 and 7.7.65.13).
@Suite struct AdvertisingReportTests {
    /// What is found in an event's parameters.
    static func search(_ event: [UInt8], _ set: CommandSet = .legacy) -> AdvertisingReport.Finding {
        AdvertisingReport.search(event.span, for: Phone.service, in: set)
    }

    static let uuid = Phone.serviceOctets

    @Test(
        "the service is found wherever its list is, and nowhere else",
        arguments: [
            ("11 07 \(uuid)", true), ("11 06 \(uuid)", true), ("02 01 06 11 07 \(uuid)", true), ("03 03 0F 18 11 06 \(uuid)", true),
            // Second of a list of two.
            ("21 07 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F \(uuid)", true),
            // As service data, as solicitation, cut in the list, behind the end of the data, and none at all.
            ("11 21 \(uuid)", false), ("11 15 \(uuid)", false), ("10 07 \(uuid.dropLast(3))", false), ("00 11 07 \(uuid)", false),
            ("", false),
            ("11 07 1F 1E 1D 1C 1B 1A 19 18 17 16 15 14 13 12 11 11", false), ("01 07", false),
        ])
    func data(data: String, isFound: Bool) {
        let legacy = Self.search([2, 1] + Phone.entry(data)), extended = Self.search([0x0D, 1] + Phone.extendedEntry(data), .extended)
        #expect(legacy.peer == (isFound ? Phone.peer : nil))
        #expect(extended.peer == (isFound ? Phone.peer : nil))
        #expect(!legacy.isMalformed && !extended.isMalformed)
        #expect(legacy.malformedData == 0 && extended.malformedData == 0)
    }

    @Test("a structure longer than what is left is no data, and says nothing of the reports behind it")
    func overrun() {
        let finding = Self.search([2, 2] + Phone.entry("12 07 \(Self.uuid)") + Phone.entry(Phone.advertisement))
        #expect(finding.peer == Phone.peer)
        #expect(finding.malformedData == 1 && !finding.isMalformed)
        #expect(Self.search([0x0D, 1] + Phone.extendedEntry("12 07 \(Self.uuid)"), .extended).malformedData == 1)
        // More of it comes in another report.
        #expect(Self.search([0x0D, 1] + Phone.extendedEntry("12 07 \(Self.uuid)", type: 0x0033), .extended).malformedData == 0)
    }

    @Test("only who takes connections is found, and only by an address that one connects to")
    func kinds() {
        for type in 0...5 as ClosedRange<UInt8> {
            let finding = Self.search([2, 1] + Phone.entry(Phone.advertisement, type: type))
            #expect((finding.peer != nil) == (type == 0 || type == 4), "\(type)")
        }
        let types: [(UInt16, Bool)] = [(0x13, true), (0x1B, true), (0x01, true), (0x03, true), (0x15, false), (0x12, false), (0x1A, false)]
        for (type, isFound) in types {
            let finding = Self.search([0x0D, 1] + Phone.extendedEntry(Phone.advertisement, type: type), .extended)
            #expect((finding.peer != nil) == isFound, "\(type)")
        }
        for type in [2, 3, 0xFE, 0xFF] as [UInt8] {
            #expect(Self.search([2, 1] + Phone.entry(Phone.advertisement, addressType: type)).peer == nil)
            #expect(Self.search([0x0D, 1] + Phone.extendedEntry(Phone.advertisement, addressType: type), .extended).peer == nil)
        }
        #expect(Self.search([2, 1] + Phone.entry(Phone.advertisement, addressType: 0)).peer?.isRandom == false)
    }

    @Test("the first of several counts, and what is behind it is not looked at")
    func several() {
        let other = Phone.entry("11 07 " + String(repeating: "00 ", count: 16), peer: "01 02 03 04 05 06")
        let finding = Self.search([2, 3] + other + Phone.entry(Phone.advertisement) + [9])
        #expect(finding.peer == Phone.peer && !finding.isMalformed)
        #expect(Self.search([2, 2] + other + other).peer == nil)
        #expect(Self.search([2, 1] + other + [9]).isMalformed)
    }

    @Test("a report cut anywhere is told, and finds nobody")
    func truncation() {
        let legacy = [2, 1] + Phone.entry(Phone.advertisement), extended = [0x0D, 1] + Phone.extendedEntry(Phone.advertisement)
        for count in 1..<legacy.count {
            let finding = Self.search(Array(legacy.prefix(count)))
            #expect(finding.peer == nil && finding.isMalformed, "\(count)")
        }
        for count in 1..<extended.count {
            let finding = Self.search(Array(extended.prefix(count)), .extended)
            #expect(finding.peer == nil && finding.isMalformed, "\(count)")
        }
        #expect(!Self.search([2, 0]).isMalformed)
        #expect(Self.search([2, 255] + Phone.entry("02 01 06")).isMalformed)
    }

    @Test("whatever octets come, nobody is found who does not have the UUID")
    func random() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...80, using: &numbers)
            let octets = (0..<count).map { _ in UInt8.random(in: 0...40, using: &numbers) }
            #expect(Self.search([2] + octets).peer == nil)
            #expect(Self.search([0x0D] + octets, .extended).peer == nil)
        }
    }
}

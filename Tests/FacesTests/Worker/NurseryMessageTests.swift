import Faces
import Testing

@Suite("What the nursery says")
struct NurseryMessageTests {
    static let reports: [NurseryReport] = [
        .workerStarted(serial: 1), .workerEnded(serial: .max, status: 11), .commandStarted(serial: 0x0102_0304), .commandEnded(serial: 2, status: -1),
        .notStarted(errno: 12),
    ]

    @Test("is read as it was written, in twelve octets", arguments: reports)
    func roundTrip(_ report: NurseryReport) {
        #expect(report.octets.count == NurseryReport.size)
        #expect(NurseryReport(decoding: report.octets.span) == report)
    }

    @Test("is nothing when it is cut, longer, of no kind, or not zero where it has to be", arguments: reports)
    func refusals(_ report: NurseryReport) {
        let octets = report.octets
        for count in 0..<octets.count { #expect(NurseryReport(decoding: Array(octets.prefix(count)).span) == nil) }
        #expect(NurseryReport(decoding: (octets + [0]).span) == nil)
        for (place, value) in [(0, 0), (0, 6), (0, 255), (1, 1), (2, 1), (3, 1)] as [(Int, UInt8)] {
            var changed = octets
            changed[place] = value
            #expect(NurseryReport(decoding: changed.span) == nil)
        }
    }

    @Test("the octets that can be asked")
    func requests() {
        #expect(NurseryRequest.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(NurseryRequest(rawValue: 0) == nil && NurseryRequest(rawValue: 5) == nil)
    }
}

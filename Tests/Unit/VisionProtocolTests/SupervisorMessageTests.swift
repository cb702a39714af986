import Testing
import VisionProtocol

@Suite("What the supervisor says")
struct SupervisorMessageTests {
    static let reports: [SupervisorReport] = [
        .workerStarted(serial: 1), .workerEnded(serial: .max, status: 11), .cameraProgramStarted(serial: 0x0102_0304),
        .cameraProgramEnded(serial: 2, status: -1),
        .notStarted(errno: 12),
    ]

    @Test("is read as it was written, in twelve octets", arguments: reports)
    func roundTrip(_ report: SupervisorReport) {
        #expect(report.octets.count == SupervisorReport.size)
        #expect(SupervisorReport(decoding: report.octets.span) == report)
    }

    @Test("is nothing when it is cut, longer, of no kind, or not zero where it has to be", arguments: reports)
    func refusals(_ report: SupervisorReport) {
        let octets = report.octets
        for count in 0..<octets.count { #expect(SupervisorReport(decoding: Array(octets.prefix(count)).span) == nil) }
        #expect(SupervisorReport(decoding: (octets + [0]).span) == nil)
        for (place, value) in [(0, 0), (0, 6), (0, 255), (1, 1), (2, 1), (3, 1)] as [(Int, UInt8)] {
            var changed = octets
            changed[place] = value
            #expect(SupervisorReport(decoding: changed.span) == nil)
        }
    }

    @Test("the octets that can be asked")
    func requests() {
        #expect(SupervisorRequest.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(SupervisorRequest(rawValue: 0) == nil && SupervisorRequest(rawValue: 7) == nil)
        #expect(WorkerRole.allCases.map { SupervisorRequest.start($0) } == [.startMatcher, .startCodeReader])
        #expect(WorkerRole.allCases.map { SupervisorRequest.stop($0) } == [.stopMatcher, .stopCodeReader])
    }
}

import Audit
import BoardTestSupport
import Linux
import RelayState
import Testing

@testable import Doctor

/// What is said of outlets: of those that have settings, and of no others.
@Suite struct OutletSectionTests {
    private let stage = Stage()

    private func section(now: UInt64) -> DoctorReport.Section {
        OutletSection(settings: stage.path("outlets"), states: stage.path("states"), log: stage.path("audit.jsonl"), now: now).examine()
    }

    private func put(_ state: OutletStatus.State, trouble: String? = nil, at: UInt64) throws {
        var status = OutletStatus()
        (status.state, status.trouble, status.at) = (state, trouble, at)
        try stage.put(status.octets, "states/mqtt/status")
    }

    @Test func nothingIsSaidWhereNothingIsSet() {
        let section = section(now: 0)
        #expect(section.rows.isEmpty && section.summary?.hasPrefix("none") == true)
    }

    @Test func eachStateHasItsRow() throws {
        for (folder, parent) in [("outlets", stage.folder), ("states", stage.folder), ("mqtt", stage.path("states"))] {
            try File.makeFolder(folder, in: parent)
        }
        try stage.put(Array("{}".utf8), "outlets/mqtt.json")
        #expect(section(now: 0).rows.map(\.code) == ["outlet-absent"])
        let log = try AuditLog(stage.path("audit.jsonl"))
        for _ in 0..<3 { try log.append(AuditRecord(event: "visit")) }
        let now = Clock.wallSeconds()
        try put(.connected, at: now)
        let row = try #require(section(now: now).rows.first)
        #expect(row.state == .ok && row.value.contains("delivered up to record 0") && row.value.contains("record 1, "))
        // What waits for long is said; so is one that is not connected, and one that says nothing.
        try put(.connected, at: now + 700)
        #expect(section(now: now + 700).rows.first?.state == .note)
        try put(.waiting, trouble: "credentials", at: now)
        #expect(section(now: now).rows.first?.state == .note)
        try put(.waiting, trouble: "credentials", at: now + 700)
        #expect(section(now: now + 700).rows.map(\.code) == ["outlet-waiting"])
        try put(.connected, at: now)
        #expect(section(now: now + 200).rows.map(\.code) == ["outlet-silent"])
        try put(.stopped, trouble: "gone", at: now)
        #expect(section(now: now).rows.map(\.code) == ["outlet-waiting"])
        try put(.connected, trouble: "state", at: now)
        #expect(section(now: now).rows.first?.state == .note)
        // What fetches reads no record, so none waits for it.
        try File.makeFolder("trust", in: stage.path("states"))
        try stage.put(Array("{}".utf8), "outlets/trust.json")
        var fetching = OutletStatus()
        (fetching.state, fetching.at) = (.connected, now + 700)
        try stage.put(fetching.octets, "states/trust/status")
        #expect(section(now: now + 700).rows.last?.state == .ok && section(now: now + 700).rows.last?.value == "connected")
        try stage.put(Array("nothing".utf8), "states/mqtt/cursor")
        #expect(section(now: now).rows.first?.code == "outlet-cursor")
    }

    /// What an outlet is behind by design is not late, and one record more is.
    @Test func whatIsBehindByItsSettingsIsNotLate() throws {
        for (folder, parent) in [("outlets", stage.folder), ("states", stage.folder)] { try File.makeFolder(folder, in: parent) }
        let log = try AuditLog(stage.path("audit.jsonl"))
        // What rewind says, what a receiver of syslog is sent before it is asked, and a few.
        for _ in 0..<(10 + 64 + 64) { try log.append(AuditRecord(event: "visit")) }
        let now = Clock.wallSeconds()
        func state(_ kind: String, _ settings: String, after seconds: UInt64) throws -> DoctorReport.State? {
            try? File.makeFolder(kind, in: stage.path("states"))
            try stage.put(Array(settings.utf8), "outlets/\(kind).json")
            var status = OutletStatus()
            (status.state, status.at) = (.connected, now + seconds)
            try stage.put(status.octets, "states/\(kind)/status")
            defer { try? stage.remove("outlets/\(kind).json") }
            return section(now: now + seconds).rows.first?.state
        }
        #expect(try state("syslog", "{}", after: 9000) == .ok)
        #expect(try state("syslog", #"{"rewind":10}"#, after: 9000) == .ok)
        #expect(try state("syslog", #"{"rewind":9}"#, after: 9000) == .note)
        #expect(try state("webhook", #"{"rewind":10}"#, after: 9000) == .note)
        #expect(try state("mqtt", #"{"detail":"counts","period":3600}"#, after: 4100) == .ok)
        #expect(try state("mqtt", #"{"detail":"counts","period":3600}"#, after: 4300) == .note)
        #expect(try state("mqtt", #"{"period":3600}"#, after: 4100) == .note)
    }
}

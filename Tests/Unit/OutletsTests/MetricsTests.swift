import JSON
import TestSupport
import Testing

@testable import Metrics

@Suite("Metrics of a gate")
struct MetricsTests {
    private func metrics(_ lines: [String]) throws -> GateMetrics {
        var metrics = GateMetrics()
        for line in lines { metrics.count(try Records.parse(line)) }
        return metrics
    }

    private func text(_ metrics: GateMetrics, isUp: Bool = true, _ outlets: [GateMetrics.Outlet] = []) -> [Substring] {
        String(decoding: metrics.text(isUp: isUp, outlets), as: UTF8.self).split(separator: "\n")
    }

    @Test("visits, times, bundle and start are said as they were counted")
    func whole() throws {
        let start = #","version":"1.2.3","slot":"A","name":"EAST","gate":"10000000abcdef01","clock":"sure","face":"off""#
        let lines = text(
            try metrics([
                Records.line(1, "started", at: 1_800_000_000, start),
                Records.line(2, "trust", #","bundle":41,"bundleNotAfter":1810000000"#),
                Records.line(3, "visit", Records.accepted + #","bundle":41"#), Records.line(4, "visit", Records.rejected),
                Records.line(5, "visit", #","visit":8,"outcome":"failed","error":"TVV_TRA_002""#),
                Records.line(6, "visit", #","visit":9,"outcome":"timed-out","deadline":"pick""#),
                Records.line(7, "fruitless", #","links":9,"left":2,"visits":3,"rejected":4,"overMs":60000"#),
            ]), [.init(name: "mqtt", isConnected: false, cursor: 5)])
        let wanted: [Substring] = [
            "gatehouse_up 1", #"gatehouse_build_info{version="1.2.3",slot="A"} 1"#, "gatehouse_start_time_seconds 1800000000",
            "gatehouse_clock_trusted 1", #"gatehouse_visits_total{outcome="accepted",reason="none"} 1"#,
            #"gatehouse_visits_total{outcome="rejected",reason="expired"} 1"#,
            #"gatehouse_visits_total{outcome="failed",reason="TVV_TRA_002"} 1"#,
            #"gatehouse_visits_total{outcome="timed-out",reason="pick"} 1"#,
            #"gatehouse_visits_total{outcome="rejected",reason="not-recorded"} 4"#,
            #"gatehouse_visits_total{outcome="no-verdict",reason="not-recorded"} 3"#,
            // 1 ms, and 1,120 ms of which a face took 1,115.
            #"gatehouse_verdict_seconds_bucket{le="0.001"} 1"#, #"gatehouse_verdict_seconds_bucket{le="0.0025"} 1"#,
            #"gatehouse_verdict_seconds_bucket{le="0.005"} 2"#, #"gatehouse_verdict_seconds_bucket{le="+Inf"} 2"#,
            "gatehouse_verdict_seconds_sum 0.006", "gatehouse_verdict_seconds_count 2",
            #"gatehouse_visit_seconds_bucket{le="0.1"} 1"#, #"gatehouse_visit_seconds_bucket{le="1"} 1"#,
            #"gatehouse_visit_seconds_bucket{le="2.5"} 2"#, #"gatehouse_visit_seconds_bucket{le="10"} 2"#,
            "gatehouse_visit_seconds_sum 1.275", "gatehouse_visit_seconds_count 2", "gatehouse_trust_bundle_number 41",
            "gatehouse_trust_bundle_expiry_timestamp_seconds 1810000000", "gatehouse_audit_records_total 7",
            #"gatehouse_relay_connected{outlet="mqtt"} 0"#, #"gatehouse_relay_cursor_records{outlet="mqtt"} 5"#,
        ]
        for line in wanted { #expect(lines.contains(line), "\(line)") }
        // Each family is described once, before its samples, and no sample has a time.
        for line in lines where !line.hasPrefix("#") {
            #expect(line.split(separator: " ").count == 2)
            let family = line.prefix { !"{ ".contains($0) }
            let described = lines.firstIndex { $0.hasPrefix("# TYPE ") && family.hasPrefix($0.split(separator: " ")[2]) }
            #expect(described.map { $0 < (lines.firstIndex(of: line) ?? 0) } == true, "\(line)")
        }
    }

    @Test("nothing that a record says of a person, an issuer or a session becomes a label")
    func bounded() throws {
        var metrics = GateMetrics()
        for number in 1...1000 {
            let members = #","outcome":"rejected","issuer":"https://i\#(number).example","reasons":["code-\#(number)"]"#
            metrics.count(try Records.parse(Records.line(number, "visit", members)))
        }
        metrics.count(try Records.parse(Records.line(1001, "visit", #","outcome":"rejected","reasons":["a\"} 1\nx 5 b"]"#)))
        metrics.count(try Records.parse(Records.line(1002, "visit", #","outcome":"let in","reasons":[7]"#)))
        let series = text(metrics).filter { $0.hasPrefix("gatehouse_visits_total{") }
        #expect(series.count <= GateMetrics.mostSeries + 3)
        #expect(series.contains(#"gatehouse_visits_total{outcome="rejected",reason="other"} 745"#))
        #expect(series.contains(#"gatehouse_visits_total{outcome="other",reason="other"} 1"#))
        #expect(series.compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +) == 1002)
        #expect(!text(metrics).contains { $0.contains("example") })
    }

    @Test("a record that comes twice is counted once, and what is kept goes on where it was")
    func kept() throws {
        let lines = (1...20).map { Records.line($0, "visit", $0 % 3 == 0 ? Records.rejected : Records.accepted) }
        let whole = try metrics(lines), half = try metrics(Array(lines[..<12]))
        var other = try #require(GateMetrics(kept: half.kept))
        #expect(other == half)
        for line in lines[5...] { other.count(try Records.parse(line)) }
        #expect(other == whole)
        #expect(GateMetrics(kept: whole.kept)?.text(isUp: false, []) == whole.text(isUp: false, []))
        for count in 0..<whole.kept.count - 1 { #expect(GateMetrics(kept: Array(whole.kept[..<count])) == nil) }
    }

    @Test("records in the place of others are counted besides, those before them once")
    func rewritten() throws {
        var metrics = try metrics([Records.line(1, "visit", Records.accepted), Records.line(2, "visit", Records.accepted)])
        metrics.recount(from: 2)
        for number in 1...3 { metrics.count(try Records.parse(Records.line(number, "visit", Records.rejected))) }
        #expect(metrics.sequence == 3)
        #expect(text(metrics).contains(#"gatehouse_visits_total{outcome="accepted",reason="none"} 2"#))
        #expect(text(metrics).contains(#"gatehouse_visits_total{outcome="rejected",reason="expired"} 2"#))
        metrics.recount(from: 9)
        #expect(metrics.sequence == 3)
    }

    @Test("what was kept in another form is not taken for counts")
    func keptOtherwise() throws {
        let text = String(decoding: try metrics([Records.line(1, "visit", Records.accepted)]).kept, as: UTF8.self)
        func changed(_ old: String, _ new: String) -> GateMetrics? {
            #expect(text.contains(old))
            return GateMetrics(kept: Array(text.replacing(old, with: new).utf8))
        }
        #expect(changed(#""gatehouse-metrics":1"#, #""gatehouse-metrics":2"#) == nil)
        #expect(changed(#""seq":1"#, #""seq":-1"#) == nil)
        #expect(changed(#"["accepted","none",1]"#, #"["accepted","none"]"#) == nil)
        #expect(changed(#"["accepted","none",1]"#, #"["accepted","no\nne",1]"#) == nil)
        #expect(changed(#""buckets":[1,0,0,0,0,0]"#, #""buckets":[1,0,0,0,0]"#) == nil)
        #expect(changed(#""buckets":[1,0,0,0,0,0]"#, #""buckets":[2,0,0,0,0,0]"#) == nil)
        #expect(changed(#""seq":1"#, #""seq":2"#) != nil)
    }

    @Test("labels are written so that they read back", arguments: [("a", "a"), ("\"", "\\\""), ("\\", "\\\\"), ("a\nb", "a\\nb")])
    func escapes(_ value: String, _ written: String) {
        var text = MetricText()
        text.sample("name", [("label", value)], "1")
        #expect(String(decoding: text.octets, as: UTF8.self) == "name{label=\"\(written)\"} 1\n")
    }

    @Test(
        "durations are decimal numbers without rounding",
        arguments: [(0, "0"), (1, "0.001"), (1000, "1"), (1500, "1.5"), (UInt64.max, "18446744073709551.615")] as [(UInt64, String)])
    func decimals(_ milliseconds: UInt64, _ text: String) {
        #expect(MetricHistogram.decimal(milliseconds, places: 3) == text)
    }

    @Test("a scraper is answered, and whatever else comes is refused with a reason")
    func scrape() {
        func verdict(_ text: String) -> ScrapeRequest.Verdict? {
            var request = ScrapeRequest()
            return Array(text.utf8).withUnsafeBytes { request.take($0) }
        }
        #expect(verdict("GET /metrics HTTP/1.1\r\nHost: gate\r\n\r\n") == .metrics)
        #expect(verdict("GET /metrics?x=1 HTTP/1.0\r\n\r\n") == .metrics)
        #expect(verdict("GET /metrics HTTP/1.1\r\nHost: gate\r\n") == nil)
        #expect(verdict("HEAD /metrics HTTP/1.1\r\n\r\n") == .head)
        #expect(verdict("GET HTTP://gate:9764/metrics?x=1 HTTP/1.1\r\n\r\n") == .metrics)
        for target in ["http://gate", "http:///metric", "https://gate/metrics", "http:/metrics", "*", "metrics"] {
            #expect(verdict("GET \(target) HTTP/1.1\r\n\r\n") == .refused(status: 404, phrase: "Not Found"), "\(target)")
        }
        #expect(verdict("GET / HTTP/1.1\r\n\r\n") == .refused(status: 404, phrase: "Not Found"))
        #expect(verdict("POST /metrics HTTP/1.1\r\n\r\n") == .refused(status: 405, phrase: "Method Not Allowed"))
        for line in ["", "GET", "GET /metrics", "GET  /metrics HTTP/1.1", "GET /metrics HTTP/2", "\u{0}"] {
            #expect(verdict(line + "\r\n\r\n") == .refused(status: 400, phrase: "Bad Request"), "\(line)")
        }
        #expect(verdict(String(repeating: "a", count: ScrapeRequest.most)) == nil)
        #expect(verdict(String(repeating: "a", count: ScrapeRequest.most + 1))?.isRefused == true)
        // Octet for octet as in one piece.
        var request = ScrapeRequest(), found: ScrapeRequest.Verdict?
        for octet in "GET /metrics HTTP/1.1\r\n\r\n".utf8 {
            #expect(found == nil)
            found = [octet].withUnsafeBytes { request.take($0) }
        }
        #expect(found == .metrics)
        let answer = String(decoding: ScrapeRequest.answer(.metrics) { Array("gatehouse_up 1\n".utf8) }, as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"))
        #expect(answer.contains("\r\nContent-Length: 15\r\n") && answer.hasSuffix("\r\n\r\ngatehouse_up 1\n"))
        let head = String(decoding: ScrapeRequest.answer(.head) { Array("gatehouse_up 1\n".utf8) }, as: UTF8.self)
        #expect(answer == head + "gatehouse_up 1\n")
    }
}

extension ScrapeRequest.Verdict {
    fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
}

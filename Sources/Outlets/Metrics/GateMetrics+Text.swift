extension GateMetrics {
    /// How one outlet is, beside what the log says.
    public struct Outlet: Hashable, Sendable {
        /// Its kind: `mqtt`, `syslog`, ...
        public let name: String
        public let isConnected: Bool
        /// Number of the last record that the other side has.
        public let cursor: UInt64

        public init(name: String, isConnected: Bool, cursor: UInt64) {
            (self.name, self.isConnected, self.cursor) = (name, isConnected, cursor)
        }
    }

    /// What it is called where it is given out by HTTP.
    public static var contentType: String { MetricText.contentType }

    /// All of it in Prometheus' text format 0.0.4.
    ///
    /// - Parameters:
    ///   - isUp: whether a gate writes the log at this moment; nil where that is not known.
    ///   - outlets: a series each.
    public func text(isUp: Bool?, _ outlets: [Outlet]) -> [UInt8] {
        var text = MetricText()
        if let isUp { text.single("gatehouse_up", .gauge, "Whether a gate writes the audit log.", isUp ? "1" : "0") }
        write(start, to: &text)
        text.family("gatehouse_visits_total", .counter, "Visits that ended, by outcome and first reason.")
        for (series, count) in visits.sorted(by: { $0.key < $1.key }) {
            text.sample("gatehouse_visits_total", [("outcome", series.outcome), ("reason", series.reason)], "\(count)")
        }
        text.family("gatehouse_verdict_seconds", .histogram, "From the whole credential to the verdict, without the comparison of faces.")
        verdict.write("gatehouse_verdict_seconds", to: &text)
        text.family("gatehouse_visit_seconds", .histogram, "From the wallet's connection, or the code, to the verdict.")
        visit.write("gatehouse_visit_seconds", to: &text)
        if let bundle {
            text.single("gatehouse_trust_bundle_number", .gauge, "Number of the trust bundle in force.", "\(bundle.number)")
            if let end = bundle.end {
                text.single("gatehouse_trust_bundle_expiry_timestamp_seconds", .gauge, "When the trust bundle in force ends.", "\(end)")
            }
        }
        text.single("gatehouse_audit_records_total", .counter, "Records in the audit log since it began.", "\(sequence)")
        write(outlets, to: &text)
        return text.octets
    }

    private func write(_ start: GateStart?, to text: inout MetricText) {
        guard let start else { return }
        text.family("gatehouse_build_info", .gauge, "The version that runs, and in which of an image's two slots.")
        text.sample("gatehouse_build_info", [("version", start.version), ("slot", start.slot)], "1")
        text.single("gatehouse_start_time_seconds", .gauge, "When the gate was started, by its own clock.", "\(start.at)")
        if let isTrusted = start.isClockTrusted {
            let help = "Whether the gate believed its clock when it was started."
            text.single("gatehouse_clock_trusted", .gauge, help, isTrusted ? "1" : "0")
        }
    }

    private func write(_ outlets: [Outlet], to text: inout MetricText) {
        guard !outlets.isEmpty else { return }
        text.family("gatehouse_relay_connected", .gauge, "Whether an outlet is connected to its other side.")
        for outlet in outlets { text.sample("gatehouse_relay_connected", [("outlet", outlet.name)], outlet.isConnected ? "1" : "0") }
        text.family("gatehouse_relay_cursor_records", .gauge, "Number of the last record that an outlet's other side has.")
        for outlet in outlets { text.sample("gatehouse_relay_cursor_records", [("outlet", outlet.name)], "\(outlet.cursor)") }
    }
}

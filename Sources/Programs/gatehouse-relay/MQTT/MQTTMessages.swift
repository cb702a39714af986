import JSON
import Relay

/// What is said besides the log: that the gate is there, and what Home Assistant wants to know of it.
struct MQTTMessages {
    /// Says `online` when Home Assistant was started.
    static let homeAssistantStatus = "homeassistant/status"

    private let gate: String
    private let topics: GateTopics

    init(_ gate: String, _ topics: GateTopics) { (self.gate, self.topics) = (gate, topics) }

    /// The retained state; the will takes its place.
    func online(_ health: FeedHealth) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("online", true)
        if let version = health.version { writer.member("version", version) }
        writer.endObject()
        return writer.bytes
    }

    /// A visit in the form of Home Assistant's events; nil for any other record.
    func visit(_ record: FeedRecord) -> [UInt8]? {
        guard record.event == "visit", let outcome = record.outcome, Self.outcomes.contains(outcome) else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("event_type", outcome)
        writer.member("seq", record.last)
        writer.endObject()
        return writer.bytes
    }

    private static let outcomes = ["accepted", "rejected", "failed", "left", "timed-out", "stopped", "controller-fault"]

    /// Device discovery: a visit as an event, trouble, and a few sensors. No button and no lock: nothing there can open anything.
    func discovery(_ health: FeedHealth) -> [UInt8] {
        var writer = JSONWriter(reserving: 1200)
        writer.beginObject()
        writer.name("dev")
        writer.beginObject()
        writer.name("ids")
        writer.beginArray()
        writer.string("gatehouse-" + gate)
        writer.endArray()
        writer.member("name", gate)
        writer.member("mdl", "Gatehouse")
        if let version = health.version { writer.member("sw", version) }
        writer.endObject()
        writer.name("o")
        writer.beginObject()
        writer.member("name", "gatehouse-relay")
        writer.endObject()
        writer.member("avty_t", topics.state)
        writer.member("avty_tpl", "{{ 'online' if value_json.online else 'offline' }}")
        writer.name("cmps")
        writer.beginObject()
        component(&writer, "visit", "event", topics.visit, ["name": "Visit", "dev_cla": "button"], types: Self.outcomes)
        component(
            &writer, "trouble", "binary_sensor", topics.health,
            [
                "name": "Trouble", "dev_cla": "problem", "val_tpl": "{{ 'ON' if value_json.trouble else 'OFF' }}",
            ])
        component(
            &writer, "bundle", "sensor", topics.health,
            [
                "name": "Bundle's days left", "val_tpl": "{{ value_json.bundleDays }}", "unit_of_meas": "d",
            ])
        component(&writer, "records", "sensor", topics.health, ["name": "Records", "val_tpl": "{{ value_json.seq }}"])
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private func component(
        _ writer: inout JSONWriter, _ id: String, _ platform: String, _ topic: String, _ members: KeyValuePairs<String, String>,
        types: [String] = []
    ) {
        writer.name(id)
        writer.beginObject()
        writer.member("p", platform)
        writer.member("uniq_id", "gatehouse-" + gate + "-" + id)
        writer.member("stat_t", topic)
        for (name, value) in members { writer.member(name, value) }
        if !types.isEmpty {
            writer.name("evt_typ")
            writer.beginArray()
            for type in types { writer.string(type) }
            writer.endArray()
        }
        writer.endObject()
    }
}

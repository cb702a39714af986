import JSON

/// The topics of one gate (docs/relay.md): no name of a site in them, as gates move.
package struct GateTopics: Hashable, Sendable {
    private let root: String
    private let gate: String

    package init(gate: String) { (self.gate, root) = (gate, "gatehouse/1/" + gate + "/") }

    /// Records, one a message.
    package var log: String { root + "log" }
    /// Retained: whether the gate's relay is there.
    package var state: String { root + "state" }
    /// Retained: how the gate is.
    package var health: String { root + "health" }
    /// Retained, written by the collector: how far it has the log.
    package var have: String { root + "have" }
    /// A visit, for who wants to know of it at once and keeps nothing.
    package var visit: String { root + "visit" }
    /// Home Assistant's discovery.
    package var discovery: String { "homeassistant/device/gatehouse-" + gate + "/config" }

    /// The number in a message at `have`: decimal digits and nothing else; nil for anything else.
    package static func have(_ payload: [UInt8]) -> UInt64? {
        guard (1...20).contains(payload.count), payload.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(String(decoding: payload, as: UTF8.self))
    }
}

import CMosquitto
import Glibc
import Linux
import Relay

/// One connection to a broker, by libmosquitto, version 5 of the protocol, over TLS. A new one is made for each connection: the library's
/// own queue would be sent again besides ours.
final class MQTTClient {
    enum Event {
        case connected
        /// CONNACK with another reason than success.
        case rejected(Int32)
        /// The connection ended; DISCONNECT's reason, or the library's own code.
        case disconnected(Int32)
        case acknowledged(Int32, reason: Int32)
        /// SUBACK: how a subscription was answered.
        case subscribed(Int32, reason: Int32)
        case message(topic: String, payload: [UInt8], isRetained: Bool)

        /// A reason of the broker's own to end the connection.
        var farewell: Int32? { if case .disconnected(let reason) = self, reason >= 0x80 { reason } else { nil } }
    }

    /// Octets of the longest message that is looked at.
    private static let longest = 256
    /// What is sent without an answer.
    static let window = 64
    /// Messages that are taken in a minute, and packets of any kind in one turn; there is no reason for more. A collector that says `have`
    /// with each record says it some hundred times a second.
    private static let mostMessages = 60_000
    private static let mostPackets = 4096
    /// What the library says of a message of QoS 2, of one that is sent again too.
    private static let qualityTwo = [" received PUBLISH (d0, q2", " received PUBLISH (d1, q2"]
    /// Seconds in which a connection that broke may come back before anybody hears of it.
    private static let grace: UInt32 = 5

    private(set) var events: [Event] = []
    /// The last thing the library said was wrong.
    private(set) var complaint: String?
    private var messages = 0
    private var messagesSince: UInt64 = 0
    /// Of this turn.
    private var packets = 0
    /// It sends more than anybody has a reason for.
    private(set) var isFlooded = false
    private var client: OpaquePointer?

    init(_ settings: MQTTSettings, topics: GateTopics) throws(OutletTrouble) {
        // Not a clean start: it would end the session before, and with that publish its will at once (MQTT 5, 3.1.3.2.2).
        client = mosquitto_new(settings.feed.gate, false, Unmanaged.passUnretained(self).toOpaque())
        guard let client else { throw OutletTrouble(.system, "no memory") }
        for (option, value) in [
            (MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V5)), (MOSQ_OPT_SEND_MAXIMUM, Int32(Self.window)), (MOSQ_OPT_TCP_NODELAY, 1),
        ] {
            try Self.check(mosquitto_int_option(client, option, value))
        }
        try setIdentity(client, settings)
        try setWill(client, topics.state)
        setCallbacks(client)
        try setSession(client, settings)
        try Self.check(mosquitto_connect_async(client, settings.host, Int32(settings.port), settings.keepAlive))
    }

    deinit { mosquitto_destroy(client) }

    private func setIdentity(_ client: OpaquePointer, _ settings: MQTTSettings) throws(OutletTrouble) {
        if settings.certificate == nil {
            var password = (settings.password ?? []).map { CChar(bitPattern: $0) } + [0]
            let code = mosquitto_username_pw_set(client, settings.user, settings.password == nil ? nil : password)
            for index in password.indices { password[index] = 0 }
            try Self.check(code)
        }
        // Chain and host name are verified; TLS 1.2 is the least.
        try Self.check(mosquitto_tls_set(client, settings.authorities, nil, settings.certificate, settings.key, nil))
        try Self.check(mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil))
    }

    private func setWill(_ client: OpaquePointer, _ topic: String) throws(OutletTrouble) {
        var properties: OpaquePointer?
        try Self.check(mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_WILL_DELAY_INTERVAL.rawValue), Self.grace))
        let payload = Array(#"{"online":false}"#.utf8)
        try Self.check(mosquitto_will_set_v5(client, topic, Int32(payload.count), payload, 1, true, properties))
    }

    /// The will is delayed for as long as the session lasts: without one it is due at once. Of what the broker keeps meanwhile nothing is
    /// ours but the last word of `have`.
    private func setSession(_ client: OpaquePointer, _ settings: MQTTSettings) throws(OutletTrouble) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        try Self.check(mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), Self.grace))
        // The call that takes properties waits for the connection, and the one that does not wait takes none, but uses those of the other:
        // so that is called with a port that no connection can be tried to.
        _ = mosquitto_connect_bind_v5(client, settings.host, -1, settings.keepAlive, nil, properties)
    }

    // MARK: what is asked of it

    var descriptor: Int32 { client.map { mosquitto_socket($0) } ?? -1 }
    var wantsToWrite: Bool { client.map { mosquitto_want_write($0) } ?? false }

    /// Sends one message; returns its number, which `acknowledged` names.
    func publish(_ topic: String, _ payload: [UInt8], quality: Int32, isRetained: Bool = false) throws(OutletTrouble) -> Int32 {
        var number: Int32 = 0, properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        try Self.check(mosquitto_property_add_string(&properties, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), "application/json"))
        try Self.check(
            mosquitto_publish_v5(client, &number, topic, Int32(clamping: payload.count), payload, quality, isRetained, properties), self)
        return number
    }

    /// Returns its number, which `subscribed` names.
    func subscribe(_ topic: String) throws(OutletTrouble) -> Int32 {
        var number: Int32 = 0
        try Self.check(mosquitto_subscribe_v5(client, &number, topic, 1, 0, nil), self)
        return number
    }

    /// Ends the connection in a way that lets the broker publish the will.
    func disconnect() {
        mosquitto_disconnect_v5(client, Int32(MQTT_RC_DISCONNECT_WITH_WILL_MSG.rawValue), nil)
        mosquitto_loop_write(client, 1)
    }

    /// Reads and writes what goes.
    func serve(isReadable: Bool, isWritable: Bool) throws(OutletTrouble) {
        packets = 0
        if isReadable { try Self.check(mosquitto_loop_read(client, Int32(Self.window)), self) }
        if isWritable { try Self.check(mosquitto_loop_write(client, Int32(Self.window)), self) }
    }

    /// Pings, and notices that nobody answers them. Once a second.
    func keepAlive() throws(OutletTrouble) { try Self.check(mosquitto_loop_misc(client), self) }

    func takeEvents() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    // MARK: what it says

    private func take(_ topic: String, _ payload: [UInt8], isRetained: Bool, at now: UInt64) {
        if now &- messagesSince > 60_000_000_000 { (messages, messagesSince) = (0, now) }
        messages += 1
        if messages > Self.mostMessages { isFlooded = true }
        if payload.count <= Self.longest { note(.message(topic: topic, payload: payload, isRetained: isRetained)) }
    }

    private func note(_ event: Event) {
        if events.count < 2 * Self.mostPackets { events.append(event) } else { isFlooded = true }
    }

    /// The library goes on for as long as TLS has something, and says a line for each packet: where they do not end, the connection does.
    private func hear(_ level: Int32, _ text: UnsafePointer<CChar>) {
        if level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING { complaint = String(String(cString: text).prefix(200)) }
        guard strstr(text, " received ") != nil else { return }
        packets += 1
        // Of QoS 2 nothing was subscribed to; the library keeps such a message until its sender has said more.
        if packets > Self.mostPackets || Self.qualityTwo.contains(where: { strstr(text, $0) != nil }) { isFlooded = true }
        if isFlooded { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func setCallbacks(_ client: OpaquePointer) {
        mosquitto_connect_v5_callback_set(client) { _, context, reason, _, _ in
            MQTTClient.of(context)?.note(reason == 0 ? .connected : .rejected(reason))
        }
        mosquitto_disconnect_v5_callback_set(client) { _, context, reason, _ in MQTTClient.of(context)?.note(.disconnected(reason)) }
        mosquitto_publish_v5_callback_set(client) { _, context, number, reason, _ in
            MQTTClient.of(context)?.note(.acknowledged(number, reason: reason))
        }
        mosquitto_subscribe_v5_callback_set(client) { _, context, number, count, granted, _ in
            guard count > 0, let reason = granted?.pointee else { return }
            MQTTClient.of(context)?.note(.subscribed(number, reason: reason))
        }
        mosquitto_message_v5_callback_set(client) { _, context, message, _ in
            guard let message = message?.pointee, let topic = message.topic else { return }
            // Nobody asked for such a topic.
            guard strnlen(topic, MQTTClient.longest + 1) <= MQTTClient.longest else {
                MQTTClient.of(context)?.isFlooded = true
                return
            }
            let count = min(max(0, Int(message.payloadlen)), MQTTClient.longest + 1)
            let payload = message.payload.map { [UInt8](UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
            MQTTClient.of(context)?.take(String(cString: topic), payload, isRetained: message.retain, at: Clock.monotonic())
        }
        mosquitto_log_callback_set(client) { _, context, level, text in
            if let text { MQTTClient.of(context)?.hear(level, text) }
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTClient? {
        context.map { Unmanaged<MQTTClient>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: what goes wrong

    private static func check(_ code: Int32, _ client: MQTTClient? = nil) throws(OutletTrouble) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw MQTTTrouble.of(code, errno: errno, complaint: client?.complaint)
    }
}

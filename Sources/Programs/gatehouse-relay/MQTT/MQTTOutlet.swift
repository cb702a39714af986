import Audit
import CMosquitto
import Glibc
import Linux
import Relay

/// Records as messages of a broker: QoS 1, at most 64 without an answer, and what its answers are worth (docs/relay.md).
///
/// An answer with reason 0x10 says that nobody is there to keep the record, one from 0x80 on that it was refused: neither counts. Nothing
/// that comes in does anything but move the cursor.
final class MQTTOutlet: Outlet {
    /// Nanoseconds from the first octet to CONNACK, and without any progress of what is to be answered or confirmed.
    private static let connectTime: UInt64 = 15_000_000_000
    private static let progressTime: UInt64 = 60_000_000_000
    private static let second: UInt64 = 1_000_000_000
    /// Records that are acknowledged and wait for the collector's word.
    private static let mostUnconfirmed = 4096
    private static let atMostOnce: Int32 = 0, atLeastOnce: Int32 = 1

    private let settings: MQTTSettings
    private let topics: GateTopics
    private let messages: MQTTMessages
    private var client: MQTTClient?
    private(set) var isConnected = false
    private var flight: RecordsInFlight
    /// Somebody has been there to keep a record since nothing was in flight. Before, one is sent at a time: a collector that comes back
    /// while many are under way would have the later ones first.
    private var isKept = false
    private var health = FeedHealth()
    /// What the collector says that it has: it counts once the log is known to reach so far.
    private var claimed: UInt64 = 0
    /// The reason by which something was refused that is no record: Mosquitto ends the connection over it, and that alone says nothing.
    private var refusedBesides: Int32?
    /// The number of the message that says that the gate is there, until it has an answer: records wait. One that was on its way when
    /// the broker ends the connection over it would meet the end, and not the reason.
    private var greeting: Int32?
    private var (openedAt, caredAt, healthAt, progressAt): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init(_ settings: MQTTSettings) {
        self.settings = settings
        topics = GateTopics(gate: settings.feed.gate)
        messages = MQTTMessages(settings.feed.gate, topics)
        flight = RecordsInFlight(waitsForConfirmation: settings.confirm == .collector)
        mosquitto_lib_init()
    }

    var needs: OutletNeeds {
        var needs = OutletNeeds()
        needs.ports = [settings.port]
        needs.readable =
            [settings.authorities, "/etc/ssl/openssl.cnf", "/usr/lib/ssl/openssl.cnf"]
            + [settings.certificate, settings.key].compactMap(\.self)
        return needs
    }

    var delivered: AuditPlace? { flight.delivered }

    var room: Int {
        guard isConnected, greeting == nil else { return 0 }
        guard isKept else { return 1 - min(1, flight.count) }
        return min(MQTTClient.window - flight.unanswered, Self.mostUnconfirmed - flight.count)
    }

    func note(_ health: FeedHealth) { self.health = health }

    // MARK: the connection

    func open() throws(OutletTrouble) {
        close()
        flight = RecordsInFlight(waitsForConfirmation: settings.confirm == .collector)
        (claimed, isKept, refusedBesides, greeting) = (0, false, nil, nil)
        openedAt = Clock.monotonic()
        client = try MQTTClient(settings, topics: topics)
    }

    func close() {
        if isConnected { client?.disconnect() }
        client = nil
        isConnected = false
    }

    func forget() {
        flight.forget()
        isKept = false
    }

    func send(_ record: FeedRecord) throws(OutletTrouble) {
        guard let client else { throw OutletTrouble(.closed) }
        if flight.count == 0 { progressAt = Clock.monotonic() }
        flight.add(try client.publish(topics.log, record.octets, quality: Self.atLeastOnce), record.place)
        if settings.homeAssistant, let visit = messages.visit(record) {
            _ = try client.publish(topics.visit, visit, quality: Self.atMostOnce)
        }
    }

    func turn(until deadline: UInt64) throws(OutletTrouble) {
        do throws(OutletTrouble) { try goOn(until: deadline) } catch {
            // As the end is met by a read, a write or libssl.
            guard [.closed, .notReachable, .tls].contains(error.code), let reason = refusedBesides else { throw error }
            throw MQTTTrouble.refusal(reason, ends: true)
        }
    }

    private func goOn(until deadline: UInt64) throws(OutletTrouble) {
        guard let client, client.descriptor >= 0 else { throw OutletTrouble(.closed) }
        let now = Clock.monotonic()
        var source = pollfd(fd: client.descriptor, events: Int16(POLLIN) | (client.wantsToWrite ? Int16(POLLOUT) : 0), revents: 0)
        poll(&source, 1, deadline > now ? Int32(clamping: (deadline - now) / 1_000_000 + 1) : 0)
        let isBroken = source.revents & Int16(POLLERR | POLLHUP) != 0
        try serve(client, isReadable: source.revents & Int16(POLLIN) != 0 || isBroken, isWritable: source.revents & Int16(POLLOUT) != 0)
        // The library goes on with a handshake though nobody is there.
        if isBroken { throw OutletTrouble(isConnected ? .closed : .notReachable) }
        if claimed <= health.sequence { flight.confirm(claimed) }
        try passTime(client, Clock.monotonic())
    }

    /// What came before a connection broke counts: answers that are there are taken first.
    private func serve(_ client: MQTTClient, isReadable: Bool, isWritable: Bool) throws(OutletTrouble) {
        var trouble: OutletTrouble?
        do throws(OutletTrouble) { try client.serve(isReadable: isReadable, isWritable: isWritable) } catch { trouble = error }
        for event in client.takeEvents() {
            do throws(OutletTrouble) { try take(event, client) } catch {
                // The broker's own reason; the library only says that it is an error.
                if case .rejected = event { throw error }
                // What broke the connection is what is said, and not what cannot be done without one.
                throw trouble ?? error
            }
        }
        if let trouble { throw trouble }
    }

    private func take(_ event: MQTTClient.Event, _ client: MQTTClient) throws(OutletTrouble) {
        switch event {
        case .connected: try begin(client)
        case .rejected(let reason): throw MQTTTrouble.rejection(reason)
        case .disconnected(let reason): throw OutletTrouble(.closed, "reason \(reason)")
        case .acknowledged(let number, let reason):
            guard flight.isWaiting(number) else {
                if reason >= 0x80 { refusedBesides = reason }
                if number == greeting { (greeting, progressAt) = (nil, Clock.monotonic()) }
                return
            }
            if reason == Int32(MQTT_RC_NO_MATCHING_SUBSCRIBERS.rawValue) { throw OutletTrouble(.noReader, staysConnected: true) }
            if reason >= 0x80 { throw MQTTTrouble.refusal(reason) }
            flight.acknowledge(number)
            isKept = true
            progressAt = Clock.monotonic()
        case .message(let topic, let payload):
            if topic == topics.have, let number = GateTopics.have(payload) {
                claimed = number
                progressAt = Clock.monotonic()
            } else if settings.homeAssistant, topic == MQTTMessages.homeAssistantStatus, payload == Array("online".utf8) {
                _ = try client.publish(topics.discovery, messages.discovery(health), quality: Self.atLeastOnce, isRetained: true)
            }
        }
    }

    private func begin(_ client: MQTTClient) throws(OutletTrouble) {
        isConnected = true
        (healthAt, progressAt) = (0, Clock.monotonic())
        greeting = try client.publish(topics.state, messages.online(health), quality: Self.atLeastOnce, isRetained: true)
        if settings.confirm == .collector { try client.subscribe(topics.have) }
        guard settings.homeAssistant else { return }
        try client.subscribe(MQTTMessages.homeAssistantStatus)
        _ = try client.publish(topics.discovery, messages.discovery(health), quality: Self.atLeastOnce, isRetained: true)
    }

    private func passTime(_ client: MQTTClient, _ now: UInt64) throws(OutletTrouble) {
        if client.isFlooded { throw OutletTrouble(.protocolBroken, "more messages than there is a reason for", pause: .minute) }
        if !isConnected {
            guard now &- openedAt < Self.connectTime else { throw OutletTrouble(.timedOut, "no connection in time") }
        } else if flight.count > 0 || greeting != nil, now &- progressAt >= Self.progressTime {
            // An answer that does not come is a broken connection; a word of the collector's may have been lost with what it was about.
            if flight.unanswered > 0 || greeting != nil { throw OutletTrouble(.timedOut, "no answer in time") }
            throw OutletTrouble(.noReader, "no word of the collector", staysConnected: true)
        }
        if now &- caredAt >= Self.second {
            caredAt = now
            try client.keepAlive()
        }
        if isConnected, healthAt == 0 || now &- healthAt >= settings.healthEvery &* Self.second {
            healthAt = now
            let octets = health.octets(gate: settings.feed.gate, now: Clock.wallSeconds(), delivered: flight.delivered?.sequence ?? 0)
            _ = try client.publish(topics.health, octets, quality: Self.atLeastOnce, isRetained: true)
        }
    }
}

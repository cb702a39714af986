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
    /// Something that is no record and was refused is left out for so long, and where the broker ended the connection over it, as
    /// Mosquitto does each time.
    private static let refusalTime: UInt64 = 60 * second
    private static let refusalTimeAfterEnd: UInt64 = 3600 * second
    /// The longest that one record waits for a collector that is away: its word is heard at any time, only a probe that was lost is not.
    private static let longestPatience: UInt64 = 600_000_000_000
    /// Seconds of age of a visit that is still news.
    private static let newest: UInt64 = 60
    private static let second: UInt64 = 1_000_000_000
    /// Records that are acknowledged and wait for the collector's word.
    private static let mostUnconfirmed = 4096
    private static let atMostOnce: Int32 = 0, atLeastOnce: Int32 = 1

    private let settings: MQTTSettings
    private let topics: GateTopics
    private let messages: MQTTMessages
    private let say: (String) -> Void
    private var client: MQTTClient?
    private(set) var isConnected = false
    private var flight: RecordsInFlight
    /// Somebody has been there to keep a record since nothing was in flight. Before, one is sent at a time: a collector that comes back
    /// while many are under way would have the later ones first.
    private var isKept = false
    private var health = FeedHealth()
    /// The reason by which something was refused that is no record: Mosquitto ends the connection over it, and that alone says nothing.
    private var refusedBesides: (reason: Int32, at: UInt64)?
    /// Topics that were refused, in any connection, when they were or were tried again, and whether the connection ended over it.
    private var refusals: [String: (reason: Int32, at: UInt64, ends: Bool)] = [:]
    /// The number of the message that says that the gate is there, while it has no answer: records wait for it. One that was on its way
    /// when the broker ends the connection over it would meet the end, and not the reason.
    private var greeting: Int32?
    /// The collector's last word, until it can be judged; and whether it spoke since something is in flight: a retained word does not say
    /// whether anybody is there.
    private var word: CollectorWord?
    private var isCollectorThere = false
    private var wordPatience: UInt64
    /// Number of the last visit that was told as an event.
    private var told: UInt64 = 0
    /// What is published besides records and waits for its answer, and subscriptions; and what was said of them.
    private var others: [Int32: String] = [:]
    private var subscriptions: [Int32: String] = [:]
    private var saidOf: Set<String> = []
    private var (openedAt, caredAt, healthAt): (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// When a record was answered last, and when the row of those that are delivered grew.
    private var (answeredAt, progressAt): (UInt64, UInt64) = (0, 0)

    /// - Parameter say: hears what is wrong and keeps nothing from being delivered.
    init(_ settings: MQTTSettings, say: @escaping (String) -> Void) {
        (self.settings, self.say) = (settings, say)
        topics = GateTopics(gate: settings.feed.gate)
        messages = MQTTMessages(settings.feed.gate, topics)
        flight = RecordsInFlight(waitsForConfirmation: settings.confirm == .collector)
        wordPatience = settings.confirmTimeout * Self.second
        mosquitto_lib_init()
    }

    var needs: OutletNeeds {
        var needs = OutletNeeds()
        needs.ports = [settings.port]
        needs.tellsHealth = true
        needs.readable =
            [settings.authorities, "/etc/ssl/openssl.cnf", "/usr/lib/ssl/openssl.cnf"]
            + [settings.certificate, settings.key].compactMap(\.self)
        return needs
    }

    var delivered: AuditPlace? { flight.delivered }

    var room: Int {
        guard isConnected, greeting == nil else { return 0 }
        // What the other end has said to have is taken for its record as it comes.
        let isClaimed = flight.isNextConfirmed || word.map { isAhead($0) } ?? false
        guard isKept || isClaimed else { return 1 - min(1, flight.count) }
        return min(MQTTClient.window - flight.unanswered, Self.mostUnconfirmed - flight.count)
    }

    /// A word beyond the log's end is of another log; by `counts` the end that is told is that of what was handed out.
    private func isAhead(_ word: CollectorWord) -> Bool {
        word.sequence > flight.last?.sequence ?? 0 && (settings.feed.detail == .counts || word.sequence <= health.sequence)
    }

    func note(_ health: FeedHealth) { self.health = health }

    func logChanged(from number: UInt64) { told = min(told, max(1, number) - 1) }

    /// Records are taken; the gate's state or health is not.
    var complaint: OutletTrouble? {
        refusals.min { $0.key < $1.key }.map { topic, refusal in MQTTTrouble.refusal(of: topic, refusal.reason) }
    }

    // MARK: the connection

    func open() throws(OutletTrouble) {
        close()
        flight = RecordsInFlight(waitsForConfirmation: settings.confirm == .collector)
        (word, isKept, isCollectorThere) = (nil, false, false)
        (others, subscriptions, refusedBesides, greeting) = ([:], [:], nil, nil)
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
        (word, isKept, isCollectorThere) = (nil, false, false)
    }

    func send(_ record: FeedRecord) throws(OutletTrouble) {
        guard let client else { throw OutletTrouble(.closed) }
        let now = Clock.monotonic()
        if flight.count == 0 { progressAt = now }
        if flight.unanswered == 0 { answeredAt = now }
        flight.add(try client.publish(topics.log, record.octets, quality: Self.atLeastOnce), record.place)
        if settings.homeAssistant { try tell(record, client) }
    }

    /// A visit as an event: once, and only while it is news. What comes again, or late, would have a house do again what it does for it.
    private func tell(_ record: FeedRecord, _ client: MQTTClient) throws(OutletTrouble) {
        guard record.last > told, let visit = messages.visit(record) else { return }
        told = record.last
        guard record.at &+ Self.newest >= Clock.wallSeconds() else { return }
        _ = try client.publish(topics.visit, visit, quality: Self.atMostOnce)
    }

    func turn(until deadline: UInt64) throws(OutletTrouble) {
        do throws(OutletTrouble) { try goOn(until: deadline) } catch {
            // As the end is met by a read, a write or libssl.
            guard [.closed, .notReachable, .tls].contains(error.code), let refused = refusedBesides,
                Clock.monotonic() &- refused.at < 5 * Self.second
            else { throw error }
            // All of those that were refused before one end.
            for (topic, refusal) in refusals where Clock.monotonic() &- refusal.at < 5 * Self.second { refusals[topic]?.ends = true }
            throw MQTTTrouble.refusal(refused.reason, ends: true)
        }
    }

    private func goOn(until deadline: UInt64) throws(OutletTrouble) {
        guard let client, client.descriptor >= 0 else { throw OutletTrouble(.closed) }
        let now = Clock.monotonic(), before = flight.delivered?.sequence ?? 0
        var source = pollfd(fd: client.descriptor, events: Int16(POLLIN) | (client.wantsToWrite ? Int16(POLLOUT) : 0), revents: 0)
        poll(&source, 1, deadline > now ? Int32(clamping: (deadline - now) / 1_000_000 + 1) : 0)
        let isBroken = source.revents & Int16(POLLERR | POLLHUP) != 0
        try serve(client, isReadable: source.revents & Int16(POLLIN) != 0 || isBroken, isWritable: source.revents & Int16(POLLOUT) != 0)
        // The library goes on with a handshake though nobody is there.
        if isBroken { throw OutletTrouble(isConnected ? .closed : .notReachable) }
        judgeWord()
        if flight.delivered?.sequence ?? 0 > before { noteProgress() }
        try passTime(client, Clock.monotonic())
    }

    /// A word of a record that comes later opens the window; what waits for it does not fill the memory.
    private func judgeWord() {
        guard let found = word else { return }
        guard flight.confirm(found, logReaches: health.sequence) == .ahead else {
            word = nil
            return
        }
        if flight.count >= Self.mostUnconfirmed { flight.thin() }
    }

    private func noteProgress() {
        progressAt = Clock.monotonic()
        wordPatience = settings.confirmTimeout * Self.second
        if settings.confirm == .collector { isKept = isKept || isCollectorThere }
    }

    /// What came before a connection broke counts: answers that are there are taken first.
    private func serve(_ client: MQTTClient, isReadable: Bool, isWritable: Bool) throws(OutletTrouble) {
        var trouble: OutletTrouble?
        do throws(OutletTrouble) { try client.serve(isReadable: isReadable, isWritable: isWritable) } catch { trouble = error }
        // How the connection then broke was our doing.
        if client.isFlooded { throw OutletTrouble(.protocolBroken, "more than there is a reason for", pause: .minute) }
        let events = client.takeEvents()
        for event in events {
            do throws(OutletTrouble) { try take(event, client) } catch {
                // The broker's own reason; the library only says that it is an error. One who said goodbye did so before what failed then.
                if case .rejected = event { throw error }
                if let reason = events.lazy.compactMap(\.farewell).first { throw MQTTTrouble.end(reason) }
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
        case .disconnected(let reason): throw MQTTTrouble.end(reason)
        case .acknowledged(let number, let reason): try take(answerTo: number, reason)
        case .subscribed(let number, let reason):
            guard let topic = subscriptions.removeValue(forKey: number), reason >= 0x80 else { return }
            // Without the collector's word nothing would ever count.
            if topic == topics.have { throw MQTTTrouble.refusal(ofSubscription: reason) }
            sayOnce("the broker does not let us read \(topic) (reason \(reason))")
        case .message(let topic, let payload, let isRetained):
            if topic == topics.have, let found = CollectorWord(payload) {
                word = found
                if !isRetained, flight.count > 0 { (isCollectorThere, wordPatience) = (true, settings.confirmTimeout * Self.second) }
            } else if settings.homeAssistant, topic == MQTTMessages.homeAssistantStatus, payload == Array("online".utf8) {
                try publish(topics.discovery, messages.discovery(health), client)
            }
        }
    }

    private func take(answerTo number: Int32, _ reason: Int32) throws(OutletTrouble) {
        if let topic = others.removeValue(forKey: number) {
            if number == greeting { (greeting, progressAt, answeredAt) = (nil, Clock.monotonic(), Clock.monotonic()) }
            guard reason >= 0x80 else {
                refusals[topic] = nil
                return
            }
            let now = Clock.monotonic()
            refusedBesides = (reason, now)
            refusals[topic] = (reason, now, false)
            return sayOnce("the broker does not take what is written to \(topic) (reason \(reason))")
        }
        guard flight.isWaiting(number) else { return }
        if reason == Int32(MQTT_RC_NO_MATCHING_SUBSCRIBERS.rawValue), settings.confirm != .none {
            throw OutletTrouble(.noReader, staysConnected: true)
        }
        if reason >= 0x80 { throw MQTTTrouble.refusal(reason) }
        flight.acknowledge(number)
        answeredAt = Clock.monotonic()
        // What the collector said to have is still being sent up to: nothing counts before it is reached.
        if word != nil { progressAt = answeredAt }
        if settings.confirm != .collector { isKept = true }
    }

    private func sayOnce(_ text: String) { if saidOf.insert(text).inserted { say(text) } }

    private func isRefusedLately(_ topic: String) -> Bool {
        guard let refusal = refusals[topic] else { return false }
        return Clock.monotonic() &- refusal.at < (refusal.ends ? Self.refusalTimeAfterEnd : Self.refusalTime)
    }

    /// What is kept by the broker, besides the log. Nil for what it refused lately, or has not answered yet: there is no end to what would
    /// wait for one that never does. A refusal is forgotten only when it is taken.
    @discardableResult
    private func publish(_ topic: String, _ octets: [UInt8], _ client: MQTTClient) throws(OutletTrouble) -> Int32? {
        if isRefusedLately(topic) || others.values.contains(topic) { return nil }
        if let refusal = refusals[topic] { refusals[topic] = (refusal.reason, Clock.monotonic(), false) }
        let number = try client.publish(topic, octets, quality: Self.atLeastOnce, isRetained: true)
        others[number] = topic
        return number
    }

    private func begin(_ client: MQTTClient) throws(OutletTrouble) {
        guard !isConnected else { throw OutletTrouble(.protocolBroken, "it takes the connection a second time", pause: .minute) }
        isConnected = true
        (healthAt, progressAt, answeredAt) = (0, Clock.monotonic(), Clock.monotonic())
        greeting = try publish(topics.state, messages.online(health), client)
        if settings.confirm == .collector { subscriptions[try client.subscribe(topics.have)] = topics.have }
        guard settings.homeAssistant else { return }
        subscriptions[try client.subscribe(MQTTMessages.homeAssistantStatus)] = MQTTMessages.homeAssistantStatus
        try publish(topics.discovery, messages.discovery(health), client)
    }

    private func passTime(_ client: MQTTClient, _ now: UInt64) throws(OutletTrouble) {
        if !isConnected {
            guard now &- openedAt < Self.connectTime else { throw OutletTrouble(.timedOut, "no connection in time") }
        } else if flight.unanswered > 0 || greeting != nil, now &- answeredAt >= Self.progressTime {
            // An answer that does not come is a broken connection.
            throw OutletTrouble(.timedOut, "no answer in time")
        } else if settings.confirm == .collector, flight.count > 0, now &- progressAt >= wordPatience {
            // What it waits for may have been lost behind the broker's answer. Then one record is sent alone, and less and less often.
            wordPatience = max(wordPatience, min(2 * wordPatience, Self.longestPatience))
            throw OutletTrouble(.noReader, "no word of the collector", staysConnected: true)
        }
        if now &- caredAt >= Self.second {
            caredAt = now
            try client.keepAlive()
        }
        // In a connection that stays nobody else would say that the gate is there.
        if isConnected, greeting == nil, refusals[topics.state] != nil, !isRefusedLately(topics.state) {
            if flight.unanswered == 0 { answeredAt = now }
            greeting = try publish(topics.state, messages.online(health), client)
        }
        if isConnected, healthAt == 0 || now &- healthAt >= settings.healthEvery &* Self.second {
            healthAt = now
            let octets = health.octets(gate: settings.feed.gate, now: Clock.wallSeconds(), delivered: flight.delivered?.sequence ?? 0)
            try publish(topics.health, octets, client)
        }
    }
}

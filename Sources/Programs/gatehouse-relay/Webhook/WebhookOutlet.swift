import Audit
import JSON
import Linux
import Relay
import Webhook

/// Each record as a signed post (Standard Webhooks), one after the other: the next one when the receiver has said 2xx.
final class WebhookOutlet: Outlet {
    private let settings: WebhookSettings
    private let diary: WebhookDiary
    /// Made while libcurl may still read what it reads when it starts; nil where it does not.
    private let request: HTTPSRequest?
    private(set) var isConnected = false
    private var waiting: (message: WebhookMessage, place: AuditPlace)?
    /// How it went with the record that is tried, whose identifier this is.
    private var patience = WebhookPatience()
    private var tried: String?
    /// Up to when time went by for what is tried, in seconds since the board was switched on: no clock that is set makes three days of a
    /// moment.
    private var passedAt = Clock.uptime()
    private let log: String
    /// What the gate said of its clock last, as far as the log was read.
    private var gatesWord: String?
    private var clockAskedAt: Int64?
    private(set) var delivered: AuditPlace?

    /// Octets of an answer, which nobody reads.
    private static let mostAnswered = 65_536
    /// Seconds.
    private static let clockPause: Int64 = 5

    /// - Parameters:
    ///   - log: the folder with the audit log.
    ///   - state: the outlet's own folder.
    init(_ settings: WebhookSettings, log: String, state: String) {
        self.settings = settings
        self.log = log + "/audit.jsonl"
        diary = WebhookDiary(state)
        request = HTTPSRequest(settings.server, most: Self.mostAnswered, seconds: settings.timeout, isCut: true)
        if let (identifier, patience) = diary.remembered() { (tried, self.patience) = (identifier, patience) }
    }

    var needs: OutletNeeds {
        var needs = OutletNeeds()
        needs.ports = [settings.port]
        needs.readable = settings.server.files
        needs.startsThreads = true
        // With a resolver's thread, and its stack.
        needs.memory = 48 << 20
        needs.asksClock = settings.clock != .gate
        needs.tellsHealth = settings.clock != .system
        return needs
    }

    var room: Int { isConnected && waiting == nil ? 1 : 0 }

    func open() throws(OutletTrouble) {
        (waiting, delivered) = (nil, nil)
        clockAskedAt = nil
        try askClock()
        guard request != nil else { throw OutletTrouble(.system, "libcurl does not start", pause: .forever) }
        isConnected = true
    }

    func close() {
        request?.end()
        (isConnected, waiting) = (false, nil)
        passTime()
        if let tried { diary.remember(tried, patience) }
    }

    func note(_ health: FeedHealth) { if let word = health.clock { gatesWord = word } }

    /// Before each post: a gate that was started meanwhile may say otherwise. Its log is not read a hundred times a second for that.
    private func askClock() throws(OutletTrouble) {
        let now = Clock.uptime()
        if let clockAskedAt, now - clockAskedAt < Self.clockPause { return }
        guard settings.clock.isBelieved(log, gatesWord) else { throw OutletTrouble(.clock, pause: .minute) }
        clockAskedAt = now
    }

    private func passTime() {
        let now = Clock.uptime()
        patience.pass(UInt64(max(0, now - passedAt)))
        passedAt = now
    }

    func send(_ record: FeedRecord) throws(OutletTrouble) {
        guard let root = (try? JSONDocument(parsing: record.octets))?.root,
            let message = WebhookMessage(root, line: record.octets, gate: settings.feed.gate, identity: record.identity)
        else { throw OutletTrouble(.system, "a record has no number") }
        try askClock()
        passTime()
        waiting = (message, record.place)
        if tried != message.identifier { (tried, patience) = (message.identifier, WebhookPatience()) }
        let headers: [String]
        do throws(WebhookSecretError) {
            headers = try message.headers(at: Int64(clamping: Clock.wallSeconds()), by: settings.secret)
        } catch {
            throw OutletTrouble(.system, "it cannot be signed")
        }
        // No wish to be asked first (100-continue): a body is a few hundred octets.
        try request?.begin(headers: headers + ["Content-Type: application/json", "Expect:"], content: message.body)
    }

    func turn(until deadline: UInt64) throws(OutletTrouble) {
        guard let request, let (message, place) = waiting else { return Pause.sleep(until: deadline) }
        guard let answer = request.turn(until: deadline) else { return }
        passTime()
        switch answer {
        case .status(let status, _, let head):
            switch patience.attempted(.answered(status, retryAfter: head.retryAfter)) {
            case .delivered: try finish(place)
            case .stopped: throw OutletTrouble(.gone, "410", pause: .forever)
            case .again(let seconds):
                diary.remember(message.identifier, patience)
                throw OutletTrouble(Self.code(of: status), "\(status)", pause: .seconds(seconds))
            case .skipped:
                try diary.skip(message.identifier, status: status, at: Clock.wallSeconds())
                try finish(place)
            }
        case .trouble(let trouble):
            guard case .again(let seconds) = patience.attempted(.unanswered) else { throw trouble }
            throw OutletTrouble(trouble.code, trouble.detail, pause: .seconds(seconds))
        }
    }

    private func finish(_ place: AuditPlace) throws(OutletTrouble) {
        (delivered, waiting, patience) = (place, nil, WebhookPatience())
        diary.forget()
    }

    private static func code(of status: Int) -> OutletTrouble.Code {
        switch status {
        case 401, 403, 407: .credentials
        case 429, 507: .quota
        default: .refused
        }
    }
}

import Audit
import Glibc
import JSON
import Linux
import Relay
import TrustPull

/// Fetches the newest trust bundle from any web server that has files, and lays it where the gate's installer looks. It believes nothing of
/// it: signature, number and times are the installer's to judge, as of a bundle on a stick. Of the log it reads nothing.
final class TrustPullOutlet: Outlet {
    /// As the scripts for sticks call a bundle (`image/overlay/usr/lib/gatehouse/orders`).
    static let file = "trust-1.cose"
    /// Octets that a bundle can have; the installer knows the same bound.
    private static let most = 16 << 20
    private static let memory = "pulled"
    private static let second: UInt64 = 1_000_000_000

    private let settings: TrustPullSettings
    private let state: String
    /// Made while libcurl may still read what it reads when it starts; nil where it does not.
    private let request: HTTPSRequest?
    private var schedule: PullSchedule
    private var tag: EntityTag?
    private var next: UInt64
    private(set) var isConnected = false

    init(_ settings: TrustPullSettings, state: String) {
        (self.settings, self.state) = (settings, state)
        let schedule = PullSchedule(interval: settings.interval)
        self.schedule = schedule
        request = HTTPSRequest(settings.server, most: Self.most, seconds: settings.timeout)
        next = Clock.monotonic() &+ schedule.first(.random(in: 0...1)) * Self.second
    }

    var needs: OutletNeeds {
        var needs = OutletNeeds()
        needs.ports = [settings.port]
        needs.readable = settings.server.files
        needs.writable = [settings.folder]
        needs.startsThreads = true
        needs.readsLog = false
        // What comes, a copy of it, and the one that lies there, beside a resolver's thread.
        needs.memory = UInt64(4 * Self.most) + (48 << 20)
        return needs
    }

    var room: Int { 0 }
    var delivered: AuditPlace? { nil }

    func open() throws(OutletTrouble) {
        tag = remembered()
        guard request != nil else { throw OutletTrouble(.system, "libcurl does not start", pause: .forever) }
    }

    func close() {
        request?.end()
        isConnected = false
    }

    func send(_ record: FeedRecord) throws(OutletTrouble) {}

    func turn(until deadline: UInt64) throws(OutletTrouble) {
        guard let request else { return Pause.sleep(until: deadline) }
        if !request.isRunning {
            guard Clock.monotonic() >= next else { return Pause.sleep(until: min(deadline, next)) }
            // What was taken away from the folder is fetched again.
            let known = isThere ? tag.map { ["If-None-Match: \($0.text)"] } : nil
            try request.begin(headers: known ?? [], content: nil)
        }
        guard let answer = request.turn(until: deadline) else { return }
        do throws(OutletTrouble) {
            try take(answer)
            isConnected = true
            next = Clock.monotonic() &+ schedule.looked(true, .random(in: 0...1)) * Self.second
        } catch {
            let pause = schedule.looked(false, .random(in: 0...1))
            next = Clock.monotonic() &+ pause * Self.second
            throw OutletTrouble(error.code, error.detail, pause: .seconds(pause))
        }
    }

    private func take(_ answer: HTTPSRequest.Answer) throws(OutletTrouble) {
        switch answer {
        case .trouble(let trouble): throw trouble
        case .status(304, _, _): return
        case .status(200, let octets, let text):
            guard !octets.isEmpty else { throw OutletTrouble(.refused, "the file is empty") }
            try lay(octets)
            tag = EntityTag(text)
            remember()
        case .status(let status, _, _): throw OutletTrouble(status == 410 ? .gone : .refused, "\(status)")
        }
    }

    // MARK: the folder

    private var isThere: Bool { access(settings.folder + "/" + Self.file, F_OK) == 0 }

    /// The same octets once more are not laid there again: the installer would be woken for nothing.
    private func lay(_ octets: [UInt8]) throws(OutletTrouble) {
        do throws(SystemError) {
            let folder = try DurableFolder(settings.folder, exclusively: false)
            if let old = try? folder.read(Self.file, most: Self.most), old == octets { return }
            try folder.replace(Self.file, with: octets)
        } catch {
            throw OutletTrouble(.system, "the bundle cannot be kept: \(error.cause)")
        }
    }

    // MARK: what is remembered

    /// The tag of what was fetched last, if it was from there.
    private func remembered() -> EntityTag? {
        guard let octets = try? DurableFolder(state, exclusively: false).read(Self.memory, most: 8192),
            let root = (try? JSONDocument(parsing: octets))?.root, root["url"]?.string == settings.server.url
        else { return nil }
        return root["tag"]?.string.flatMap(EntityTag.init)
    }

    /// Where it cannot be kept, the bundle is fetched once more after the next start.
    private func remember() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("url", settings.server.url)
        if let tag { writer.member("tag", tag.text) }
        writer.endObject()
        try? DurableFolder(state, exclusively: false).replace(Self.memory, with: writer.bytes + [0x0A])
    }
}

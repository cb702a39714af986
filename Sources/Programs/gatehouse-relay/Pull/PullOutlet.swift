import Audit
import Glibc
import JSON
import Linux
import Relay
import TrustPull

/// Fetches the newest of one kind of file from any web server that has files, and lays it where the gate's installer looks. It believes
/// nothing of it: signature, number, times and gate are the installer's to judge, as of a file on a stick. Of the log it reads nothing.
final class PullOutlet: Outlet {
    /// How every such file begins: an array of four, with the tag of a COSE_Sign or without (RFC 9052 section 4.1).
    private static let beginnings: [[UInt8]] = [[0xD8, 0x62, 0x84], [0x84]]
    private static let memory = "pulled"
    private static let second: UInt64 = 1_000_000_000

    private let wanted: PulledFile
    private let settings: PullSettings
    private let state: String
    /// Made while libcurl may still read what it reads when it starts; nil where it does not.
    private let request: HTTPSRequest?
    private var schedule: PullSchedule
    private var tag: EntityTag?
    private var isAskedWithTag = false
    private var next: UInt64
    private(set) var isConnected = false

    init(_ wanted: PulledFile, _ settings: PullSettings, state: String) {
        (self.wanted, self.settings, self.state) = (wanted, settings, state)
        let schedule = PullSchedule(interval: settings.interval)
        self.schedule = schedule
        request = HTTPSRequest(settings.server, most: wanted.most, seconds: settings.timeout)
        next = Clock.monotonic() &+ schedule.first(.random(in: 0...1)) * Self.second
    }

    var needs: OutletNeeds {
        var needs = OutletNeeds()
        needs.ports = [settings.port]
        needs.readable = settings.server.files
        needs.writable = [settings.folder]
        needs.startsThreads = true
        needs.readsLog = false
        // What comes, once, where its buffer grows perhaps twice, beside a resolver's thread and its stack.
        needs.memory = UInt64(2 * wanted.most) + (48 << 20)
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
            isAskedWithTag = known != nil
            try request.begin(headers: known ?? [], content: nil)
        }
        guard let answer = request.turn(until: deadline) else { return }
        defer { request.letGo() }
        do throws(OutletTrouble) {
            try take(answer)
            isConnected = true
            next = Clock.monotonic() &+ schedule.looked(true, .random(in: 0...1)) * Self.second
        } catch {
            let pause = max(schedule.looked(false, .random(in: 0...1)), Self.wished(answer))
            next = Clock.monotonic() &+ pause * Self.second
            throw OutletTrouble(error.code, error.detail, pause: .seconds(pause))
        }
    }

    private func take(_ answer: HTTPSRequest.Answer) throws(OutletTrouble) {
        switch answer {
        case .trouble(let trouble): throw trouble
        // As an answer to no tag it says nothing: what is meant was never fetched.
        case .status(304, _, _) where isAskedWithTag: return
        // Nobody has anything to say to this gate; what it was told before stays as it is.
        case .status(404, _, _) where wanted.mayBeMissing: return
        case .status(200, let body, let head):
            guard !body.octets.isEmpty else { throw OutletTrouble(.refused, "the file is empty") }
            let isSigned = Self.beginnings.contains { body.octets.starts(with: $0) }
            // What waits there for its day, or for the gate, does not go for a page of some proxy.
            guard isSigned || !isThere else { throw OutletTrouble(.refused, "it is no signed file") }
            try lay(body.octets)
            // Nor is such a page what the server has under this tag: the next look fetches it anew.
            tag = isSigned ? EntityTag(head.tag) : nil
            remember()
        case .status(let status, _, _): throw OutletTrouble(status == 410 ? .gone : .refused, "\(status)")
        }
    }

    /// Seconds that the server wants to be left alone.
    private static func wished(_ answer: HTTPSRequest.Answer) -> UInt64 {
        if case .status(_, _, let head) = answer { head.retryAfter ?? 0 } else { 0 }
    }

    // MARK: the folder

    private var isThere: Bool { access(settings.folder + "/" + wanted.name, F_OK) == 0 }

    /// The same octets once more are not laid there again: the installer would be woken for nothing.
    private func lay(_ octets: UnsafeBufferPointer<UInt8>) throws(OutletTrouble) {
        if holds(octets) { return }
        do throws(SystemError) {
            try DurableFolder(settings.folder, exclusively: false).replace(wanted.name, octets.span)
        } catch {
            throw OutletTrouble(.system, "what was fetched cannot be kept: \(error.cause)")
        }
    }

    /// Whether what lies there is the same. Compared in pieces: a second copy of megabytes is more than the unit gives.
    private func holds(_ octets: UnsafeBufferPointer<UInt8>) -> Bool {
        let file = Glibc.open(settings.folder + "/" + wanted.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { Glibc.close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size == off_t(octets.count) else { return false }
        var piece = [UInt8](repeating: 0, count: 65_536), done = 0
        while done < octets.count {
            let count = Glibc.read(file, &piece, min(piece.count, octets.count - done))
            if count < 0, errno == EINTR { continue }
            guard count > 0, piece[..<count].elementsEqual(octets[done..<(done + count)]) else { return false }
            done += count
        }
        return true
    }

    // MARK: what is remembered

    /// The tag of what was fetched last, if it was from there.
    private func remembered() -> EntityTag? {
        guard let octets = try? DurableFolder(state, exclusively: false).read(Self.memory, most: 8192),
            let root = (try? JSONDocument(parsing: octets))?.root, root["url"]?.string == settings.server.url
        else { return nil }
        return root["tag"]?.string.flatMap(EntityTag.init)
    }

    /// Where it cannot be kept, the file is fetched once more after the next start.
    private func remember() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("url", settings.server.url)
        if let tag { writer.member("tag", tag.text) }
        writer.endObject()
        try? DurableFolder(state, exclusively: false).replace(Self.memory, with: writer.bytes + [0x0A])
    }
}

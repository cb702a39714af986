import Audit
import Glibc
import JSON
import Relay
import RelayState

/// A log that grows, is sealed, let go, torn and damaged, and a relay that reads it meanwhile: begun anew, rewound, started again.
///
/// While nothing but a gate writes, what the queue hands out is the log: each record once, in order, octet for octet, and a gap is said
/// for as many as are not there. Whatever the disk holds, the queue comes to an end, and what it calls a record is one.
func fuzzAuditQueue(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    let scene = QueueScene()
    while !script.isAtEnd, scene.lines.count < QueueScene.most {
        let word = script.octet()
        switch word & 15 {
        case 0...3: for _ in 0...(word >> 6) { scene.append(Int(word >> 4) * 40) }
        case 4: scene.tear()
        case 5: scene.seal()
        case 6: scene.dropOldest()
        case 7, 8: scene.take(Int(word >> 4) * 8 + 1)
        case 9: scene.restart()
        case 10: scene.rewind(Int(script.octet()))
        case 11: scene.exchange()
        case 12: scene.flip(segment: Int(word >> 4), at: Int(script.word()), to: script.octet())
        case 13: scene.add(script.block())
        case 14: scene.cut(Int(script.octet()))
        default: scene.setAside()
        }
    }
    scene.finish()
}

private final class QueueScene {
    /// Records of a run, and items that one drain of them may hand out: a log that contradicts itself is read again some times.
    static let most = 160
    private static let mostItems = 40_000

    /// The log as it was written, without newlines; what of it is not there any more is counted from the front.
    private(set) var lines: [[UInt8]] = []
    private var digest = AuditPlace.beginning.digest
    private var dropped = 0
    /// The numbers and first records of sealed segments, and of the current one.
    private var sealed: [(number: Int, first: Int)] = []
    private var (number, first) = (1, 0)
    /// What of the last line is still to be written.
    private var rest: [UInt8] = []
    /// Nobody but a gate has written.
    private var isWhole = true
    private var queue = AuditQueue(QueueScene.path("audit.jsonl"), after: .beginning)
    private var place = AuditPlace.beginning
    private var handedOut: [AuditPlace] = [.beginning]
    private var composer = FeedComposer(FeedSettings(gate: "east-1"))
    private var health = FeedHealth()
    /// What the log holds in all, which bounds what is read.
    private var items = 0

    init() { Self.empty() }

    // MARK: what a gate does

    func append(_ size: Int) {
        finishLine()
        write(line("visit", #","outcome":"accepted","issuer":"\#(String(repeating: "x", count: size))""#) + [0x0A])
    }

    /// Half a line, as a disk has it that is being written or is full.
    func tear() {
        finishLine()
        let line = line("visit", "") + [0x0A]
        let half = line.count / 2
        rest = Array(line[half...])
        write(Array(line[..<half]))
    }

    func seal() {
        finishLine()
        guard !lines.isEmpty else { return }
        Glibc.rename(Self.path("audit.jsonl"), Self.path(Self.name(number)))
        sealed.append((number, first))
        (number, first) = (number + 1, lines.count)
        Self.highest = number
        write(line("segment", #","segment":\#(number)"#) + [0x0A])
    }

    func dropOldest() {
        guard let oldest = sealed.first else { return }
        unlink(Self.path(Self.name(oldest.number)))
        sealed.removeFirst()
        dropped = sealed.first?.first ?? first
    }

    private func line(_ event: String, _ members: String) -> [UInt8] {
        let (number, at) = (lines.count + 1, 1_800_000_000 + lines.count)
        let text = #"{"seq":\#(number),"prev":"\#(digest)","at":\#(at),"up":1,"event":"\#(event)"\#(members)}"#
        lines.append(Array(text.utf8))
        digest = Self.digest(lines[lines.count - 1])
        return lines[lines.count - 1]
    }

    private func finishLine() {
        guard !rest.isEmpty else { return }
        write(rest)
        rest = []
    }

    // MARK: what else may become of it

    func exchange() {
        Self.empty()
        (lines, digest, dropped, sealed, number, first, rest) = ([], AuditPlace.beginning.digest, 0, [], 1, 0, [])
        isWhole = false
    }

    func flip(segment: Int, at offset: Int, to octet: UInt8) {
        let names = sealed.map { Self.name($0.number) } + ["audit.jsonl"]
        let file = open(Self.path(names[segment % names.count]), O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        guard size > 0 else { return }
        isWhole = false
        _ = withUnsafeBytes(of: octet) { pwrite(file, $0.baseAddress, 1, off_t(offset) % size) }
    }

    func add(_ octets: [UInt8]) {
        isWhole = false
        write(octets)
    }

    func cut(_ count: Int) {
        isWhole = false
        var facts = stat()
        guard stat(Self.path("audit.jsonl"), &facts) == 0 else { return }
        truncate(Self.path("audit.jsonl"), max(0, facts.st_size - off_t(count)))
    }

    func setAside() {
        guard let last = sealed.last else { return }
        isWhole = false
        Glibc.rename(Self.path(Self.name(last.number)), Self.path(Self.name(last.number, isSetAside: true)))
    }

    // MARK: what the relay does

    func take(_ most: Int) {
        items = 0
        for _ in 0..<most {
            let item: AuditQueue.Item?
            do { item = try queue.next() } catch { return require(false, "a log can be read: \(error)") }
            guard let item else { return }
            items += 1
            require(items < Self.mostItems, "the queue comes to an end")
            check(item)
        }
    }

    private func check(_ item: AuditQueue.Item) {
        switch item {
        case .record(let next, let octets):
            require(!isWhole || (next.sequence == place.sequence + 1 && lines[Int(next.sequence) - 1] == octets), "the next record")
            require(next.digest == Self.digest(octets) && octets.allSatisfy { $0 >= 0x20 }, "a record is a line, and its digest its own")
            place = next
            handedOut.append(next)
            leave(octets)
        case .missing(let range):
            require(!isWhole || (range.lowerBound == place.sequence + 1 && range.upperBound <= dropped), "only what went is missing")
            guard isWhole else { return }
            place = AuditPlace(sequence: range.upperBound, digest: Self.digest(lines[Int(range.upperBound) - 1]), previous: "")
        case .damaged, .outOfOrder, .broken, .rewritten, .exchanged: require(!isWhole, "a whole log has no fault: \(item)")
        }
    }

    /// What would go out of the record.
    private func leave(_ octets: [UInt8]) {
        health.take(place, octets)
        guard let record = composer.take(place, octets) else { return require(false, "a record leaves") }
        guard let root = (try? JSONDocument(parsing: record.octets))?.root else { return require(false, "what leaves is JSON") }
        require(root["seq"]?.int64 == Int64(place.sequence) && root["issuer"] == nil && root["prev"] == nil, "its number, and nobody")
        require(!record.octets.contains(0x0A), "one line")
    }

    /// Killed, and started again with a cursor that it wrote.
    func restart() {
        let file = open(Self.path("cursor"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let octets = OutletCursor(isWhole ? place : (handedOut.last ?? .beginning)).octets
        _ = octets.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        close(file)
        guard let cursor = try? OutletCursor(folder: Self.folder) else { return require(false, "a cursor is read as it was written") }
        place = cursor.place
        queue = AuditQueue(Self.path("audit.jsonl"), after: place)
    }

    func rewind(_ back: Int) {
        place = handedOut[max(0, handedOut.count - 1 - back)]
        queue.rewind(to: place)
    }

    /// All that is there is handed out in the end.
    func finish() {
        take(.max)
        guard isWhole else { return }
        require(place.sequence == UInt64(lines.count - (rest.isEmpty ? 0 : 1)), "nothing is left behind")
        finishLine()
        take(.max)
        require(place.sequence == UInt64(lines.count), "half a line is one when it is whole")
    }

    // MARK: the folder

    private static let folder: String = {
        var template = Array("/tmp/gatehouse-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("no folder for a log: errno \(errno)") }
        atexit {
            QueueScene.empty()
            rmdir(QueueScene.folder)
        }
        return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }()

    static func path(_ name: String) -> String { folder + "/" + name }

    private static func name(_ number: Int, isSetAside: Bool = false) -> String {
        "audit-" + String(repeating: "0", count: 8 - String(number).count) + String(number) + (isSetAside ? ".damaged" : ".jsonl")
    }

    /// The highest number that a segment in the folder may have.
    nonisolated(unsafe) private static var highest = 1

    private static func empty() {
        for name in ["audit.jsonl", "cursor"] { unlink(path(name)) }
        for number in 1...highest {
            unlink(path(name(number)))
            unlink(path(name(number, isSetAside: true)))
        }
        highest = 1
    }

    private func write(_ octets: [UInt8]) {
        let file = open(Self.path("audit.jsonl"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(file) }
        require(octets.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == octets.count, "the log of the test is written")
    }

    private static func digest(_ octets: [UInt8]) -> String { auditDigest(octets) }
}

let auditQueueSeeds: [[UInt8]] = [
    // A gate and a relay beside it: records, segments, half a line, a drop, a restart, a rewind.
    [0x40, 0x17, 0xC1, 0x04, 0x27, 0x00, 0x05, 0x80, 0x05, 0x37, 0x06, 0x09, 0xF7, 0x0A, 0x03, 0xF8],
    [0xC0, 0x05, 0xC1, 0x05, 0xC2, 0x05, 0xC3, 0x06, 0x06, 0x47, 0x04, 0x09, 0x17, 0x0A, 0x09, 0xF7, 0x05],
    // Faults: a flipped octet, nonsense, a cut, a segment set aside, another log.
    [0xC0, 0x05, 0xC1, 0xF7, 0x0C, 0x07, 0x00, 0x37, 0x0D, 0x05, 0x7B, 0x7D, 0x0A, 0x0A, 0x0A, 0xF7, 0x0E, 0x20, 0xF7, 0x09, 0xF7],
    [0xC0, 0x05, 0xC1, 0x05, 0x0F, 0xF7, 0x0B, 0xC0, 0xF7, 0x09, 0xF7, 0x0A, 0x05, 0xF7],
    // A number that was damaged, and the log goes on behind it.
    [0xC0, 0x0C, 0x07, 0x00, 0x39, 0xC0, 0xF7, 0xC0, 0xF7],
]

import Audit
import Cryptography
import Glibc
import JSON
import Linux
import ResidentMemory

/// A log of so many records as a busy gate has them, made as fast as a disk takes it, and what it costs to count them: seconds, beside
/// those of reading the same octets and finding their lines, and of checking the chain; and the most memory this process ever had.
struct StatisticsSoak {
    /// 64 MiB: what a board of 512 MiB can spare beside its gate.
    private static let mostMemory = 64 << 20
    private static let segment = 4 << 20
    private static let issuers = 40

    let folder: String
    let records: Int

    private var path: String { folder + "/audit.jsonl" }

    func run() throws {
        let made = try make()
        let floor = try seconds { try lines() }
        var counted: AuditStatistics?
        let time = try seconds { counted = try AuditStatistics(of: path) }
        let memory = peakResidentMemory()
        guard let counted else { return }
        guard counted.records == UInt64(records), counted.accepted == made.accepted, counted.rejected == made.rejected,
            counted.withoutVerdict == made.others, counted.damagedLines == 0, counted.missing == 0
        else { fail("the counts: \(counted.records) records, \(counted.accepted) accepted, \(counted.rejected) rejected") }
        let chain = try seconds {
            let report = try AuditReport(checking: path)
            guard report.fault == nil, report.records == UInt64(records) else { fail("the chain: \(report)") }
        }
        print("\(records) records, \(counted.octets >> 20) MiB in \(counted.segments) segments")
        print(
            "stats: \(text(time)) s, \(Int(Double(records) / time)) records/s, \(text(time / floor)) times reading and finding lines (\(text(floor)) s); "
                + "checking the chain: \(text(chain)) s")
        print("most resident memory: \(memory / 1024) kB")
        guard memory < Self.mostMemory else { fail("\(memory) octets of memory") }
    }

    // MARK: the log

    private struct Made { var accepted: UInt64 = 0, rejected: UInt64 = 0, others: UInt64 = 0 }

    private func make() throws -> Made {
        var made = Made(), segment = 1, octets: [UInt8] = [], previous = String(repeating: "0", count: 64)
        octets.reserveCapacity(Self.segment + 4096)
        for number in 1...records {
            var writer = JSONWriter(reserving: 512)
            writer.object { writer in
                writer.member("seq", number)
                writer.member("prev", previous)
                // A visit every 86 seconds, a thousand a day.
                writer.member("at", 1_800_000_000 + 86 * number)
                writer.member("up", 86_000 * number)
                if octets.isEmpty, segment > 1 {
                    writer.member("event", "segment")
                    writer.member("segment", segment)
                } else {
                    write(number, to: &writer, &made)
                }
            }
            previous = hexadecimal(try Digest.hash(writer.bytes.span, .sha256))
            octets += writer.bytes + [0x0A]
            guard octets.count >= Self.segment, number < records else { continue }
            let digits = "\(segment)"
            try put(octets, "audit-" + String(repeating: "0", count: 8 - digits.count) + digits + ".jsonl")
            octets.removeAll(keepingCapacity: true)
            segment += 1
        }
        try put(octets, "audit.jsonl")
        return made
    }

    /// Of a thousand records: 900 accepted, 60 rejected, 30 without a verdict, 9 of links, and a start.
    private func write(_ number: Int, to writer: inout JSONWriter, _ made: inout Made) {
        let kind = number * 7919 % 1000
        guard kind < 990 else {
            writer.member("event", kind == 999 ? "started" : "fruitless")
            for name in kind == 999 ? [] : ["links", "refused"] { writer.member(name, kind - 980) }
            return
        }
        let outcome = kind < 900 ? "accepted" : kind < 960 ? "rejected" : "left"
        writer.member("event", "visit")
        writer.member("visit", number)
        writer.member("outcome", outcome)
        if outcome == "rejected" {
            writer.name("reasons")
            writer.array { $0.string(number % 3 == 0 ? "expired" : "no-match") }
        }
        if outcome == "accepted" { made.accepted += 1 } else if outcome == "rejected" { made.rejected += 1 } else { made.others += 1 }
        if outcome != "left" {
            writer.member("form", number % 4 == 0 ? "ldp_vc" : "sd_jwt")
            writer.member("issuer", "https://issuer-\(number % Self.issuers).example/credentials")
            writer.member("bundle", 12)
            writer.member("status", "good")
            writer.member("holder", "bound")
            writer.member("face", "match")
            writer.member("faceBin", "far-above")
            writer.member("faceFrames", 4)
            writer.member("faceMs", 300 + number % 700)
        }
        for (name, value) in [
            ("mtu", 517), ("chunks", 41), ("checksumFailures", 0), ("sizeClass", 14), ("identifiedMs", 5 + number % 31),
            ("receivedMs", 60 + number % 97), ("openedMs", 61 + number % 97), ("decidedMs", 400 + number % 1201),
        ] {
            writer.member(name, value)
        }
    }

    private func hexadecimal(_ octets: [UInt8]) -> String {
        octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func put(_ octets: [UInt8], _ name: String) throws {
        let descriptor = open(folder + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        defer { close(descriptor) }
        try File.write(octets, to: descriptor)
    }

    // MARK: the floor

    /// Reads the log once and looks for the ends of its lines.
    private func lines() throws {
        guard let handle = opendir(folder) else { throw SystemError(errno: errno) }
        defer { closedir(handle) }
        var found = 0, buffer = [UInt8](repeating: 0, count: 262_144)
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasSuffix(".jsonl") else { continue }
            let descriptor = open(folder + "/" + name, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemError(errno: errno) }
            defer { close(descriptor) }
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                found += newlines(buffer, count)
            }
        }
        guard found == records else { fail("\(found) lines") }
    }

    private func newlines(_ buffer: [UInt8], _ count: Int) -> Int {
        buffer.withUnsafeBytes { octets in
            var found = 0, position = 0
            while let base = octets.baseAddress, let next = memchr(base + position, 0x0A, count - position) {
                found += 1
                position = base.distance(to: UnsafeRawPointer(next)) + 1
            }
            return found
        }
    }

    private func seconds(_ body: () throws -> Void) throws -> Double {
        let begin = Clock.monotonic()
        try body()
        return Double(Clock.monotonic() - begin) / 1e9
    }

    private func text(_ value: Double) -> String { String((value * 100).rounded() / 100) }
}

func fail(_ sentence: String) -> Never {
    print("audit-soak: FAILED: \(sentence)")
    exit(1)
}

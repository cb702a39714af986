import CJPEGEncoding
import CZlib
import DrawnCodes
import Foundation
import Glibc
import Linux
import TestSupport
import Testing
import VisionProtocol

@testable import Appliance

/// Codes' workers without any plug-in, with the patience of a test.
private struct CodeWorkers {
    let supervisor: Supervisor
    let reader: CodeReader

    init(change: (inout SupervisorSettings) -> Void = { _ in }) throws {
        var settings = SupervisorSettings()
        settings.timeouts.hello = 120_000_000_000
        settings.timeouts.codes = 60_000_000_000
        change(&settings)
        supervisor = try Supervisor(settings)
        reader = CodeReader(supervisor: supervisor)
    }

    func read(_ head: PictureHeader, _ octets: [UInt8]) throws -> CodeReading {
        try octets.withUnsafeBytes { try reader.read(head, $0) }
    }

    /// As one frame of many: without a word that the ones before are forgotten.
    func watch(_ code: DrawnCode) throws -> CodeReading {
        try reader.prepare()
        let isShown = code.yuyv.withUnsafeBytes { reader.show(Self.yuyv(code), $0, Clock.monotonic()) }
        #expect(isShown)
        for _ in 0..<60_000 {
            if case .read(let reading)? = reader.next(Clock.monotonic()) { return reading }
            _ = poll(nil, 0, 1)
        }
        throw WorkerFailure.timedOut
    }

    static func yuyv(_ code: DrawnCode) -> PictureHeader {
        PictureHeader(format: .yuyv, width: UInt32(code.width), height: UInt32(code.height), stride: UInt32(code.width * 2))
    }

    /// The worker's process.
    func process() throws -> Int32 { try #require(Processes.children(of: supervisor.process).first) }
}

@Suite("A worker that reads codes")
struct CodeWorkerTests {
    private static let text = Array("NCFKVPV0QSIP600GP5L0 A CODE OF A TEST, 45 CHARACTERS".utf8.filter { $0 != 0x2C })
    private static let code = DrawnCode(text, .alphanumeric, module: 6).map { $0.on(width: 640, height: 480) }

    private static func jpeg(_ pixels: [UInt8], _ width: Int, _ height: Int, _ colours: jpeg_colours = JPEG_MADE_GREY) -> [UInt8] {
        var making = jpeg_making()
        (making.width, making.height, making.colours, making.quality) = (UInt32(width), UInt32(height), colours, 80)
        (making.across, making.down) = (1, 1)
        var count = 0
        guard let made = jpeg_make(&making, pixels, &count) else { return [] }
        defer { free(made) }
        return Array(UnsafeBufferPointer(start: made, count: count))
    }

    @Test("is ready without a plug-in, and says what it reads by")
    func ready() throws {
        let workers = try CodeWorkers()
        let library = try workers.reader.prepare()
        #expect(library.name == "zxing-cpp" && library.version.split(separator: ".").count == 3)
        #expect(workers.reader.state == .idle && workers.reader.starts == 1)
    }

    @Test("reads a code whatever the picture is made of, and says where it is")
    func formats() throws {
        let workers = try CodeWorkers(), code = try #require(Self.code)
        let (width, height) = (UInt32(code.width), UInt32(code.height))
        let pictures: [(PictureHeader, [UInt8])] = [
            (CodeWorkers.yuyv(code), code.yuyv),
            (PictureHeader(format: .rgb24, width: width, height: height, stride: width * 3), code.rgb24),
            (PictureHeader(format: .jpeg), Self.jpeg(code.pixels, code.width, code.height)),
            (PictureHeader(format: .jpeg), Self.jpeg(code.rgb24, code.width, code.height, JPEG_MADE_YCC)),
            (PictureHeader(format: .png), Self.png(code)),
        ]
        for (head, octets) in pictures {
            let reading = try workers.read(head, octets)
            #expect(reading.status == .read && reading.text == Self.text, "\(head.format)")
            #expect(reading.width == 640 && reading.height == 480 && !reading.isInverted && !reading.isMirrored)
            #expect(reading.corners.all.allSatisfy { (0..<640).contains($0.x) && (0..<480).contains($0.y) })
            #expect(reading.corners.upperLeft.x < reading.corners.upperRight.x && reading.corners.upperLeft.y < reading.corners.lowerLeft.y)
        }
        #expect(workers.reader.starts == 1)
    }

    private static func png(_ code: DrawnCode) -> [UInt8] {
        var rows: [UInt8] = []
        for row in 0..<code.height { rows += [0] + code.pixels[row * code.width..<(row + 1) * code.width] }
        return png(code.width, code.height, rows)
    }

    /// Eight bits of grey.
    private static func png(_ width: Int, _ height: Int, _ rows: [UInt8]) -> [UInt8] {
        func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        func chunk(_ kind: String, _ octets: [UInt8]) -> [UInt8] {
            let named = Array(kind.utf8) + octets
            return big(octets.count) + named + big(Int(crc32(0, named, UInt32(named.count))))
        }
        let header = big(width) + big(height) + [8, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", deflated(rows, windowBits: 15))
            + chunk("IEND", [])
    }

    @Test("light on dark, mirrored and both: one picture is looked at in every way")
    func ways() throws {
        let workers = try CodeWorkers(), code = try #require(Self.code)
        for (drawn, isInverted, isMirrored) in [
            (code.inverted(), true, false), (code.mirrored(), false, true), (code.inverted().mirrored(), true, true),
            (code.turned(sine: 0.342, cosine: 0.940), false, false),
        ] {
            let reading = try workers.read(CodeWorkers.yuyv(drawn), drawn.yuyv)
            #expect(reading.text == Self.text && reading.isInverted == isInverted && reading.isMirrored == isMirrored)
        }
    }

    @Test("of many frames each way has its turn within four")
    func turns() throws {
        let workers = try CodeWorkers(), code = try #require(Self.code)
        for drawn in [code.inverted(), code.mirrored()] {
            _ = try workers.watch(code)
            var read = 0
            for _ in 0..<4 where try workers.watch(drawn).text == Self.text { read += 1 }
            #expect(read >= 1)
        }
    }

    @Test("tells whether something moved since the frame before")
    func change() throws {
        let workers = try CodeWorkers(), code = try #require(Self.code)
        #expect(try workers.watch(code).change == 255)
        #expect(try workers.watch(code).change == 0)
        let moved = try workers.watch(code.mirrored().inverted()).change
        #expect(moved > 100)
        #expect(try workers.watch(code.mirrored().inverted()).change == 0)
        // What is shown alone is told from nothing before it.
        #expect(try workers.read(CodeWorkers.yuyv(code), code.yuyv).change == 255)
    }

    /// What a stranger, or a camera that lies, may show.
    private static let hostile: [(String, PictureHeader, @Sendable () -> [UInt8], CodeReading.Status)] = [
        ("garbage of 4 MiB", PictureHeader(format: .jpeg), { random(MessageHeader.mostPayload - PictureHeader.size) }, .undecodable),
        ("garbage that begins as a JPEG", PictureHeader(format: .jpeg), { [0xFF, 0xD8, 0xFF, 0xDB] + random(100_000) }, .undecodable),
        ("a frame of one pixel", PictureHeader(format: .rgb24, width: 1, height: 1, stride: 3), { [1, 2, 3] }, .nothing),
        ("a JPEG of one pixel", PictureHeader(format: .jpeg), { jpeg([7], 1, 1) }, .nothing),
        ("a JPEG that claims 8192 by 8192", PictureHeader(format: .jpeg), { claiming(8192, 8192) }, .tooLarge),
        ("a JPEG that claims 65535 by 65535", PictureHeader(format: .jpeg), { claiming(65535, 65535) }, .tooLarge),
        (
            "a JPEG cut in the middle", PictureHeader(format: .jpeg), { Array(jpeg(random(640 * 480), 640, 480).prefix(20_000)) },
            .undecodable
        ),
        ("a line as long as any", PictureHeader(format: .rgb24, width: 8192, height: 1, stride: 24_576), { random(24_576) }, .nothing),
        ("noise", PictureHeader(format: .yuyv, width: 1024, height: 1024, stride: 2048), { random(2 << 20) }, .nothing),
        ("a PNG that is none", PictureHeader(format: .png), { random(1000) }, .undecodable),
        ("a PNG that claims 8192 by 8192", PictureHeader(format: .png), { png(8192, 8192, [0]) }, .tooLarge),
        (
            "a PNG that claims more rows than it has", PictureHeader(format: .png), { png(8000, 4000, [UInt8](repeating: 0, count: 8001)) },
            .undecodable
        ),
        (
            "a PNG of many pixels in few octets", PictureHeader(format: .png),
            { png(3000, 2000, [UInt8](repeating: 0, count: 3001 * 2000)) }, .nothing
        ),
    ]

    private static func random(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(count))
        return random.bytes(count)
    }

    private static func claiming(_ width: Int, _ height: Int) -> [UInt8] {
        var octets = jpeg([UInt8](repeating: 9, count: 64), 8, 8)
        // The frame header: marker, length, precision, height, width.
        for index in 0..<octets.count - 9 where octets[index] == 0xFF && octets[index + 1] == 0xC0 {
            for (place, number) in [(5, height), (7, width)] {
                (octets[index + place], octets[index + place + 1]) = (UInt8(number >> 8), UInt8(number & 255))
            }
        }
        return octets
    }

    @Test("a picture that is none ends in a named result, and the worker lives", arguments: hostile.indices)
    func hostilePictures(_ index: Int) throws {
        let workers = try CodeWorkers(), code = try #require(Self.code)
        let (name, head, octets, status) = Self.hostile[index]
        let reading = try workers.read(head, octets())
        #expect(reading.status == status && reading.text == nil, "\(name)")
        #expect(try workers.read(CodeWorkers.yuyv(code), code.yuyv).text == Self.text, "\(name)")
        #expect(workers.reader.starts == 1, "\(name)")
    }

    @Test("a picture larger than any is not sent")
    func notSent() throws {
        let workers = try CodeWorkers()
        #expect(throws: WorkerFailure.lied(.tooLong)) {
            try workers.read(PictureHeader(format: .jpeg), [UInt8](repeating: 0, count: 4 << 20))
        }
        #expect(throws: WorkerFailure.lied(.badPicture)) {
            try workers.read(PictureHeader(format: .rgb24, width: 9000, height: 1, stride: 27_000), [UInt8](repeating: 0, count: 27_000))
        }
    }

    /// Nothing but the patterns by which a code is found, as small as can be: the library tries to make a code of each three of them.
    private static let patterns: [UInt8] = {
        var octets: [UInt8] = []
        for y in 0..<480 {
            for x in 0..<640 {
                let ring = max(abs(x % 9 - 4), abs(y % 9 - 4))
                octets.append(ring == 2 || ring == 4 ? 255 : 0)
                octets.append(128)
            }
        }
        return octets
    }()

    @Test("one that is late is killed, as for a picture made to keep it busy, and the next frame is read by another")
    func late() throws {
        let workers = try CodeWorkers { $0.timeouts.codes = 1_000_000_000 }
        let head = PictureHeader(format: .yuyv, width: 640, height: 480, stride: 1280)
        #expect(throws: WorkerFailure.timedOut) { try workers.read(head, Self.patterns) }
        try workers.reader.prepare()
        #expect(workers.reader.starts == 2)
    }

    @Test("one that is killed, or hangs, is started again, and the next frame is read")
    func restarts() throws {
        let workers = try CodeWorkers(), code = try #require(Self.code)
        try workers.reader.prepare()
        kill(try workers.process(), SIGKILL)
        #expect(throws: WorkerFailure.crashed(signal: SIGKILL)) { try workers.read(CodeWorkers.yuyv(code), code.yuyv) }
        #expect(try workers.read(CodeWorkers.yuyv(code), code.yuyv).text == Self.text && workers.reader.starts == 2)
        kill(try workers.process(), SIGSTOP)
        let soon = Clock.monotonic() + 200_000_000
        #expect(throws: WorkerFailure.timedOut) {
            try code.yuyv.withUnsafeBytes { try workers.reader.read(CodeWorkers.yuyv(code), $0, until: soon) }
        }
        #expect(try workers.read(CodeWorkers.yuyv(code), code.yuyv).text == Self.text && workers.reader.starts == 3)
    }

    @Test("a request for a matcher is none for it")
    func otherRequests() throws {
        let workers = try CodeWorkers()
        let client = VisionClient(supervisor: workers.supervisor, role: .codes)
        #expect(throws: WorkerFailure.exited(code: WorkerExit.badRequest.rawValue)) {
            try [UInt8](arrayLiteral: 1, 2, 3).withUnsafeBytes { try client.ask(.picture(.probe, PictureHeader(format: .jpeg)), $0) }
        }
    }

    @Test("runs beside a matcher, and each ends alone")
    func beside() throws {
        let matchers = try TestMatchers("test_matcher"), code = try #require(Self.code)
        let reader = CodeReader(supervisor: matchers.supervisor)
        #expect(try matchers.compare().similarity == 1)
        #expect(try code.yuyv.withUnsafeBytes { try reader.read(CodeWorkers.yuyv(code), $0) }.text == Self.text)
        #expect(Processes.children(of: matchers.supervisor.process).count == 2)
        matchers.worker.restart(at: Clock.monotonic())
        #expect(try code.yuyv.withUnsafeBytes { try reader.read(CodeWorkers.yuyv(code), $0) }.text == Self.text && reader.starts == 1)
        reader.stop()
        #expect(Processes.eventually { Processes.children(of: matchers.supervisor.process).count == 1 })
        #expect(try matchers.compare().similarity == 1 && matchers.worker.starts == 2)
    }
}

@Suite("What a worker that reads codes has given up and forgotten", .enabled(if: ConfinementOffer().hasFilters))
struct CodeWorkerConfinementTests {
    private func status(_ process: Int32) throws -> [String: String] {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return Dictionary(
            text.split(separator: "\n").map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
            }, uniquingKeysWith: { one, _ in one })
    }

    @Test("powers, privileges, files and threads: it has its channel and a filter")
    func confinement() throws {
        let workers = try CodeWorkers()
        try workers.reader.prepare()
        let process = try workers.process(), facts = try status(process)
        #expect(facts["Seccomp"] == "2" && facts["NoNewPrivs"] == "1" && facts["Threads"] == "1")
        for set in ["CapPrm", "CapEff", "CapAmb"] { #expect(facts[set].flatMap { UInt64($0, radix: 16) } == 0) }
        #expect(Processes.channels(of: "\(process)").count == 1)
        let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        #expect(limits.contains("Max address space         402653184"))
    }

    @Test("becomes the user it is told, and none that is not there", .enabled(if: geteuid() == 0))
    func user() throws {
        let workers = try CodeWorkers { $0.user = "nobody" }
        try workers.reader.prepare()
        #expect(try status(workers.process())["Uid"] == "65534\t65534\t65534\t65534")
        let nowhere = try CodeWorkers { $0.user = "no-such-user" }
        #expect(throws: WorkerFailure.cannotOpen(status: OpenFailure.notConfined.rawValue)) { try nowhere.reader.prepare() }
    }

    @Test("nothing of a frame or its text is in its memory after the answer", .enabled(if: geteuid() == 0))
    func memory() throws {
        let workers = try CodeWorkers()
        let text = Array("A TEXT THAT IS NOWHERE ELSE IN THAT PROCESS 8472".utf8)
        let code = try #require(DrawnCode(text, .alphanumeric, module: 5)).on(width: 640, height: 480)
        #expect(try workers.watch(code).text == text)
        // A frame of another grey than anything else has so much of.
        let plain = [UInt8](repeating: 0x5B, count: 640 * 480)
        let head = PictureHeader(format: .yuyv, width: 640, height: 240, stride: 1280)
        #expect(try workers.read(head, plain).status == .nothing)
        // It waits for the next one, and has nothing more to overwrite.
        let process = try workers.process()
        #expect(Processes.eventually { (try? status(process)["State"]?.hasPrefix("S")) == true })
        #expect(try !Self.memory(of: process, contains: text))
        #expect(try !Self.memory(of: process, contains: [UInt8](repeating: 0x5B, count: 4096)))
    }

    private static func memory(of process: Int32, contains wanted: [UInt8]) throws -> Bool {
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        let file = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        for line in maps.split(separator: "\n") where line.contains(" rw") {
            let ends = (line.split(separator: " ").first ?? "").split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, ends[1] - ends[0] <= 1 << 30 else { continue }
            var octets = [UInt8](repeating: 0, count: Int(ends[1] - ends[0]))
            let count = octets.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(ends[0])) }
            guard count > 0 else { continue }
            let isFound = octets.withUnsafeBytes { all in
                wanted.withUnsafeBytes { memmem(all.baseAddress, count, $0.baseAddress, $0.count) != nil }
            }
            if isFound { return true }
        }
        return false
    }
}

import Bluetooth
import CMallocCount
import Cryptography
import Devices
import Glibc
import ResidentMemory
import SelfTest
import Trust
import Tuvali
import Visit

struct CheckFailed: Error { var reason: String }

/// A gatekeeper over a real unix socket, driven in step with a scripted controller: the loop of the appliance, laid bare so that
/// opening and verifying can be told apart.
final class CoreRig {
    private let folder: TemporaryFolder
    let socket: ControllerSocket
    let credential: DemoCredential
    let gzip: [UInt8]
    private let link: StreamLink
    private var gate: Gatekeeper
    private var frame = PacketFrame()
    private let packet = UnsafeMutableRawBufferPointer.allocate(byteCount: H4Framer.capacity, alignment: 64)
    private var clock: UInt64 = 1_000_000_000
    /// Whether allocations count now.
    private var isCounting = false
    private(set) var counted: UInt64 = 0
    private var record: VisitRecord?
    private var mustVerify = false
    private(set) var accepted = 0

    init(portrait: Int) throws {
        folder = try TemporaryFolder()
        socket = try ControllerSocket(folder: folder.path)
        credential = try DemoCredential(portrait: portrait)
        gzip = ScriptedWallet.gzip(credential.text)
        let trust = try TrustStore(files: [("demo.json", credential.trust)])
        let name = Array("BENCH".utf8)
        // One visitor after the other, without the time a light takes.
        var policy = Policy()
        (policy.verdictLight, policy.verdictPause) = (0, 0)
        gate = try Gatekeeper(name: VerifierName(deviceName: name.span), version: .v05, trust: trust, policy: policy)
        link = StreamLink(.unix(path: socket.path))
        try link.open()
        socket.accept()
        gate.linkOpened(at: now)
    }

    private var now: Now { Now(monotonic: Instant(nanoseconds: clock), wall: 1_800_000_000) }

    /// Runs `body` with counting on, when it is on at all.
    private func counting(_ body: () throws -> Void) rethrows {
        guard isCounting else { return try body() }
        malloc_count_begin()
        defer { counted += malloc_count_end() }
        try body()
    }

    private func flush() throws {
        try counting {
            while let action = gate.nextAction(into: &frame, maySend: !link.hasUnsent, at: now) {
                switch action {
                case .send: try link.write(&frame)
                case .store(let record): self.record = record
                case .verify: mustVerify = true
                case .camera, .codes, .compare, .count, .recover, .light, .verdict, .supervisor, .show, .sign, .radio, .stopped: break
                }
            }
        }
    }

    /// Lets gate and controller talk until both are quiet.
    private func settle() throws {
        repeat {
            try flush()
            _ = socket.exchange()
            while true {
                var count = 0
                try counting {
                    count = try link.read(into: packet)
                    if count > 0 {
                        let octets = UnsafeRawBufferPointer(rebasing: packet[..<count]).assumingMemoryBound(to: UInt8.self)
                        gate.receive(octets.span, at: now)
                    }
                }
                try flush()
                if count == 0 { break }
            }
        } while socket.exchange()
    }

    private func pass(milliseconds: UInt64) throws {
        clock += milliseconds * 1_000_000
        if mustVerify {
            mustVerify = false
            gate.verify(at: now)
        }
        if let deadline = gate.deadline, deadline.nanoseconds <= clock { gate.expire(at: now) }
        try settle()
    }

    /// One visit. With `isCounted`, everything from the advertisement to the opened credential counts.
    func visit(isCounted: Bool) throws {
        try settle()
        guard socket.controller.isAdvertising else { throw CheckFailed(reason: "the gate does not advertise") }
        let wallet = ScriptedWallet()
        let key = ScriptedWallet.gateKey(socket.controller.advertisingData, socket.controller.scanResponse)
        let (identify, message) = try wallet.seal(gzip, for: key)
        let chunks = wallet.chunks(message)
        isCounting = isCounted
        socket.controller.connect()
        try settle()
        socket.controller.send([0x02, UInt8(wallet.mtu & 0xFF), UInt8(wallet.mtu >> 8)])
        try settle()
        write(wallet.handles.identify, identify)
        try settle()
        let size = UInt32(message.count)
        write(wallet.handles.size, [UInt8(size >> 24), UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)])
        for chunk in chunks { write(wallet.handles.submit, chunk) }
        try settle()
        write(wallet.handles.reportRequest, [1])
        try settle()
        // The message is open. What follows, verification first, may allocate.
        isCounting = false
        try pass(milliseconds: 1)
        guard let record = record.take() else { throw CheckFailed(reason: "no verdict") }
        guard record.outcome == .accepted else { throw CheckFailed(reason: "not accepted: \(record.reasons)") }
        gate.recordStored(true, of: record.visit, at: now)
        try settle()
        try pass(milliseconds: 60)
        let pushed = socket.controller.takeFrames().map { Array($0.dropFirst(4)) }
        guard pushed.contains([0x1B, UInt8(wallet.handles.report), 0, 1, 0, 0]),
            pushed.contains([0x1B, UInt8(wallet.handles.status), 0, 0])
        else { throw CheckFailed(reason: "the wallet was not told") }
        accepted += 1
        socket.controller.disconnect()
        try settle()
    }

    private func write(_ handle: UInt16, _ value: [UInt8]) { socket.controller.send(ScriptedWallet.writeCommand(handle, value)) }
}

func countCore(visits: Int) throws -> Bool {
    let rig = try CoreRig(portrait: 20_000)
    // The first visits warm what is made lazily: the runtime's metadata, the kernel's pages.
    for _ in 0..<5 { try rig.visit(isCounted: false) }
    let before = Arena.statistics
    for _ in 0..<visits { try rig.visit(isCounted: true) }
    let after = Arena.statistics
    let inArena = (after.allocations - before.allocations) / UInt64(max(visits, 1))
    print(
        "allocation: \(visits) visits of \(rig.gzip.count + 16) octets, advertisement to opened credential: \(rig.counted) calls of the system's allocator"
    )
    print(
        "allocation: libcrypto's own objects, \(inArena) a visit (with verification), come from its fixed arena of \(after.capacity) octets; highest use \(after.peak), fallbacks \(after.fallbacks)"
    )
    if rig.counted > 0 { print("allocation: FAILED, the goal is zero; the first was of \(malloc_count_first_size()) octets") }
    if after.fallbacks > 0 { print("allocation: FAILED, the arena was too small") }
    return rig.counted == 0 && after.fallbacks == 0
}

func watchMemory(visits: Int) throws -> Bool {
    let rig = try CoreRig(portrait: 20_000)
    let warm = max(visits / 10, 1)
    for _ in 0..<warm { try rig.visit(isCounted: false) }
    let first = residentMemory()
    for _ in warm..<max(visits, warm) { try rig.visit(isCounted: false) }
    let last = residentMemory()
    let grown = last - first
    print("allocation: resident memory after \(warm) visits \(first / 1024) kB, after \(visits) visits \(last / 1024) kB")
    // A few pages come and go with the kernel's mood; a leak of 32 octets a visit would show as more.
    let tolerated = 256 * 1024
    if grown > tolerated { print("allocation: FAILED, resident memory grew by \(grown / 1024) kB") }
    return grown <= tolerated
}

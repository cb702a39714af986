import Appliance
import CMallocCount
import Credentials
import Devices
import Glibc
import SelfTest
import Trust
import Tuvali
import Visit

/// Lamps nobody sees: the ones that write a log allocate for its text.
private final class NoLights: Lights {
    var fitted: LampSet { .all }
    func set(_ lit: LampSet) throws(LightsError) {}
    func close() {}
}

/// The same visits through the whole loop of the appliance, counted from the advertisement to the last chunk; with `isTraced`, its packets
/// go to a file as well.
func countAppliance(visits: Int, isTraced: Bool = false) throws -> Bool {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let socket = try ControllerSocket(folder: folder.path)
    let credential = try DemoCredential(portrait: 20_000)
    let gzip = ScriptedWallet.gzip(credential.text)
    let trust = try TrustStore(files: [("demo.json", credential.trust)])
    let name = Array("BENCH".utf8)
    // One visitor after the other, without the time a light takes.
    var policy = Policy()
    (policy.verdictLight, policy.verdictPause) = (0, 0)
    let gate = try Gatekeeper(name: VerifierName(deviceName: name.span), version: .v05, trust: trust, policy: policy)
    var verdicts = 0
    let trace = isTraced ? try Trace(folder.path + "/trace", report: { print("allocation:", $0) }) : nil
    let appliance = try MainLoop(
        gate: gate, link: StreamLink(.unix(path: socket.path)), lights: LightsPanel(NoLights(), report: { _ in }),
        screen: ScreenPanel(NoScreen()), audit: nil, signals: nil,
        report: { line in if line.contains(" accepted ") { verdicts += 1 } }, entry: EntryWatch(trust), trace: trace)
    try appliance.turn(until: 0)
    socket.accept()
    var counted: UInt64 = 0

    func settle(isCounted: Bool) throws {
        repeat {
            if isCounted { malloc_count_begin() }
            try appliance.turn(until: 0)
            if isCounted { counted += malloc_count_end() }
        } while socket.exchange()
    }

    for visit in 0..<visits + 5 {
        let isCounted = visit >= 5
        let wallet = ScriptedWallet()
        try settle(isCounted: false)
        let key = ScriptedWallet.gateKey(socket.controller.advertisingData, socket.controller.scanResponse)
        guard socket.controller.isAdvertising, key.count == 32 else { throw CheckFailed(reason: "the gate does not advertise") }
        let (identify, message) = try wallet.seal(gzip, for: key)
        let size = UInt32(message.count)
        socket.controller.connect()
        try settle(isCounted: isCounted)
        socket.controller.send([0x02, UInt8(wallet.mtu & 0xFF), UInt8(wallet.mtu >> 8)])
        socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.identify, identify))
        try settle(isCounted: isCounted)
        socket.controller.send(
            ScriptedWallet.writeCommand(
                wallet.handles.size, [UInt8(size >> 24), UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]))
        for chunk in wallet.chunks(message) { socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.submit, chunk)) }
        try settle(isCounted: isCounted)
        let before = verdicts
        socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.reportRequest, [1]))
        try settle(isCounted: false)
        guard verdicts == before + 1 else { throw CheckFailed(reason: "no verdict") }
        socket.controller.disconnect()
        try settle(isCounted: false)
        _ = socket.controller.takeFrames()
    }
    print(
        "allocation: \(visits) visits through the whole loop\(isTraced ? ", traced" : ""), advertisement to last chunk: \(counted) calls of the system's allocator"
    )
    counted += countLooks(trust)
    if counted > 0 { print("allocation: FAILED, the goal is zero; the first was of \(malloc_count_first_size()) octets") }
    return counted == 0
}

/// Every five seconds the loop looks whether anybody can enter, also while a message comes in: how often that falls into a visit depends on
/// how fast the machine is, so that it is counted by itself, with a bundle and a certificate of updates in their last days. With nobody
/// there a warning is made once; with somebody there none is, also where days pass.
private func countLooks(_ trust: TrustStore) -> UInt64 {
    let start = Int64(time(nil)), day: Int64 = 86_400
    let ends = [TrustEnd(part: .bundle, time: start + 13 * day), TrustEnd(part: .updateRoot, time: start + 89 * day)]
    var all: UInt64 = 0
    for (isServing, step) in [(false, 0), (true, day / 10)] as [(Bool, Int64)] {
        var watch = EntryWatch(trust, others: ends)
        var (now, wall, lines) = (UInt64(0), start, 0)
        let told = watch.pass(now, wall: wall, uptime: 0).count
        malloc_count_begin()
        // Not the whole hour for which it waits for visitors to be gone.
        for _ in 0..<700 {
            now = watch.nextLook
            wall += step
            lines += watch.pass(now, wall: wall, uptime: 0, isServing: isServing).count
        }
        let counted = malloc_count_end()
        print(
            "allocation: 700 looks whether anybody can enter\(isServing ? ", a visitor there" : ""), \(told) ends near: \(counted) calls of the system's allocator, \(lines) lines"
        )
        all += counted
        if told != 2 || lines > 0 { all += 1 }
    }
    return all
}

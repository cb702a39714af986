import Glibc
import Linux

/// The gate's child process on one side, the controller and a wallet by script on the other, and the time there is.
final class RehearsalStage {
    private let socket: ControllerSocket
    private let gate: Child
    private let limit: ContinuousClock.Instant
    private let listener: (String) -> Void
    /// What the screen last showed, and the lamps since the last `darken`.
    private var code: String?
    private var lamps: Set<String> = []
    private var isSilent = false

    init(_ socket: ControllerSocket, _ gate: Child, until limit: ContinuousClock.Instant, listener: @escaping (String) -> Void) {
        self.socket = socket
        self.gate = gate
        self.limit = limit
        self.listener = listener
    }

    func waitForGate() throws(RehearsalFailure) {
        try wait(.start) { isReadable(socket.descriptor) }
        socket.accept()
    }

    /// One visit by the code on the screen; a gate that decides or says otherwise than it should has failed.
    func visit(_ credential: [UInt8], isGood: Bool) throws(RehearsalFailure) {
        try wait(.advertisement) { socket.controller.isAdvertising }
        let key = ScriptedWallet.gateKey(socket.controller.advertisingData, socket.controller.scanResponse)
        guard key.count == 32 else { throw .tookTooLong(.advertisement) }
        try readCode(key)
        _ = socket.controller.takeFrames()
        lamps = []
        let isAccepted = try send(credential, to: key)
        guard isAccepted == isGood else { throw isAccepted ? .wronglyAccepted : .wronglyRejected }
        try wait(.light) { lamps.contains("accept") || lamps.contains("reject") }
        // The wallet goes, and the lamp has been seen by now: only this one was lit.
        socket.controller.disconnect()
        try wait(.advertisement) { socket.controller.isAdvertising && lamps.contains("ready") }
        guard lamps.contains(isGood ? "accept" : "reject"), !lamps.contains(isGood ? "reject" : "accept") else { throw .wrongLight }
    }

    func end() throws(RehearsalFailure) {
        // What is left of the time for everything, on a board with much to do beside it.
        let status = gate.end(patience: max(.seconds(5), limit - ContinuousClock.now))
        guard status == 0 else { throw .endedBadly(status: status) }
    }

    // MARK: the wallet

    /// A wallet finds the gate by the code, so a code of another key is as bad as none.
    private func readCode(_ key: [UInt8]) throws(RehearsalFailure) {
        let wanted = "&key=" + key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        do throws(RehearsalFailure) {
            try wait(.code) { code?.hasSuffix(wanted) == true }
        } catch .tookTooLong where code != nil {
            throw .wrongCode
        }
    }

    /// Everything a wallet writes in a visit; whether it was told that it is let in.
    private func send(_ credential: [UInt8], to key: [UInt8]) throws(RehearsalFailure) -> Bool {
        let wallet = ScriptedWallet()
        guard let (identify, message) = try? wallet.seal(ScriptedWallet.gzip(credential), for: key) else { throw .noIssuer }
        var told: [UInt8: UInt8] = [:]
        func listen() {
            // L2CAP length and channel, notification, handle, value.
            for frame in socket.controller.takeFrames() where frame.count >= 8 && frame[4] == 0x1B { told[frame[5]] = frame[7] }
        }
        socket.controller.connect()
        socket.controller.send([0x02, UInt8(wallet.mtu & 0xFF), UInt8(wallet.mtu >> 8)])
        socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.identify, identify))
        let size = UInt32(truncatingIfNeeded: message.count)
        socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.size, withUnsafeBytes(of: size.bigEndian, Array.init)))
        for chunk in wallet.chunks(message) { socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.submit, chunk)) }
        socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.reportRequest, [1]))
        try wait(.transfer) {
            listen()
            return told[UInt8(wallet.handles.report)] != nil
        }
        guard told[UInt8(wallet.handles.report)] == 1 else { throw .tookTooLong(.transfer) }
        try wait(.verdict) {
            listen()
            return told[UInt8(wallet.handles.status)] != nil
        }
        return told[UInt8(wallet.handles.status)] == 0
    }

    // MARK: time

    /// Lets gate and controller talk until `condition`.
    private func wait(_ stage: RehearsalFailure.Stage, until condition: () -> Bool) throws(RehearsalFailure) {
        while true {
            if !isSilent, !gate.read() { isSilent = true }
            for line in gate.takeLines() { note(line) }
            while socket.isConnected, socket.exchange() {}
            if condition() { return }
            // Whoever closes its output is about to end.
            if isSilent, let status = gate.ending() { throw .ended(stage, status: status) }
            guard ContinuousClock.now < limit else { throw .tookTooLong(stage) }
            sleepUntilSomethingHappens()
        }
    }

    private func note(_ line: String) {
        listener(line)
        if line.hasPrefix("OPENID4VP://") { code = line }
        guard line.hasPrefix("lights "), let lit = line.split(separator: " ").last, lit.hasPrefix("lit=") else { return }
        lamps.formUnion(lit.dropFirst(4).split(separator: "+").map(String.init))
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func sleepUntilSomethingHappens() {
        var entries = [
            pollfd(fd: socket.descriptor, events: Int16(POLLIN) | (socket.hasUnsent ? Int16(POLLOUT) : 0), revents: 0),
            pollfd(fd: isSilent ? -1 : gate.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // A gate that closed its link comes back, or not; either way nothing would wait here.
        if isSilent { poll(nil, 0, 5) } else { poll(&entries, 2, 100) }
        if entries[0].revents & Int16(POLLHUP) != 0 { poll(nil, 0, 5) }
    }
}

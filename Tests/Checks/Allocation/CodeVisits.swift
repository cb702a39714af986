import Bluetooth
import ResidentMemory
import SelfTest
import Trust
import Tuvali
import Visit

/// A gate without a controller that is shown one code after the other: good ones, bad ones, and posters.
final class CodeRig {
    private var gate: Gatekeeper
    private let good: [UInt8], bad: [UInt8]
    private var frame = PacketFrame()
    private var clock: UInt64 = 1_000_000_000
    private var mustVerify = false
    private(set) var accepted = 0
    private(set) var rejected = 0

    /// Apart from what may throw: Swift 6.3.1 breaks on a throwing initializer of a class that holds a gate.
    private init(_ gate: consuming Gatekeeper, good: [UInt8], bad: [UInt8]) {
        self.gate = gate
        (self.good, self.bad) = (good, bad)
    }

    static func make() throws -> CodeRig {
        let credential = try DemoCredential(portrait: 1_000)
        var policy = Policy()
        (policy.verdictLight, policy.verdictPause) = (0, 0)
        policy.takesCodes = true
        policy.copiesWithoutFace = ["*"]
        let name = Array("BENCH".utf8)
        let trust = try TrustStore(files: [("demo.json", credential.trust)])
        let gate = try Gatekeeper(name: VerifierName(deviceName: name.span), version: .v05, trust: trust, policy: policy)
        let rig = CodeRig(gate, good: credential.text, bad: credential.tampered)
        rig.gate.linkLost(at: rig.now)
        return rig
    }

    private var now: Now { Now(monotonic: Instant(nanoseconds: clock), wall: 1_800_000_000) }

    private func act() {
        while let action = gate.nextAction(into: &frame, maySend: false, at: now) {
            switch action {
            case .store(let record):
                if record.outcome == .accepted { accepted += 1 } else { rejected += 1 }
                gate.recordStored(true, of: record.visit, at: now)
            case .verify: mustVerify = true
            default: break
            }
        }
    }

    /// A code nobody has seen before: white space behind a wallet's wrapper, as many of it as `number` says in two digits.
    func show(_ number: Int) {
        let spaces = [UInt8](repeating: 0x20, count: number % 700) + [UInt8](repeating: 0x0A, count: number / 700)
        let text = number % 3 == 0 ? good + spaces : number % 3 == 1 ? bad + spaces : Array("poster ".utf8) + spaces + [0x21]
        for look in [text, text, []] {
            gate.read(code: look.span, at: now)
            act()
            if mustVerify {
                mustVerify = false
                gate.verify(at: now)
            }
            act()
            clock += 20_000_000_000
            gate.expire(at: now)
            act()
        }
    }
}

/// However many codes come, they leave nothing but what fits the places there are.
func watchCodes(codes: Int) throws -> Bool {
    let rig = try CodeRig.make()
    let warm = max(codes / 10, 1)
    for number in 0..<warm { rig.show(number) }
    let first = residentMemory()
    for number in warm..<max(codes, warm) { rig.show(number) }
    let last = residentMemory()
    print(
        "allocation: resident memory after \(warm) codes \(first / 1024) kB, after \(codes) codes \(last / 1024) kB; accepted \(rig.accepted), rejected \(rig.rejected)"
    )
    // As for visits by radio.
    let tolerated = 256 * 1024
    guard last - first <= tolerated else {
        print("allocation: FAILED, resident memory grew by \((last - first) / 1024) kB")
        return false
    }
    guard rig.accepted >= codes / 3 else {
        print("allocation: FAILED, good codes were not accepted")
        return false
    }
    return true
}

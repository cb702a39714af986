import BoardTestSupport
import Foundation
import Linux
import Testing

@testable import Appliance
@testable import Visit

/// Whoever listens: a datagram socket, and what came to it.
private final class FeedListener {
    let path: String
    private var descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(code == 0)
    }

    deinit { end() }

    /// Once: a moment later the number is another test's.
    func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func next() -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &octets, octets.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(octets.prefix(count))
    }
}

private let kept = VisitRecords.Kept(
    isAccepted: true, visit: 0x0102_0304, sequence: 0x1112_1314_1516_1718, presentation: .mdoc, binding: .device, isHolderBound: true)

private func hexadecimal(_ text: String) -> [UInt8] {
    let digits = Array(text.filter { $0 != " " })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
}

@Suite("Verdicts for others on the board") struct LiveFeedTests {
    @Test("a verdict's 64 octets")
    func octets() throws {
        let stage = Stage(), listener = try FeedListener(stage.path("feed"))
        let feed = LiveFeed(listener.path) { Issue.record("\($0)") }
        feed.tell(isAccepted: true, kept: kept, wall: 0x0000_0199_8877_6655, now: 0x2122_2324_2526_2728)
        feed.tell(isAccepted: false, kept: nil, wall: -1, now: 5)
        let accepted = hexadecimal(
            "474c4631 01 01 02 02 1817161514131211 5566778899010000 2827262524232221 0403020100000000 0100000000000000 0000000000000000 0000000000000000"
        )
        #expect(listener.next() == accepted)
        let rejected = hexadecimal(
            "474c4631 02 00 00 ff 0000000000000000 ffffffffffffffff 0500000000000000 0000000000000000 0200000000000000 0000000000000000 0000000000000000"
        )
        #expect(listener.next() == rejected && listener.next() == nil)
    }

    @Test("each binding and each way of presenting has its code")
    func codes() throws {
        var record = FeedRecord(isAccepted: true, wall: 0, monotonic: 0, number: 1, lost: 0)
        var octets = [UInt8](repeating: 0, count: FeedRecord.size)
        var seen: [[UInt8]] = []
        for (binding, presentation) in zip(HolderBinding.allCases, VisitRecord.Presentation.allCases) {
            (record.binding, record.presentation) = (binding, presentation)
            record.write(to: &octets)
            seen.append([octets[5], octets[7]])
        }
        #expect(seen == [[0, 0], [1, 1], [2, 2], [3, 3]])
        record.presentation = .trustedkey
        record.isHolderBound = false
        record.write(to: &octets)
        #expect(octets[7] == 4 && octets[6] == 1)
    }

    @Test("a listener that reads nothing makes nobody wait: what does not fit is counted, and those who come later hear of it")
    func full() throws {
        let stage = Stage(), listener = try FeedListener(stage.path("feed"))
        var said: [String] = []
        let feed = LiveFeed(listener.path) { said.append($0) }
        for turn in 0..<5000 { feed.tell(isAccepted: true, kept: kept, wall: 0, now: 1 + UInt64(turn)) }
        #expect(feed.number == 5000 && feed.lost > 4000)
        #expect(said.count == 1, "once a minute, not for each: \(said)")
        let lost = feed.lost
        var came = 0
        while listener.next() != nil { came += 1 }
        #expect(UInt64(came) == 5000 - lost && came > 0)
        feed.tell(isAccepted: true, kept: kept, wall: 0, now: 61_000_000_000)
        let next = try #require(listener.next())
        #expect(next[40] == 0x89 && next[41] == 0x13, "the 5001st")
        let toldLost = UInt64(next[48]) + 256 * UInt64(next[49])
        #expect(toldLost == lost)
    }

    @Test("a listener that is gone is counted; one that never was is said once")
    func absent() throws {
        let stage = Stage(), listener = try FeedListener(stage.path("feed"))
        var said: [String] = []
        let feed = LiveFeed(listener.path) { said.append($0) }
        listener.end()
        for turn in 0..<3 { feed.tell(isAccepted: true, kept: nil, wall: 0, now: 1 + UInt64(turn)) }
        #expect(feed.isThere && feed.lost == 3 && said.count == 1)
        for path in [stage.path("nobody"), "", "feed", "/" + String(repeating: "a", count: 108)] {
            said = []
            let none = LiveFeed(path) { said.append($0) }
            none.tell(isAccepted: true, kept: kept, wall: 0, now: 1)
            #expect(!none.isThere && none.number == 0 && said.count == 1, "\(path): \(said)")
        }
    }

    @Test("a visit is told with what its record says, after the lock is open")
    func visits() throws {
        let stage = Stage(), listener = try FeedListener(stage.path("feed"))
        let feed = LiveFeed(listener.path) { Issue.record("\($0)") }
        let gate = try DoorGate(feed: feed)
        let before = Clock.monotonic()
        try gate.visit()
        let accepted = try #require(listener.next())
        #expect(Array(accepted.prefix(8)) == hexadecimal("474c4631 01 00 01 00"), "\(accepted.prefix(8))")
        // The door's record comes after the visit's.
        #expect(accepted[8] == 1 && gate.audit.sequence == 2 && accepted[40] == 1)
        var monotonic: UInt64 = 0
        for octet in accepted[24..<32].reversed() { monotonic = monotonic << 8 | UInt64(octet) }
        #expect(monotonic >= before && monotonic <= Clock.monotonic())
        #expect(gate.lines.isOpen == .lock)
        try DoorGate(feed: feed).visit(isGenuine: false)
        let rejected = try #require(listener.next())
        #expect(rejected[4] == 2 && rejected[40] == 2 && listener.next() == nil)
    }

    @Test("whether the listener is full, gone or was never there: the lamp, the lock and the sound come as without one")
    func visitsWithoutListener() throws {
        let stage = Stage(), full = try FeedListener(stage.path("full")), gone = try FeedListener(stage.path("gone"))
        let crowded = LiveFeed(full.path) { _ in }, lonely = LiveFeed(gone.path) { _ in }
        for _ in 0..<5000 { crowded.tell(isAccepted: true, kept: nil, wall: 0, now: 1) }
        gone.end()
        let alone = try DoorGate()
        try alone.visit()
        for feed in [crowded, lonely, LiveFeed(stage.path("never")) { _ in }] {
            let lost = feed.lost, gate = try DoorGate(feed: feed)
            try gate.visit()
            #expect(gate.journal.lines == alone.journal.lines && gate.lines.isOpen == .lock)
            #expect(feed.lost == (feed.isThere ? lost + 1 : 0))
        }
    }

    @Test("an accepted visitor whose record cannot be kept is told to nobody as accepted")
    func unrecorded() throws {
        let stage = Stage(), listener = try FeedListener(stage.path("feed"))
        let gate = try DoorGate(feed: LiveFeed(listener.path) { Issue.record("\($0)") })
        gate.audit.close()
        try gate.visit()
        let told = try #require(listener.next())
        #expect(told[4] == 2 && told[5] == 0 && told[6] == 0 && told[7] == 255 && listener.next() == nil)
    }
}

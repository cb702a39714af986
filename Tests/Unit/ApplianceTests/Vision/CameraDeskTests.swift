import Devices
import Glibc
import Linux
import Testing

@testable import Appliance

/// A camera that does as a test says.
final class ScriptedCamera: FrameSource {
    private(set) var descriptor: Int32 = -1
    private(set) var starts = 0
    var failure: CameraError?
    var frames: [(octets: [UInt8], captured: UInt64)] = []
    let dropped = DroppedFrames()

    deinit { stop() }

    func start() throws(CameraError) {
        starts += 1
        if let failure { throw failure }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    }

    func stop() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func takeFrame(_ body: (FrameHeader, UnsafeRawBufferPointer) -> Void) throws(CameraError) -> Bool {
        if let failure {
            stop()
            throw failure
        }
        guard !frames.isEmpty else { return false }
        let frame = frames.removeFirst()
        let header = FrameHeader(format: .jpeg, width: 640, height: 480, stride: 0, captured: frame.captured, sequence: 0)
        frame.octets.withUnsafeBytes { body(header, $0) }
        return true
    }
}

/// Somebody who looks, and remembers what.
private final class Onlooker: FrameViewer {
    private(set) var seen: [[UInt8]] = []
    private(set) var served = 0
    var isWaitedFor: Bool { true }
    var looks = true
    func isLooking(_ now: UInt64) -> Bool { looks }

    func see(_ header: FrameHeader, _ octets: UnsafeRawBufferPointer, _ now: UInt64) { seen.append(Array(octets)) }
    func cameraServed(_ now: UInt64) { served += 1 }
}

@Suite("The camera's desk")
struct CameraDeskTests {
    private let camera = ScriptedCamera()
    private let desk: CameraDesk
    private let loop: EventLoop
    private let one = Onlooker(), other = Onlooker()

    init() throws {
        desk = CameraDesk(camera, report: { _ in })
        loop = try EventLoop()
        desk.join(loop)
    }

    private func take(_ octets: [UInt8]) {
        camera.frames.append((octets, 0))
        desk.serve(0)
    }

    @Test("each picture is shown to everybody who looks, and to nobody else")
    func everybody() {
        desk.lend(to: one, 0)
        take([1])
        desk.lend(to: other, 0)
        take([2])
        desk.takeBack(from: one)
        take([3])
        #expect(one.seen == [[1], [2]] && other.seen == [[2], [3]])
    }

    @Test("the camera is on from the first who looks to the last, and started once")
    func onAndOff() {
        #expect(camera.descriptor == -1)
        desk.lend(to: one, 0)
        desk.lend(to: other, 0)
        desk.lend(to: other, 0)
        #expect(camera.starts == 1)
        desk.takeBack(from: one)
        desk.takeBack(from: one)
        #expect(camera.descriptor >= 0)
        desk.takeBack(from: other)
        #expect(camera.descriptor == -1 && !desk.isLent(to: other))
    }

    @Test("the same picture again is shown to nobody, also to who came since")
    func repeated() {
        desk.lend(to: one, 0)
        take([1])
        desk.lend(to: other, 0)
        take([1])
        #expect(one.seen == [[1]] && other.seen.isEmpty && other.served == 1)
    }

    @Test("where nobody looks no picture is read, and whoever looks then gets the next one")
    func nobodyLooks() {
        one.looks = false
        desk.lend(to: one, 0)
        take([1])
        #expect(one.seen.isEmpty && one.served == 1)
        one.looks = true
        take([1])
        #expect(one.seen == [[1]])
        // One who looks is enough for all.
        one.looks = false
        desk.lend(to: other, 0)
        take([2])
        #expect(one.seen == [[1], [2]] && other.seen == [[2]])
    }

    @Test("a camera that fails is missing for everybody, and is there for everybody once it was started again")
    func failing() throws {
        camera.failure = .notFound
        desk.lend(to: one, 1000)
        desk.lend(to: other, 2000)
        #expect(!desk.isMissing(for: 100, 1099) && desk.isMissing(for: 100, 1100))
        camera.failure = nil
        let due = try #require(desk.retryAt)
        desk.passTime(due - 1)
        #expect(camera.starts == 1)
        desk.passTime(due)
        #expect(camera.starts == 2 && desk.retryAt == nil && !desk.isMissing(for: 0, due))
        #expect(one.served == 1 && other.served == 1)
    }

    @Test("closed, it is off, whoever looks")
    func closed() {
        desk.lend(to: one, 0)
        desk.close()
        #expect(camera.descriptor == -1 && !desk.isLent(to: one) && desk.retryAt == nil)
    }
}

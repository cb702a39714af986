import Devices
import Linux
import Testing
import VisionProtocol

@testable import Appliance

/// A visitor's face is compared, and no code is looked for.
private final class FaceWatcher: FrameViewer {
    var isWaitedFor: Bool { true }
    func isLooking(_ now: UInt64) -> Bool { true }
    func see(_ header: FrameHeader, _ octets: UnsafeRawBufferPointer, _ now: UInt64) {}
    func cameraServed(_ now: UInt64) {}
}

private final class Lines {
    var all: [String] = []
}

@Suite("The reading of codes with a scripted worker and a scripted camera")
struct CodeStageTests {
    private let starter = ScriptedStarter()
    private let camera = ScriptedCamera()
    private let desk: CameraDesk
    private let loop: EventLoop
    private let lines = Lines()
    private var number: UInt8 = 0
    private var request: UInt32 = 0

    private static let second: UInt64 = 1_000_000_000
    /// The type of a request to look for codes, and to forget.
    private static let look: UInt8 = 4, forget: UInt8 = 3

    init() throws {
        desk = CameraDesk(camera, report: { _ in })
        loop = try EventLoop()
        desk.join(loop)
    }

    private func stage(_ policy: CodePolicy, isReady: Bool = true) throws -> CodeStage {
        let lines = lines
        let stage = CodeStage(camera: desk, reader: CodeReader(supervisor: starter), policy: policy) { lines.all.append($0) }
        stage.join(loop, now: 0)
        if isReady {
            try starter.say(.codeLibrary(CodeLibrary(name: "zxing-cpp", version: "2.3.0")), request: 0)
            stage.serveWorker(0)
        }
        return stage
    }

    /// The camera takes a picture unlike all others.
    ///
    /// - Returns: whether the worker was asked to look at it.
    private mutating func show(at now: UInt64, captured: UInt64? = nil) -> Bool {
        number &+= 1
        camera.frames = [([0xFF, 0xD8, number, 0xFF, 0xD9], captured ?? now)]
        desk.serve(now)
        guard starter.heard().dropFirst(4).first == Self.look else { return false }
        request += 1
        return true
    }

    private func answer(_ stage: CodeStage, _ text: String?, change: UInt8 = 0, _ status: CodeReading.Status? = nil, at now: UInt64) throws
    {
        var reading = CodeReading(status ?? (text == nil ? .nothing : .read))
        reading.text = text.map { Array($0.utf8) }
        if status != .undecodable { (reading.width, reading.height, reading.change) = (640, 480, change) }
        try starter.say(.reading(reading), request: request)
        stage.serveWorker(now)
    }

    @Test("a code before the camera is told once, and a picture without one as well")
    mutating func reads() throws {
        let stage = try stage(.always)
        stage.want(true, Self.second)
        #expect(show(at: 2 * Self.second))
        try answer(stage, "eyJ", at: 2 * Self.second)
        #expect(stage.takeCode() == Array("eyJ".utf8))
        #expect(stage.takeCode() == nil)
        #expect(show(at: 3 * Self.second))
        try answer(stage, nil, at: 3 * Self.second)
        #expect(stage.takeCode() == [])
        // A picture that does not decode says nothing.
        #expect(show(at: 4 * Self.second))
        try answer(stage, nil, .undecodable, at: 4 * Self.second)
        #expect(stage.takeCode() == nil)
    }

    @Test("a picture that comes while the worker is busy is dropped, and none is kept for later")
    mutating func busy() throws {
        let stage = try stage(.always)
        stage.want(true, 0)
        #expect(show(at: Self.second))
        #expect(!show(at: 2 * Self.second))
        try answer(stage, nil, at: 2 * Self.second)
        #expect(starter.heard().isEmpty)
        #expect(show(at: 3 * Self.second))
    }

    @Test("at most ten pictures a second are looked at")
    mutating func rate() throws {
        let stage = try stage(.always)
        stage.want(true, 0)
        var looks = 0
        for tick in 0..<90 {
            let now = Self.second + UInt64(tick) * Self.second / 30
            guard show(at: now) else { continue }
            looks += 1
            try answer(stage, nil, at: now)
        }
        #expect((29...31).contains(looks))
    }

    @Test("what was read of a picture is dropped where no code is wanted any more, also where one is wanted again since")
    mutating func late() throws {
        let stage = try stage(.always)
        stage.want(true, 0)
        #expect(show(at: Self.second))
        stage.want(false, 2 * Self.second)
        try answer(stage, "eyJ", at: 3 * Self.second)
        #expect(stage.takeCode() == nil)
        // Nothing of it is kept in the worker.
        #expect(starter.heard().dropFirst(4).first == Self.forget)
        request += 1
        try starter.say(.forgotten, request: request)
        stage.serveWorker(3 * Self.second)
        stage.want(true, 4 * Self.second)
        #expect(show(at: 5 * Self.second))
        stage.want(false, 6 * Self.second)
        stage.want(true, 6 * Self.second)
        try answer(stage, "eyJ", at: 7 * Self.second)
        #expect(stage.takeCode() == nil)
    }

    @Test("a code that nobody took yet is dropped with the wish")
    mutating func untaken() throws {
        let stage = try stage(.always)
        stage.want(true, 0)
        #expect(show(at: Self.second))
        try answer(stage, "eyJ", at: Self.second)
        stage.want(false, 2 * Self.second)
        #expect(stage.takeCode() == nil)
    }

    @Test("a picture from before a code was wanted is of somebody else")
    mutating func stale() throws {
        let stage = try stage(.always)
        stage.want(true, 10 * Self.second)
        #expect(!show(at: 11 * Self.second, captured: 10 * Self.second - 1))
        #expect(show(at: 11 * Self.second, captured: 10 * Self.second))
    }

    @Test("nothing is looked at while a face is compared")
    mutating func besideFaces() throws {
        let stage = try stage(.always), face = FaceWatcher()
        stage.want(true, 0)
        desk.lend(to: face, 0)
        stage.want(false, Self.second)
        #expect(!show(at: 2 * Self.second))
        // The camera is the face's own after the minute.
        stage.passTime(Self.second + CodeDuty.lingerTime)
        #expect(!desk.isLent(to: stage) && camera.descriptor >= 0)
        desk.takeBack(from: face)
        #expect(camera.descriptor == -1)
    }

    @Test("the camera stays off until there is a worker, and where there is none at all")
    func noWorker() throws {
        starter.refusal = .noProgram
        let stage = try stage(.always, isReady: false)
        stage.want(true, 0)
        stage.serveWorker(0)
        #expect(camera.starts == 0 && !stage.isUp(0) && stage.invitation(0) == .none)
        #expect(lines.all.count == 1 && lines.all[0].hasSuffix("visitors can come by radio"))
        // Started again and again in vain: it is said once.
        for step in 1..<100 {
            let now = UInt64(step) * Self.second
            if let due = stage.deadline(now), now >= due { stage.passTime(now) }
        }
        #expect(lines.all.count == 1 && camera.starts == 0)
        starter.refusal = nil
        stage.passTime(600 * Self.second)
        try starter.say(.codeLibrary(CodeLibrary(name: "zxing-cpp", version: "2.3.0")), request: 0)
        stage.serveWorker(600 * Self.second)
        #expect(camera.starts == 1 && stage.isUp(600 * Self.second) && stage.invitation(600 * Self.second) == .hold)
        #expect(lines.all.last == "codes are read by zxing-cpp 2.3.0")
    }

    @Test("a worker that ends is started again, and says so once however often a picture ends it")
    mutating func crashes() throws {
        let stage = try stage(.always)
        stage.want(true, 0)
        var now = Self.second
        for _ in 0..<5 {
            #expect(show(at: now))
            starter.end(status: 11)
            starter.closeFar()
            stage.serveWorker(now)
            #expect(!stage.isUp(now) && stage.invitation(now) == .none && stage.takeCode() == nil)
            now += 60 * Self.second
            stage.passTime(now)
            try starter.say(.codeLibrary(CodeLibrary(name: "zxing-cpp", version: "2.3.0")), request: 0)
            stage.serveWorker(now)
            #expect(show(at: now) && stage.isUp(now))
            try answer(stage, nil, at: now)
            #expect(stage.takeCode() == [])
            now += Self.second
        }
        #expect(lines.all.filter { $0.hasPrefix("codes: ") }.count == 1)
    }

    @Test("a camera that is missing is told by the state, and tried again with patience")
    func missingCamera() throws {
        camera.failure = .notFound
        let stage = try stage(.always)
        stage.want(true, 0)
        #expect(camera.starts == 1 && stage.isUp(0))
        for tenth in 1...50 { desk.passTime(UInt64(tenth) * Self.second / 10) }
        #expect(camera.starts <= 4)
        #expect(!stage.isUp(5 * Self.second) && stage.invitation(5 * Self.second) == .none)
        camera.failure = nil
        desk.passTime(10 * Self.second)
        #expect(stage.isUp(10 * Self.second) && stage.invitation(10 * Self.second) == .hold)
    }

    @Test("a camera that gives no pictures is told by the state")
    mutating func silentCamera() throws {
        let stage = try stage(.always)
        stage.want(true, 0)
        #expect(stage.isUp(4 * Self.second) && !stage.isUp(5 * Self.second))
        #expect(show(at: 6 * Self.second) && stage.isUp(6 * Self.second))
    }

    @Test("a face is not kept waiting by the patience with a camera that nobody waited for")
    func urgent() throws {
        camera.failure = .notResponding
        let stage = try stage(.always), face = FaceWatcher()
        stage.want(true, 0)
        let due = try #require(desk.retryAt)
        #expect(due > 300 * Self.second)
        desk.lend(to: face, Self.second)
        let sooner = try #require(desk.retryAt)
        #expect(sooner < due)
        // One that is only missing is tried at once.
        let other = ScriptedCamera(), second = CameraDesk(other, report: { _ in })
        second.join(loop)
        other.failure = .notFound
        let reader = CodeStage(camera: second, reader: CodeReader(supervisor: starter), policy: .always, report: { _ in })
        second.lend(to: reader, 0)
        #expect(other.starts == 1)
        second.lend(to: face, 1)
        #expect(other.starts == 2)
    }

    @Test("button: the visitor is asked to press it, and the camera is on for as long as it says")
    mutating func button() throws {
        let stage = try stage(.button)
        stage.want(true, 0)
        #expect(camera.starts == 0 && stage.isUp(Self.second) && stage.invitation(Self.second) == .press)
        #expect(!show(at: Self.second))
        stage.press(10 * Self.second)
        #expect(camera.starts == 1 && stage.invitation(10 * Self.second) == .hold)
        #expect(show(at: 11 * Self.second))
        try answer(stage, nil, at: 11 * Self.second)
        #expect(stage.deadline(12 * Self.second) == 40 * Self.second)
        stage.passTime(40 * Self.second)
        #expect(camera.descriptor == -1 && stage.invitation(40 * Self.second) == .press)
    }

    @Test("motion: pictures are looked at seldom until something moves")
    mutating func motion() throws {
        let stage = try stage(.motion)
        stage.want(true, 0)
        func looks(from start: UInt64, _ change: UInt8) throws -> Int {
            var count = 0
            for tick in 0..<60 {
                let now = start + UInt64(tick) * Self.second / 30
                guard show(at: now) else { continue }
                count += 1
                try answer(stage, nil, change: change, at: now)
            }
            return count
        }
        #expect(try (3...5).contains(looks(from: 20 * Self.second, 0)))
        _ = try looks(from: 40 * Self.second, 100)
        #expect(try (19...21).contains(looks(from: 42 * Self.second, 0)))
    }

    @Test("closed, camera and worker are off, and nothing is left")
    mutating func closed() throws {
        let stage = try stage(.always)
        stage.want(true, 0)
        #expect(show(at: Self.second))
        try answer(stage, "eyJ", at: Self.second)
        stage.close(2 * Self.second)
        #expect(camera.descriptor == -1 && stage.takeCode() == nil && !stage.isLooking(3 * Self.second))
        #expect(starter.kills >= 1)
    }
}

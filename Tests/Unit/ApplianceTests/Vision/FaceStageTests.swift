import Faces
import Linux
import Testing
import VisionProtocol

@testable import Appliance
@testable import Visit

@Suite("The face stage with a scripted worker and a scripted camera")
struct FaceStageTests {
    private let starter = ScriptedStarter()
    private let camera = ScriptedCamera()
    private let desk: CameraDesk
    private let stage: FaceStage
    private let loop: EventLoop

    private static let second: UInt64 = 1_000_000_000
    private static let tenth: UInt64 = 200_000_000
    private static let photo = "data:image/jpeg;base64,/9j/4AAQSkZJRg=="
    private static let identity = PluginIdentity(
        id: "a", version: "1", modelSHA256: String(repeating: "0", count: 64), capabilities: 1, referenceMinimum: 0)

    init() throws {
        var thresholds = FaceThresholds()
        try thresholds.set(
            FaceThreshold(plugin: "a", model: Self.identity.modelSHA256, threshold: 0.75, evidence: .provisional, date: "2026-11-22"))
        desk = CameraDesk(camera, report: { _ in })
        stage = try FaceStage(
            camera: desk, worker: VisionClient(supervisor: starter), settings: .standard, thresholds: thresholds, report: { _ in })
        loop = try EventLoop()
        desk.join(loop)
        stage.join(loop, now: 0)
        try starter.say(.hello(Self.identity), request: 0)
        stage.serveWorker(0)
    }

    private static func assessment(_ similarity: Double?) -> FrameAssessment {
        var made = FrameAssessment(status: 0)
        (made.width, made.height, made.faces) = (640, 480, 1)
        made.face = FaceBox(x: 200, y: 100, width: 200, height: 200)
        (made.eyeDistance, made.brightness, made.sharpness) = (90, 120, 100)
        made.similarity = similarity
        return made
    }

    /// Begins attempt `number`, and the worker has looked at its portrait.
    private func look(_ number: UInt64, request: UInt32, at now: UInt64) throws {
        stage.turnCamera(on: true, now)
        stage.begin(FaceRequest(number: number, portrait: Self.photo), now: now)
        #expect(starter.heard().dropFirst(4).first == 1)
        try starter.say(.assessment(.reference, Self.assessment(nil)), request: request)
        stage.serveWorker(now)
    }

    /// The camera takes a picture, unlike all others or not, and the worker looks at it; false where it was not asked to.
    private func show(_ similarity: Double, _ octet: UInt8, request: UInt32, at now: UInt64) throws -> Bool {
        camera.frames = [([0xFF, 0xD8, octet, 0xFF, 0xD9], now)]
        desk.serve(now)
        guard starter.heard().dropFirst(4).first == 2 else { return false }
        try starter.say(.assessment(.probe, Self.assessment(similarity)), request: request)
        stage.serveWorker(now)
        return true
    }

    @Test("three frames of the person bind; then the worker forgets")
    func bound() throws {
        try look(1, request: 1, at: Self.second)
        for number in 0..<3 {
            #expect(stage.takeAnswer() == nil)
            #expect(try show(0.9, UInt8(number), request: UInt32(2 + number), at: Self.second + UInt64(number + 1) * Self.tenth))
        }
        let answer = try #require(stage.takeAnswer())
        #expect(answer.number == 1 && answer.outcome.isBound)
        #expect(starter.heard().dropFirst(4).first == 3)
        #expect(stage.takeAnswer() == nil)
    }

    @Test(
        "a worker that takes 60 ms is left idle for the frame that counts, one in 30 a second; one that takes 20 ms, for the last before it alone",
        arguments: [60, 20])
    func idleWhenDue(milliseconds: UInt64) throws {
        let frame: UInt64 = 33_333_333, lasting = milliseconds * 1_000_000
        try look(1, request: 1, at: Self.second)
        var shown: [Int] = []
        var request: UInt32 = 2, busyUntil: UInt64 = 0
        for number in 1...11 {
            let now = Self.second + UInt64(number) * frame
            if busyUntil > 0, now >= busyUntil {
                try starter.say(.assessment(.probe, Self.assessment(0.9)), request: request)
                stage.serveWorker(busyUntil)
                (request, busyUntil) = (request + 1, 0)
            }
            camera.frames = [([0xFF, 0xD8, UInt8(number), 0xFF, 0xD9], now)]
            desk.serve(now)
            guard starter.heard().dropFirst(4).first == 2 else { continue }
            shown.append(number)
            busyUntil = now + lasting
        }
        // The first, and each fifth after it, counts: 167 ms apart.
        #expect(Set([1, 6, 11]).isSubset(of: shown), "\(shown)")
        #expect(shown == (milliseconds == 60 ? [1, 3, 6, 8, 11] : [1, 2, 3, 4, 6, 7, 8, 9, 11]))
    }

    @Test("a picture that is the same as the one before shows nobody")
    func repeated() throws {
        try look(1, request: 1, at: Self.second)
        #expect(try show(0.9, 7, request: 2, at: Self.second + Self.tenth))
        for step in 2..<8 { #expect(try !show(0.9, 7, request: 3, at: Self.second + UInt64(step) * Self.tenth)) }
        #expect(stage.takeAnswer() == nil)
        stage.passTime(Self.second * 8)
        #expect(stage.takeAnswer()?.outcome.isBound == false)
    }

    @Test("a request that does not stand any more ends the attempt: a worker at work is ended, and its late answer is nobody's")
    func abandoned() throws {
        try look(1, request: 1, at: Self.second)
        camera.frames = [([0xFF, 0xD8, 1, 0xFF, 0xD9], Self.second + Self.tenth)]
        desk.serve(Self.second + Self.tenth)
        let serial = starter.serial
        stage.turnCamera(on: false, Self.second * 2)
        #expect(starter.kills == 1 && starter.serial == serial + 1)
        #expect(stage.takeAnswer() == nil && camera.descriptor == -1)
        try starter.say(.hello(Self.identity), request: 0)
        stage.serveWorker(Self.second * 3)
        try look(2, request: 3, at: Self.second * 4)
        #expect(stage.takeAnswer() == nil)
    }

    @Test("a worker that ends while nobody asks it anything takes the attempt with it: the next one has no portrait")
    func endsInBetween() throws {
        try look(1, request: 1, at: Self.second)
        starter.end(status: 11)
        starter.closeFar()
        stage.serveWorker(Self.second + Self.tenth)
        #expect(stage.takeAnswer()?.outcome.reason == .workerFailed)
    }

    @Test("trials that were broken off count: after three there are no more")
    func brokenOff() throws {
        var request: UInt32 = 1
        for number in UInt64(1)...3 {
            let now = number * 10 * Self.second
            try look(number, request: request, at: now)
            #expect(try show(0.1, UInt8(number), request: request + 1, at: now + Self.tenth))
            stage.turnCamera(on: false, now + Self.second)
            #expect(starter.heard().dropFirst(4).first == 3)
            try starter.say(.forgotten, request: request + 2)
            stage.serveWorker(now + Self.second)
            request += 3
        }
        stage.turnCamera(on: true, 40 * Self.second)
        stage.begin(FaceRequest(number: 4, portrait: Self.photo), now: 40 * Self.second)
        #expect(stage.takeAnswer()?.outcome.reason == .lockedOut)
        #expect(starter.heard().isEmpty)
    }

    @Test(
        "a portrait that will not do is never shown to the worker",
        arguments: [
            ("data:image/heic;base64,AAAAGGZ0eXBoZWlj", FaceReason.unsupportedPortrait), ("no base64!", .portraitUnreadable),
        ])
    func portrait(_ text: String, _ reason: FaceReason) {
        stage.begin(FaceRequest(number: 1, portrait: text), now: Self.second)
        #expect(stage.takeAnswer()?.outcome.reason == reason)
        #expect(starter.heard().isEmpty)
    }

    @Test("a camera that is not there is waited for half the time of a look, and tried again meanwhile")
    func noCamera() throws {
        camera.failure = .notFound
        try look(1, request: 1, at: Self.second)
        for step in UInt64(1)...10 { desk.passTime(Self.second + step * 250_000_000) }
        #expect(stage.takeAnswer() == nil && camera.starts > 8)
        desk.passTime(Self.second * 4)
        #expect(stage.takeAnswer()?.outcome.reason == .cameraFailed)
    }

    @Test("a camera that answered nothing is left alone, whoever comes next")
    func muteCamera() {
        camera.failure = .notResponding
        let now = Clock.monotonic()
        for visit in UInt64(0)..<5 {
            stage.turnCamera(on: true, now + visit * Self.second)
            desk.passTime(now + visit * Self.second + 500_000_000)
            stage.turnCamera(on: false, now + visit * Self.second + 600_000_000)
        }
        #expect(camera.starts == 1)
        stage.turnCamera(on: true, now + 60 * Self.second)
        #expect(camera.starts == 2)
    }

    @Test("a supervisor that is gone is told")
    func lost() {
        #expect(!stage.isLost)
        starter.descriptor = -1
        #expect(stage.isLost)
    }
}

import Bluetooth
import Foundation
import Testing
import VisionProtocol

@testable import Appliance

/// Folders of pictures that are only their first octets, and a judge who knows them by their last one.
private final class ScriptedJudge: PictureJudge {
    /// By the pictures' last octets.
    var similarity: (UInt8, UInt8) -> Double = { _, _ in 0.5 }
    var faults: [UInt8: Int32] = [:]
    var deadlyProbes: Set<UInt8> = []
    var deadlyReferences: Set<UInt8> = []
    private(set) var deaths = 0
    private var reference: UInt8?

    func assess(reference octets: [UInt8], _ format: PictureFormat) throws(WorkerFailure) -> FrameAssessment {
        let name = octets.last ?? 0
        if deadlyReferences.contains(name) { throw die() }
        reference = name
        return assessment(name)
    }

    func assess(probe octets: [UInt8], _ format: PictureFormat) throws(WorkerFailure) -> FrameAssessment {
        let name = octets.last ?? 0
        if deadlyProbes.contains(name) { throw die() }
        guard let reference else { return FrameAssessment(status: FrameAssessment.Failure.noReference.rawValue) }
        var probe = assessment(name)
        if probe.status == 0 { probe.similarity = similarity(reference, name) }
        return probe
    }

    private func die() -> WorkerFailure {
        deaths += 1
        reference = nil
        return .crashed(signal: 11)
    }

    private func assessment(_ name: UInt8) -> FrameAssessment {
        var assessment = FrameAssessment(status: faults[name] ?? 0)
        assessment.width = 640
        assessment.height = 480
        assessment.faces = assessment.status == 0 ? 1 : 0
        assessment.face = FaceBox(x: 100, y: 100, width: 200, height: 200)
        assessment.eyeDistance = 80
        assessment.brightness = 120
        assessment.sharpness = name == 9 ? 0 : 500
        return assessment
    }
}

@Suite("Calibration runs")
struct CalibrationRunTests {
    /// Each person's pictures by their last octet; 0 is a file that is no picture.
    private func folder(_ people: [[UInt8]]) throws -> String {
        let path = NSTemporaryDirectory() + "calibration-\(UUID().uuidString)"
        for (person, pictures) in people.enumerated() {
            try FileManager.default.createDirectory(atPath: path + "/\(person)", withIntermediateDirectories: true)
            for (index, name) in pictures.enumerated() {
                try Data(name == 0 ? [1, 2, 3] : [0xFF, 0xD8, 0xFF, name]).write(to: URL(fileURLWithPath: path + "/\(person)/\(index)"))
            }
        }
        return path
    }

    private func run(_ people: [[UInt8]], _ judge: ScriptedJudge) throws -> CalibrationRun {
        let path = try folder(people)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try CalibrationRun(try LabelledFolder(path), settings: .standard, minimum: 40, judge: judge, progress: { _ in })
    }

    @Test("compare every picture with every other, and count two pictures once, by the worse of both ways")
    func pairs() throws {
        let judge = ScriptedJudge()
        judge.similarity = { ($0 < $1 ? 0.2 : 0.4) + (($0 < 3) == ($1 < 3) ? 0.5 : 0) }
        let run = try run([[1, 2], [3, 4, 5]], judge)
        #expect(run.scores.count == 20)
        let genuine = run.pairs.filter { $0.first == $0.second }, impostor = run.pairs.filter { $0.first != $0.second }
        #expect(genuine.count == 4)
        #expect(impostor.count == 6)
        #expect(genuine.allSatisfy { $0.similarity == 0.7 })
        #expect(impostor.allSatisfy { $0.similarity == 0.4 })
    }

    @Test("name why pictures are no references and no frames, each once")
    func reasons() throws {
        let judge = ScriptedJudge()
        judge.faults = [3: 8, 4: 0x10000]
        let run = try run([[1, 2, 0], [3, 4, 9]], judge)
        #expect(run.notEnrolled == [.unsupportedPortrait: 1, .referenceUnusable: 1, .portraitUnreadable: 1])
        #expect(run.notCompared == [.unsupportedPortrait: 1, .noFace: 1, .portraitUnreadable: 1])
        #expect(run.flaws == [.blurred: 1])
        #expect(run.pairs.count == 3)
    }

    @Test("go on after a picture the matcher dies of, with the reference shown to the next worker")
    func death() throws {
        let judge = ScriptedJudge()
        judge.deadlyProbes = [2]
        let run = try run([[1, 2, 3], [4, 5]], judge)
        #expect(judge.deaths == 1)
        #expect(run.notCompared == [.workerFailed: 1])
        #expect(run.scores.count == 4 * 3 + 4)
        let references = ScriptedJudge()
        references.deadlyReferences = [2]
        #expect(try self.run([[1, 2, 3], [4, 5]], references).notEnrolled == [.workerFailed: 1])
    }

    @Test("give up on a matcher that dies again and again")
    func deaths() throws {
        let judge = ScriptedJudge()
        judge.deadlyProbes = [1, 2, 3, 4, 5]
        #expect(throws: WorkerFailure.crashed(signal: 11)) { try run([[1, 2, 3], [4, 5]], judge) }
        #expect(judge.deaths == 3)
        let references = ScriptedJudge()
        references.deadlyReferences = [1, 2, 3, 4, 5]
        #expect(throws: WorkerFailure.crashed(signal: 11)) { try run([[1, 2, 3], [4, 5]], references) }
    }

    @Test("need two people, and two pictures of one")
    func folders() throws {
        let cases: [([[UInt8]], LabelledFolderError)] = [
            ([[1, 2]], .onePersonOnly("0")), ([[1], [2]], .noSecondPicture), ([[1, 2], []], .noPictures("1")),
        ]
        for (people, error) in cases {
            let path = try folder(people)
            defer { try? FileManager.default.removeItem(atPath: path) }
            #expect(throws: error) { try LabelledFolder(path) }
        }
        #expect(throws: LabelledFolderError.unreadable("/nowhere", errno: ENOENT)) { try LabelledFolder("/nowhere") }
    }
}

@Suite("The Face SDK")
struct FaceSDKTests {
    @Test("compares nothing before it is configured, and refuses times that are none")
    func notConfigured() {
        let sdk = FaceSDK()
        #expect(sdk.faceCompare(timeout: 1, capturedImage: "", vcImage: "") == .failed(.notConfigured))
        #expect(!sdk.faceCompare(timeout: 1, capturedImage: "", vcImage: "").isMatch)
        for timeout in [0, -1, 301, .max, .min] {
            #expect(sdk.faceCompare(timeout: timeout, capturedImage: "", vcImage: "") == .failed(.badTimeout))
        }
    }

    @Test("says what is missing, and does not look at what is somebody else's")
    func configuration() {
        let sdk = FaceSDK()
        #expect(!sdk.configure(["traceabilityId": "t", "io.inji.sdk.other": "x"]))
        #expect(sdk.configurationFailure == .missing("io.inji.sdk.plugin"))
        #expect(!sdk.configure(["io.inji.sdk.plugin": "/p"]))
        #expect(sdk.configurationFailure == .missing("io.inji.sdk.models"))
        #expect(!sdk.configure(["io.inji.sdk.plugin": "/p", "io.inji.sdk.models": "/m", "io.inji.sdk.thresholds": "/nowhere"]))
        #expect(sdk.configurationFailure == .unreadable("io.inji.sdk.thresholds"))
    }
}

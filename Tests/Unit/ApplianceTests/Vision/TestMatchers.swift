import Foundation
import Glibc
import TestSupport
import VisionProtocol

@testable import Appliance

/// The plug-ins of the tests, compiled when the first test asks for them.
enum TestPlugins {
    static let folder: String = {
        let root = URL(fileURLWithPath: Repository.root)
        let script = Process()
        script.executableURL = root.appendingPathComponent("Tests/Scripts/plugins.sh")
        do { try script.run() } catch { fatalError("plugins.sh: \(error)") }
        script.waitUntilExit()
        precondition(script.terminationStatus == 0, "plugins.sh failed")
        return root.appendingPathComponent(".build/plugins/test").path
    }()

    static func path(_ name: String) -> String { "\(folder)/\(name).so" }
}

/// A picture the test matcher finds faces in: squares of colour with black eyes, on grey.
struct TestPicture {
    let width: Int
    let height: Int
    private(set) var octets: [UInt8]

    init(width: Int = 320, height: Int = 240) {
        (self.width, self.height) = (width, height)
        octets = [UInt8](repeating: 128, count: width * height * 3)
    }

    static let red: (UInt8, UInt8, UInt8) = (200, 60, 40)
    static let blue: (UInt8, UInt8, UInt8) = (40, 60, 200)

    static func face(_ colour: (UInt8, UInt8, UInt8), side: Int = 120) -> TestPicture {
        var picture = TestPicture()
        picture.draw(colour, left: 80, top: 60, side: side)
        return picture
    }

    mutating func draw(_ colour: (UInt8, UInt8, UInt8), left: Int, top: Int, side: Int) {
        fill(colour, left..<left + side, top..<top + side)
        for eye in [left + side / 4, left + side * 3 / 4] {
            fill((0, 0, 0), eye - side / 16..<eye + side / 16, top + side * 3 / 8 - side / 16..<top + side * 3 / 8 + side / 16)
        }
    }

    mutating func fill(_ colour: (UInt8, UInt8, UInt8), _ columns: Range<Int>, _ rows: Range<Int>) {
        for row in rows {
            for column in columns {
                let start = (row * width + column) * 3
                (octets[start], octets[start + 1], octets[start + 2]) = colour
            }
        }
    }

    var head: PictureHeader {
        PictureHeader(format: .rgb24, width: UInt32(width), height: UInt32(height), stride: UInt32(width * 3))
    }
}

/// Workers of one plug-in, with the patience of a test.
struct TestMatchers {
    let supervisor: Supervisor
    let worker: VisionClient

    init(_ plugin: String, change: (inout SupervisorSettings) -> Void = { _ in }) throws {
        var settings = SupervisorSettings()
        settings.plugin = TestPlugins.path(plugin)
        settings.models = "/usr/share"
        settings.memory = 512
        // A machine that is busy with other tests is not what is tested.
        settings.timeouts.hello = 120_000_000_000
        settings.timeouts.reference = 60_000_000_000
        settings.timeouts.probe = 60_000_000_000
        change(&settings)
        supervisor = try Supervisor(settings)
        worker = VisionClient(supervisor: supervisor)
    }

    func assess(_ role: FaceRole, _ picture: TestPicture) throws -> FrameAssessment {
        let reply = try picture.octets.withUnsafeBytes { octets in try worker.ask(.picture(role, picture.head), octets) }
        guard case .assessment(role, let assessment) = reply else { throw WorkerFailure.vanished }
        return assessment
    }

    /// A reference and a probe of the same colour.
    func compare(_ colour: (UInt8, UInt8, UInt8) = TestPicture.red) throws -> FrameAssessment {
        let reference = try assess(.reference, .face(TestPicture.red))
        return reference.status == 0 ? try assess(.probe, .face(colour)) : reference
    }
}

import Bluetooth
import BoardTestSupport
import Devices
import Door
import Faces
import Foundation
import Linux
import SelfTest
import Testing
import Trust

@testable import Appliance
@testable import Visit

/// A gate that would end by itself, and its door.
@Suite("Door and a gate's own end") struct DoorEndTests {
    private final class NoLights: Lights {
        var fitted: LampSet { .all }
        func set(_ lit: LampSet) throws(LightsError) {}
        func close() {}
    }

    private final class Told { var lines: [String] = [] }

    /// Whose controller is what the test says at the other end of a socket.
    private final class Gate {
        let stage = Stage()
        let lines = TestDoorLines()
        let starter = ScriptedStarter()
        let listener: Listener
        let loop: MainLoop
        private let told = Told()

        init(isEmergency: Bool, link: String = "air", hasFaces: Bool = false) throws {
            listener = Listener(unix: stage.path("air"))
            lines.now = isEmergency ? DoorInputs(.emergency) : []
            let trust = try TrustStore(files: [("demo.json", DemoCredential(portrait: 100).trust)])
            let name = Array("DOOR".utf8), lines = lines
            let hci = try HCIMoniker("unix:" + stage.path(link))
            let faces =
                try hasFaces
                ? FaceStage(
                    camera: CameraDesk(ScriptedCamera(), report: { _ in }), worker: VisionClient(supervisor: starter), settings: .standard,
                    thresholds: FaceThresholds(), report: { _ in }) : nil
            loop = try MainLoop(
                gate: Gatekeeper(name: .init(deviceName: name.span), version: .v05, trust: trust, policy: Policy()), link: hci.makeLink(),
                lights: LightsPanel(NoLights(), report: { _ in }), screen: ScreenPanel(ScreenMoniker("none:").makeScreen(words: [])),
                audit: nil, door: DoorPanel(DoorSettings(), report: { _ in }) { () throws(DoorLinesError) in lines }, faces: faces,
                signals: nil, report: { [told] in told.lines.append($0) }, entry: EntryWatch(trust),
                controllerReset: ControllerReset(stage.path("reset"), controller: hci))
        }

        var said: [String] { told.lines }
        var hasAskedForReset: Bool { access(stage.path("reset"), F_OK) == 0 }

        func turn(while isSo: () -> Bool) throws { while isSo() { try loop.turn(until: Clock.monotonic() + 5_000_000) } }

        /// The controller answers a reset, and fails.
        func fail() throws {
            if listener.peer < 0 {
                try turn { !listener.hasCaller }
                listener.meet()
            }
            let before = said.count
            listener.send([0x04, 0x0E, 4, 1, 0x03, 0x0C, 0, 0x04, 0x10, 1, 0x42])
            try turn { said.count == before }
            // The first one is cured on the same link.
            if !said[before...].contains(where: { $0.hasSuffix(RecoveryStep.reset.sentence) }) { listener.hangUp() }
        }
    }

    @Test("what a gate cannot do without ends it only when the emergency is over")
    func lostWorker() throws {
        let gate = try Gate(isEmergency: true, link: "nobody", hasFaces: true)
        try gate.turn { gate.lines.isOpen != .lock }
        gate.starter.descriptor = -1
        for _ in 0..<20 { try gate.loop.turn(until: 0) }
        #expect(gate.loop.isRunning && !gate.loop.isBroken && gate.lines.isOpen == .lock)
        #expect(gate.said.count { $0.contains("gatehouse-vision is gone") && $0.hasSuffix("when the door is closed") } == 1)
        gate.lines.now = []
        try gate.turn { gate.lines.isOpen == .lock }
        try gate.loop.turn(until: 0)
        #expect(!gate.loop.isRunning && gate.loop.isBroken)
    }

    @Test("without one it ends at once; who is asked to end does so in any case")
    func neighbours() throws {
        let gate = try Gate(isEmergency: false, link: "nobody", hasFaces: true)
        gate.starter.descriptor = -1
        try gate.loop.turn(until: 0)
        #expect(!gate.loop.isRunning && gate.loop.isBroken)
        let asked = try Gate(isEmergency: true, link: "nobody")
        try asked.turn { asked.lines.isOpen != .lock }
        asked.loop.stop()
        #expect(!asked.loop.isRunning && !asked.loop.isBroken)
    }

    @Test("nor does a controller that does not come back, and nobody is asked for what may start the board anew")
    func lostController() throws {
        let gate = try Gate(isEmergency: true)
        try gate.turn { gate.lines.isOpen != .lock }
        for _ in 0..<5 { try gate.fail() }
        #expect(gate.loop.isRunning && gate.lines.isOpen == .lock && !gate.hasAskedForReset)
        gate.lines.now = []
        try gate.turn { gate.lines.isOpen == .lock }
        try gate.fail()
        try gate.fail()
        #expect(gate.loop.isRunning && gate.hasAskedForReset)
        try gate.fail()
        try gate.fail()
        #expect(gate.loop.isBroken)
    }
}

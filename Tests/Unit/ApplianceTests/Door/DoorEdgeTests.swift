import Devices
import Door
import Glibc
import Linux
import Testing

@testable import Appliance

private let millisecond: UInt64 = 1_000_000
private let second: UInt64 = 1_000_000_000

/// What is read of a door's inputs: edges that are missing, late or not to be had.
extension DoorPanelTests {
    @Test("a line that hummed while the loop was away has not stood, whatever edges are missing: neither button nor emergency count")
    func hummingBehindASlowStep() throws {
        for input in [DoorInput.exit, .emergency] {
            let site = Site(), panel = try site.panel()
            let lines = try #require(site.lines)
            lines.descriptor = 0
            panel.passTime(millisecond)
            // 50 Hz; the kernel kept the first sixteen edges, the last of them active, and dropped what came after.
            for edge in 0..<16 { lines.edge(input, edge % 2 == 1, at: UInt64(10 + 10 * edge) * millisecond) }
            lines.now = []
            panel.serve(500 * millisecond)
            panel.passTime(600 * millisecond)
            #expect(lines.asked.isEmpty && events(panel) == [], "\(input)")
            // The neighbour: fewer edges are all there are, and the last one lasted.
            for edge in 0..<15 { lines.edge(input, edge % 2 == 0, at: UInt64(1000 + 10 * edge) * millisecond) }
            panel.serve(1500 * millisecond)
            #expect(lines.isOpen == .lock, "\(input)")
        }
    }

    @Test("the dropped edges may also be the first ones: a level from before the gap has not lasted through it")
    func hummingLosesItsFirstEdges() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.descriptor = 0
        lines.edge(.exit, true, at: 10 * millisecond)
        panel.serve(10 * millisecond)
        for edge in 0..<96 { lines.edge(.exit, edge % 2 == 1, at: UInt64(1000 + 10 * edge) * millisecond) }
        lines.now = []
        panel.serve(2000 * millisecond)
        panel.passTime(2100 * millisecond)
        #expect(!lines.asked.contains(.lock))
    }

    @Test("a line that hums takes nothing from the others: what came and went beside it is known")
    func besideHum() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.edge(.exit, true, at: 1000 * millisecond)
        lines.edge(.exit, false, at: 1100 * millisecond)
        for edge in 0..<20 { lines.edge(.contact, edge % 2 == 0, at: UInt64(1000 + 10 * edge) * millisecond) }
        panel.serve(1500 * millisecond)
        #expect(lines.isOpen == .lock && events(panel) == [.opened(.exit)])
        // As many as the kernel keeps of all lines together: the oldest may be missing, whose they were.
        lines.edge(.tamper, true, at: 8000 * millisecond)
        for edge in 0..<16 * DoorInput.allCases.count - 1 { lines.edge(.contact, edge % 2 == 0, at: 8000 * millisecond + UInt64(edge)) }
        lines.now = []
        panel.serve(9000 * millisecond)
        #expect(!events(panel).contains(.tamper))
    }

    @Test("an emergency is heard beside a line that hums without end")
    func emergencyBesideHum() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.edge(.emergency, true, at: 0)
        for turn in 0..<10 {
            for edge in 0..<40 { lines.edge(.tamper, edge % 2 == 0, at: UInt64(turn) * 10 * millisecond + UInt64(edge) * 1000) }
            panel.serve(UInt64(turn + 1) * 10 * millisecond)
        }
        #expect(lines.isOpen == .lock)
        #expect(events(panel) == [.emergency])
    }

    @Test("inputs whose bus stays away in an emergency are told once, though nothing is wrong with their edges")
    func emergencyWithoutLevels() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.descriptor = 0
        lines.edge(.emergency, true, at: 5)
        panel.serve(10)
        panel.passTime(31 * millisecond)
        lines.refusesLevels = .system(errno: 5)
        for time in UInt64(1)...20 { panel.passTime(time * second + 1) }
        #expect(site.said.count == 1 && !panel.isUp && lines.isOpen == .lock, "\(site.said)")
        lines.refusesLevels = nil
        panel.passTime(22 * second)
        #expect(panel.isUp && lines.isOpen == .lock)
    }

    @Test("an emergency goes on where the loop cannot wait for edges: they are looked for")
    func unwatched() throws {
        let file = open("/proc/self/status", O_RDONLY)
        defer { close(file) }
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.edge(.emergency, true, at: 5)
        panel.serve(10)
        panel.passTime(31 * millisecond)
        // No file can be waited for.
        lines.descriptor = file
        let loop = try EventLoop()
        panel.join(loop)
        for time in UInt64(1)...20 { panel.passTime(time * second + 1) }
        #expect(lines.isOpen == .lock && !lines.isClosed && lines.asked.allSatisfy { $0 == .lock } && site.said.count == 1, "\(site.said)")
        lines.now = []
        panel.passTime(22 * second)
        panel.passTime(23 * second)
        #expect(lines.isOpen == [])
    }

    @Test("a press that is seen while nobody takes it is no reason to sleep")
    func waitingPress() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.edge(.supervisor, true, at: 40 * millisecond)
        panel.serve(100 * millisecond)
        #expect(panel.nextChange == 0)
        #expect(panel.takePresses() == DoorSignals(.supervisor) && panel.nextChange == second)
    }
}

import BoardTestSupport
import Foundation
import Linux
import Synchronization
import Testing

@testable import Appliance

/// The child of the tests below: this program again. It installs a bundle and ends itself, by SIGKILL, before the step it was told.
@Test(.enabled(if: ProcessInfo.processInfo.environment["GATEHOUSE_TRUST_CHILD"] != nil))
func trustStoreChild() throws {
    let environment = ProcessInfo.processInfo.environment
    let folder = try #require(environment["GATEHOUSE_TRUST_CHILD"]),
        sequence = try #require(environment["GATEHOUSE_TRUST_SEQUENCE"].flatMap { Int64($0) })
    let last = try #require(environment["GATEHOUSE_TRUST_STEP"].flatMap { Int($0) })
    let steps = Atomic(0)
    let trust = TrustInstallation(folder) { _, _ in
        if steps.add(1, ordering: .relaxed).oldValue == last { kill(getpid(), SIGKILL) }
    }
    _ = try trust.install(TestBundle.number(sequence).signed(), root: TestBundle.root(), now: TestBundle.now)
}

@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["GATEHOUSE_TRUST_CHILD"] == nil))
struct TrustStoreKillTests {
    private static let replacement: [DurableFolder.Step] = [.create, .write, .syncFile, .rename, .syncFolder]

    private func install(_ sequence: Int64, _ stage: Stage, _ watch: DurableFolder.Watch? = nil) throws -> TrustInstallationError? {
        let octets = try TestBundle.number(sequence).signed(), root = try TestBundle.root()
        // A child that another test starts holds what this process has open, locks too, for the moment between its fork and its exec.
        let trust = TrustInstallation(stage.folder, patience: 60_000_000_000, watch: watch)
        return fault { () throws(TrustInstallationError) in try trust.install(octets, root: root, now: TestBundle.now) }
    }

    /// The sequence number of what is installed; nil when nothing is. Anything half done is an error.
    private func installed(_ stage: Stage) throws -> Int64? {
        do {
            return try TrustInstallation(stage.folder).load(root: TestBundle.root(), now: TestBundle.now).bundle.sequence
        } catch TrustInstallationError.notInstalled {
            return nil
        }
    }

    /// After an interrupted step from `old` to `new`: one of the two is there, whole, and everything goes on as if nothing had been.
    private func expectWhole(_ stage: Stage, old: Int64?, new: Int64, _ note: String) throws {
        let found = try installed(stage)
        #expect(found == old || found == new, "\(note): \(String(describing: found))")
        #expect((stage.mark?.sequence ?? 0) >= (old ?? 0), "\(note): the mark went back")
        if let found, found > 1 { #expect(try install(found - 1, stage) == .rolledBack(sequence: found - 1, highest: found), "\(note)") }
        #expect(try install(new, stage) == nil, "\(note)")
        #expect(try installed(stage) == new && stage.mark?.sequence == new, "\(note)")
        #expect(Set(stage.files.keys) == ["bundle.cose", "highwater", "highwater.copy", "orders", "orders.copy"], "\(note): left-overs")
    }

    @Test("the disk is asked in the order that a power cut cannot disturb")
    func order() throws {
        let stage = Stage()
        let steps = Mutex<[String]>([])
        let watch: DurableFolder.Watch = { step, name in steps.withLock { $0.append("\(name) \(step.rawValue)") } }
        func names(_ files: [String]) -> [String] { files.flatMap { file in Self.replacement.map { "\(file) \($0.rawValue)" } } }
        #expect(try install(1, stage, watch) == nil)
        #expect(
            steps.withLock { $0 }
                == names(["orders", "orders.copy", "highwater", "highwater.copy", "bundle.cose", "highwater", "highwater.copy"]),
            "the mark is there before the first bundle")
        steps.withLock { $0 = [] }
        #expect(try install(2, stage, watch) == nil)
        #expect(steps.withLock { $0 } == names(["bundle.cose", "highwater", "highwater.copy"]))
        steps.withLock { $0 = [] }
        #expect(try install(2, stage, watch) == nil)
        #expect(steps.withLock { $0 }.isEmpty, "nothing to do, nothing written")
    }

    @Test("a fault at any step leaves the old bundle or the new one", arguments: [nil, 1] as [Int64?])
    func faults(_ old: Int64?) throws {
        for last in 0... {
            let stage = Stage()
            if let old { #expect(try install(old, stage) == nil) }
            let steps = Mutex(0)
            let error = try install(2, stage) { _, _ throws(SystemError) in
                let isLast = steps.withLock { count in
                    defer { count += 1 }
                    return count == last
                }
                if isLast { throw .diskFull }
            }
            guard error != nil else {
                #expect(last == (old == nil ? 35 : 15), "every step was tried")
                return
            }
            #expect(error == .disk(.diskFull))
            #expect(!stage.files.keys.contains { $0.hasPrefix(".") }, "step \(last): a temporary file stays")
            try expectWhole(stage, old: old, new: 2, "fault at step \(last)")
        }
    }

    @Test("SIGKILL before any step leaves the old bundle or the new one", arguments: [nil, 1] as [Int64?])
    func kills(_ old: Int64?) throws {
        let count = old == nil ? 35 : 15
        for last in 0...count {
            let stage = Stage()
            if let old { #expect(try install(old, stage) == nil) }
            let killed = try child(stage, 2, step: last)
            #expect(killed == (last < count), "step \(last)")
            try expectWhole(stage, old: old, new: 2, "kill at step \(last)")
        }
    }

    @Test("garbage that a power cut left under a temporary name is overwritten")
    func leftOvers() throws {
        let stage = Stage()
        try stage.put([UInt8](repeating: 0, count: 100_000), ".bundle.cose.new")
        try stage.put([UInt8](repeating: 0, count: 100_000), ".highwater.new")
        try expectWhole(stage, old: nil, new: 1, "left-overs")
    }

    /// Runs the child and returns whether it was killed.
    private func child(_ stage: Stage, _ sequence: Int64, step: Int) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        var arguments = Array(CommandLine.arguments.dropFirst())
        if let filter = arguments.firstIndex(of: "--filter") { arguments.removeSubrange(filter...min(filter + 1, arguments.count - 1)) }
        process.arguments = arguments + ["--filter", "trustStoreChild"]
        var environment = ProcessInfo.processInfo.environment
        environment["GATEHOUSE_TRUST_CHILD"] = stage.folder
        environment["GATEHOUSE_TRUST_SEQUENCE"] = "\(sequence)"
        environment["GATEHOUSE_TRUST_STEP"] = "\(step)"
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        if process.terminationReason == .exit { #expect(process.terminationStatus == 0, "the child failed by itself") }
        return process.terminationReason == .uncaughtSignal
    }
}

import BoardTestSupport
import Foundation
import Linux
import Testing
import Trust

@testable import Appliance

@Suite struct TrustStoreInstallTests {
    private let now = TestBundle.now
    private let stage = Stage()
    private var trust: TrustInstallation { TrustInstallation(stage.folder) }

    private func install(_ test: TestBundle, at time: Int64 = TestBundle.now) throws -> TrustInstallationError? {
        let octets = try test.signed(), root = try TestBundle.root()
        return fault { () throws(TrustInstallationError) in try trust.install(octets, root: root, now: time) }
    }

    private func loaded(at time: Int64 = TestBundle.now) throws -> Int64 {
        try trust.load(root: TestBundle.root(), now: time).bundle.sequence
    }

    private func loadFault(at time: Int64 = TestBundle.now) throws -> TrustInstallationError? {
        let root = try TestBundle.root()
        return fault { () throws(TrustInstallationError) in try trust.load(root: root, now: time) }
    }

    @Test("a bundle is installed, found again, and replaced by a newer one")
    func newer() throws {
        #expect(try loadFault() == .notInstalled)
        let octets = try TestBundle.number(3).signed(), root = try TestBundle.root()
        #expect(try trust.install(octets, root: root, now: now) == .installed)
        let installed = try trust.load(root: root, now: now)
        #expect(try installed.bundle == TestBundle.number(3).bundle() && installed.store.issuers.count == 1)
        #expect(installed.clock == .sure(now) && installed.highWater == stage.mark)
        #expect(stage.mark?.sequence == 3 && stage.mark?.time == now - 10)
        let before = stage.files
        #expect(
            Set(before.keys) == ["bundle.cose", "highwater", "highwater.copy", "orders", "orders.copy"]
                && before["bundle.cose"] == Data(octets))
        #expect(try trust.install(octets, root: root, now: now) == .unchanged)
        #expect(
            try trust.install(TestBundle.number(3).signed(by: [3, 1]), root: root, now: now) == .unchanged,
            "the same content, other signers")
        #expect(stage.files == before)
        #expect(try install(.number(9)) == nil)
        #expect(try loaded() == 9 && stage.mark?.sequence == 9)
    }

    @Test("what is refused changes nothing")
    func refusals() throws {
        #expect(try install(.number(5)) == nil)
        let before = stage.files, root = try TestBundle.root()
        func refused(
            _ octets: [UInt8], _ error: TrustInstallationError, at time: Int64 = TestBundle.now, _ line: SourceLocation = #_sourceLocation
        ) {
            #expect(
                fault { () throws(TrustInstallationError) in try trust.install(octets, root: root, now: time) } == error,
                sourceLocation: line)
            #expect(stage.files == before, sourceLocation: line)
        }
        refused(try TestBundle.number(4).signed(), .rolledBack(sequence: 4, highest: 5))
        refused(try TestBundle.number(5, type: "urn:example:2").signed(), .sequenceTaken(5))
        refused(try TestBundle.number(6).signed(by: [1]), .bundle(.thresholdNotMet))
        refused(try TestBundle.number(6).signed(by: [1, 4]), .bundle(.thresholdNotMet))
        refused(try TestBundle.number(6).bundle().encoded(), .bundle(.notSigned))
        refused(try TestBundle.number(6).signed(), .bundle(.expired), at: now + 1000)
        refused(try TestBundle.number(6).signed(), .bundle(.expired), at: .max)
        var test = TestBundle.number(6)
        test.notBefore = now + 1
        refused(try test.signed(), .bundle(.notYetValid))
        test = .number(6)
        test.hasIssuer = false
        refused(try test.signed(), .bundle(.contents(TrustError(file: "", reason: .empty))))
        // Older than a time that is known to have passed.
        test = .number(6)
        test.notAfter = now - 10
        test.created = now - 20
        refused(try test.signed(), .bundle(.expired), at: 0)
    }

    @Test("a board whose clock was never set can be given a bundle, and is unsure from then on")
    func clockBehind() throws {
        #expect(try install(.number(1), at: 0) == nil)
        let installed = try trust.load(root: TestBundle.root(), now: 0)
        #expect(installed.clock == .unsure(atLeast: now - 10))
        #expect(try trust.load(root: TestBundle.root(), now: now - 10).clock == .sure(now - 10))
        #expect(try loadFault(at: now + 999) == nil && loadFault(at: now + 1000) == .bundle(.expired))
        #expect(stage.mark?.time == now - 10, "the board's own clock raises nothing")
    }

    @Test("a time that has passed is remembered, also past the bundle's end, and an earlier one changes nothing")
    func remembering() throws {
        #expect(try install(.number(1)) == nil)
        let bundle = try TestBundle.number(1).bundle()
        for (time, expected) in [(now + 5, now + 5), (now, now + 5), (.min, now + 5), (now + 999, now + 999)] as [(Int64, Int64)] {
            try trust.remember(time, under: bundle)
            #expect(stage.mark?.time == expected)
        }
        #expect(stage.mark?.sequence == 1)
        #expect(try trust.load(root: TestBundle.root(), now: now).clock == .unsure(atLeast: now + 999))
        // The next bundle was made before that time: the mark stays.
        #expect(try install(.number(2)) == nil)
        #expect(stage.mark?.time == now + 999)
        // What has gone by has gone by: also the end of the bundle.
        try trust.remember(now + 5000, under: bundle)
        #expect(try stage.mark?.time == now + 5000 && loadFault(at: 0) == .bundle(.expired))
    }

    // MARK: somebody changes the folder

    @Test("an older bundle put in the place of a newer one is not used")
    func rollbackOnDisk() throws {
        #expect(try install(.number(5)) == nil)
        try stage.put(TestBundle.number(4).signed(), "bundle.cose")
        #expect(try loadFault() == .rolledBack(sequence: 4, highest: 5))
        try stage.put(TestBundle.number(5, type: "urn:example:2").signed(), "bundle.cose")
        #expect(try loadFault() == .sequenceTaken(5))
        try stage.put(TestBundle.number(5).signed(by: [1]), "bundle.cose")
        #expect(try loadFault() == .bundle(.thresholdNotMet))
        try stage.put([0xD8], "bundle.cose")
        #expect(try loadFault() != nil)
        // The very same one is taken again, though the number does not grow.
        #expect(try install(.number(4)) == .rolledBack(sequence: 4, highest: 5))
        #expect(try install(.number(5)) == nil && loaded() == 5)
        try stage.remove("bundle.cose")
        #expect(try loadFault() == .notInstalled)
        #expect(try install(.number(4)) == .rolledBack(sequence: 4, highest: 5))
        #expect(try install(.number(5)) == nil && loaded() == 5)
    }

    @Test("a mark that lags behind the bundle, as a cut leaves it, is caught up with")
    func lagging() throws {
        #expect(try install(.number(1)) == nil)
        let old = try #require(stage.files["highwater"])
        #expect(try install(.number(2)) == nil)
        for name in ["highwater", "highwater.copy"] { try stage.put(old, name) }
        #expect(try loaded() == 2)
        #expect(try trust.load(root: TestBundle.root(), now: now).highWater.sequence == 2)
        #expect(try install(.number(1)) == .rolledBack(sequence: 1, highest: 2))
        #expect(try install(.number(2)) == nil)
        #expect(stage.mark?.sequence == 2)
    }

    /// Ways in which a worn card, or somebody, takes a record away.
    static let damages = ["changed", "empty", "long", "missing", "pipe"]

    private func damage(_ name: String, _ kind: String) throws {
        let octets = try #require(stage.files[name])
        switch kind {
        case "changed": try stage.put(octets.map { $0 == UInt8(ascii: "5") ? UInt8(ascii: "4") : $0 }, name)
        case "empty": try stage.put([], name)
        case "long": try stage.put([UInt8](repeating: 0x20, count: 5000), name)
        case "pipe":
            try stage.remove(name)
            #expect(mkfifo(stage.path(name), 0o600) == 0)
        default: try stage.remove(name)
        }
    }

    private func markState() throws -> InstalledTrust.MarkState { try trust.load(root: TestBundle.root(), now: now).markState }

    @Test("one copy of the mark is enough, whichever is lost, and is made whole", arguments: damages, ["highwater", "highwater.copy"])
    func oneCopy(_ kind: String, _ name: String) throws {
        #expect(try install(.number(5)) == nil)
        try trust.remember(now + 5, under: TestBundle.number(5).bundle())
        #expect(try markState() == .whole)
        try damage(name, kind)
        try stage.remove("bundle.cose")
        #expect(try install(.number(4)) == .rolledBack(sequence: 4, highest: 5))
        #expect(try install(.number(5)) == nil)
        #expect(try trust.load(root: TestBundle.root(), now: 0).clock == .unsure(atLeast: now + 5), "and its time is not lost either")
        try trust.remember(0, under: TestBundle.number(5).bundle())
        #expect(try markState() == .whole && stage.files["highwater"] == stage.files["highwater.copy"])
    }

    @Test(
        "a mark lost in both copies does not stop the gate: what is installed takes its place, and no older bundle comes in",
        arguments: damages)
    func lostMark(_ kind: String) throws {
        #expect(try install(.number(5)) == nil)
        for name in ["highwater", "highwater.copy"] { try damage(name, kind) }
        #expect(try loaded() == 5 && markState() == .lost)
        #expect(try install(.number(4)) == .rolledBack(sequence: 4, highest: 5))
        #expect(try install(.number(5, type: "urn:example:2")) == .sequenceTaken(5))
        try trust.remember(now, under: TestBundle.number(5).bundle())
        #expect(try markState() == .whole && stage.mark?.sequence == 5 && stage.mark?.time == now)
        for name in ["highwater", "highwater.copy"] { try damage(name, kind) }
        #expect(try install(.number(6)) == nil)
        #expect(try loaded() == 6 && markState() == .whole && stage.mark?.sequence == 6)
    }

    @Test("what no mark can tell any more, the system image can: the lowest number it starts with")
    func lowest() throws {
        #expect(try install(.number(5)) == nil)
        let root = try TestBundle.root(), five = try TestBundle.number(5).signed(), six = try TestBundle.number(6).signed()
        let later = TrustInstallation(stage.folder, lowest: 6), below = TrustInstallationError.belowImage(sequence: 5, lowest: 6)
        #expect(fault { () throws(TrustInstallationError) in try later.load(root: root, now: now) } == below)
        for name in ["bundle.cose", "highwater", "highwater.copy", "orders", "orders.copy"] { try stage.remove(name) }
        #expect(fault { () throws(TrustInstallationError) in try later.install(five, root: root, now: now) } == below)
        #expect(stage.files.isEmpty)
        #expect(try later.install(six, root: root, now: now) == .installed)
        #expect(try later.load(root: root, now: now).bundle.sequence == 6)
    }

    @Test("new signers take over, and the mark goes on")
    func otherRoot() throws {
        #expect(try install(.number(5)) == nil)
        let root = try TestBundle.root([7, 8])
        func takeOver(_ sequence: Int64) throws -> TrustInstallationError? {
            let octets = try TestBundle.number(sequence).signed(by: [7, 8])
            return fault { () throws(TrustInstallationError) in try trust.install(octets, root: root, now: now) }
        }
        #expect(fault { () throws(TrustInstallationError) in try trust.load(root: root, now: now) } == .bundle(.thresholdNotMet))
        #expect(try takeOver(4) == .rolledBack(sequence: 4, highest: 5))
        #expect(try takeOver(6) == nil)
        #expect(try trust.load(root: root, now: now).bundle.sequence == 6)
    }

    // MARK: the disk

    @Test("links, pipes, folders and files too large are refused, and hold nobody up")
    func strangeFiles() throws {
        #expect(try install(.number(1)) == nil)
        let path = stage.path("bundle.cose")
        try FileManager.default.moveItem(atPath: path, toPath: stage.path("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: stage.path("elsewhere"))
        #expect(try loadFault()?.refusal == .notRegularFile && install(.number(2))?.refusal == .notRegularFile)
        try stage.remove("bundle.cose")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try loadFault()?.refusal == .notRegularFile && install(.number(2))?.refusal == .notRegularFile)
        try stage.remove("bundle.cose")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try loadFault()?.refusal == .notRegularFile)
        try stage.remove("bundle.cose")
        #expect(truncate(stage.path("elsewhere"), off_t(TrustBundle.largest) + 1) == 0)
        try FileManager.default.moveItem(atPath: stage.path("elsewhere"), toPath: path)
        #expect(try loadFault() == .disk(.fileTooLarge))
        #expect(try install(.number(2)) == nil && loaded() == 2, "a whole bundle repairs it")
        // What a link in the place of the temporary file leads to is not overwritten.
        try stage.put([1, 2, 3], "precious")
        try FileManager.default.createSymbolicLink(atPath: stage.path(".bundle.cose.new"), withDestinationPath: stage.path("precious"))
        #expect(try install(.number(3))?.refusal == .notRegularFile)
        #expect(stage.files["precious"] == Data([1, 2, 3]))
        #expect(try install(.number(3)) == nil, "it was removed")
        let octets = try TestBundle.number(1).signed(), root = try TestBundle.root()
        #expect(
            fault { () throws(TrustInstallationError) in try TrustInstallation(stage.path("none")).install(octets, root: root, now: now) }
                == .disk(.notFound))
        #expect(
            fault { () throws(TrustInstallationError) in try TrustInstallation(stage.path("none")).load(root: root, now: now) }
                == .disk(.notFound)
        )
    }

    @Test("what root installs is the folder's owner's, whatever the umask", .enabled(if: geteuid() == 0))
    func owner() throws {
        func owners() throws -> [String: [UInt32]] {
            var found: [String: [UInt32]] = [:]
            for name in stage.files.keys {
                var facts = stat()
                try #require(lstat(stage.path(name), &facts) == 0)
                found[name] = [facts.st_uid, facts.st_gid, facts.st_mode & 0o777]
            }
            return found
        }
        // Not by a umask, which all the tests of this process have in common.
        try stage.put([1, 2, 3], ".bundle.cose.new")
        #expect(chmod(stage.path(".bundle.cose.new"), 0o600) == 0 && chown(stage.folder, 12_345, 23_456) == 0)
        #expect(try install(.number(1)) == nil)
        let found = try owners()
        #expect(found.count == 5 && found.values.allSatisfy { $0 == [12_345, 23_456, 0o644] }, "\(found)")
        #expect(chown(stage.folder, 0, 0) == 0)
        #expect(try install(.number(2)) == nil)
        #expect(try owners()["bundle.cose"] == [0, 0, 0o644])
    }

    @Test("whoever else has the descriptor, a child before it is another program, has no lock by it")
    func inherited() throws {
        var copy: Int32 = -1
        do {
            let disk = try DurableFolder(stage.folder, exclusively: true)
            let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let own = try #require(
                links.first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == stage.folder })
            copy = dup(try #require(Int32(own)))
            #expect(try install(.number(1)) == .disk(.lockedByAnother))
            withExtendedLifetime(disk) {}
        }
        defer { close(copy) }
        #expect(copy >= 0)
        #expect(try install(.number(1)) == nil)
    }

    @Test("two never install at the same time")
    func locked() throws {
        let other = open(stage.folder, O_RDONLY | O_DIRECTORY)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(try install(.number(1)) == .disk(.lockedByAnother))
        #expect(stage.files.isEmpty)
        #expect(flock(other, LOCK_UN) == 0)
        #expect(try install(.number(1)) == nil)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0, "and it is let go of afterwards")
        #expect(try loaded() == 1, "reading needs no lock")
    }
}

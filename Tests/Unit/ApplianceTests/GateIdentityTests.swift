import BoardTestSupport
import Foundation
import Linux
import Testing
import Trust

@testable import Appliance

@Suite struct GateIdentityTests {
    private let stage = Stage(), system = Stage()

    private func folders(_ serial: String?) throws -> SystemFolders {
        if let serial {
            try FileManager.default.createDirectory(atPath: system.path("device-tree"), withIntermediateDirectories: true)
            try system.put(Array(serial.utf8), "device-tree/serial-number")
        }
        return SystemFolders(proc: system.folder)
    }

    @Test("a board's serial number is the gate's id, and nothing is drawn")
    func serial() throws {
        let identity = try GateIdentity.made(stage.folder, folders("10000000abcdef01\0"))
        #expect(identity.id == "10000000abcdef01" && identity.source == .board && stage.files.isEmpty)
    }

    @Test("a board without one draws an id, once", arguments: [nil, "", "0000000000000000\0", "\0", "two words\0"])
    func drawn(_ serial: String?) throws {
        let folders = try folders(serial)
        #expect(GateIdentity(stage.folder, folders) == nil)
        let first = try GateIdentity.made(stage.folder, folders)
        #expect(first.source == .drawn && first.id.utf8.count == 16 && GateID.isWellFormed(first.id))
        #expect(try GateIdentity.made(stage.folder, folders) == first && GateIdentity(stage.folder, folders) == first)
    }

    @Test(
        "a copy that is lost is made anew; an id lost in both is not drawn anew in silence",
        arguments: ["zeros", "bit", "empty", "gone", "pipe"])
    func damage(_ kind: String) throws {
        let folders = try folders(nil), first = try GateIdentity.made(stage.folder, folders), whole = try #require(stage.files["gate-id"])
        #expect(whole == stage.files["gate-id.copy"] && String(decoding: whole, as: UTF8.self).hasPrefix(first.id + "\n"))
        func ruin(_ name: String) throws {
            switch kind {
            case "zeros": try stage.put(Data(repeating: 0, count: 82), name)
            case "bit": try stage.put(whole.enumerated().map { $0.offset == 3 ? $0.element ^ 1 : $0.element }, name)
            case "empty": try stage.put([], name)
            case "gone": try stage.remove(name)
            default:
                try stage.remove(name)
                #expect(mkfifo(stage.path(name), 0o600) == 0)
            }
        }
        for name in ["gate-id", "gate-id.copy"] {
            try ruin(name)
            #expect(GateIdentity(stage.folder, folders) == first)
            #expect(try GateIdentity.made(stage.folder, folders) == first && stage.files[name] == whole)
        }
        try ruin("gate-id")
        try ruin("gate-id.copy")
        guard kind != "gone" else { return }
        #expect(GateIdentity(stage.folder, folders) == nil)
        #expect(fault { () throws(TrustInstallationError) in try GateIdentity.made(stage.folder, folders) } == .idDamaged)
    }

    @Test("an id that an older program drew is kept, and gets its digest")
    func older() throws {
        let folders = try folders(nil)
        try stage.put(Array("0123456789abcdef\n".utf8), "gate-id")
        #expect(try GateIdentity.made(stage.folder, folders).id == "0123456789abcdef")
        #expect(stage.files["gate-id.copy"]?.count == 82 && stage.files["gate-id"] == stage.files["gate-id.copy"])
    }
}

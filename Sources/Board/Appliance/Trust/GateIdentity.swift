import Cryptography
import Glibc
import Linux
import Trust

/// What this gate is called in orders, and where that comes from.
public struct GateIdentity: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable {
        /// The serial number of the board, from its device tree.
        case board
        /// Drawn at random once, and kept in the trust folder.
        case drawn
    }

    /// Well-formed by `GateID`.
    public let id: String
    public let source: Source

    /// The id on a line of its own, which is all that an older program wrote and a script reads, and its digest on the next.
    private static let file = TwinFile<String>(
        name: "gate-id", longest: 256, decode: { decoded($0) }, encode: { encoded($0) }, union: { one, _ in one })

    /// The id of this gate; nil where its board has no serial number and none was drawn yet, or none can be read.
    ///
    /// - Parameter folder: the trust folder.
    public init?(_ folder: String, _ system: SystemFolders = SystemFolders()) {
        guard let found = try? Self.found(folder, system) else { return nil }
        self = found
    }

    private init(id: String, source: Source) {
        self.id = id
        self.source = source
    }

    /// The same; throws `idDamaged` where one was drawn, and neither copy can be read.
    public static func found(_ folder: String, _ system: SystemFolders = SystemFolders()) throws(TrustInstallationError) -> GateIdentity? {
        if let serial = serial(system) { return GateIdentity(id: serial, source: .board) }
        return try drawn(TrustDisk(folder, exclusively: false))
    }

    /// The same; draws an id and keeps it where there never was one, and makes a lost copy of it anew.
    ///
    /// - Parameter patience: nanoseconds to wait for another program that has the folder.
    public static func made(
        _ folder: String, _ system: SystemFolders = SystemFolders(), patience: UInt64 = 0
    ) throws(TrustInstallationError) -> GateIdentity {
        if let serial = serial(system) { return GateIdentity(id: serial, source: .board) }
        if case .value(let id, isWhole: true) = try file.read(TrustDisk(folder, exclusively: false)) {
            return GateIdentity(id: id, source: .drawn)
        }
        let disk = try TrustDisk(folder, exclusively: true, patience: patience)
        // Another process may have been quicker.
        if let found = try drawn(disk) {
            // A folder that cannot be written is no reason to have no id.
            _ = try? file.put(found.id, on: disk)
            return found
        }
        let octets: [UInt8]
        do throws(CryptographyError) {
            octets = try Random.bytes(8)
        } catch {
            throw .noRandomness
        }
        let id = octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try file.write(id, to: disk)
        return GateIdentity(id: id, source: .drawn)
    }

    private static func drawn(_ disk: borrowing TrustDisk) throws(TrustInstallationError) -> GateIdentity? {
        switch try file.read(disk) {
        case .none: nil
        case .value(let id, _): GateIdentity(id: id, source: .drawn)
        // Orders know this gate by the old one: another one is for somebody to decide.
        case .damaged: throw .idDamaged
        }
    }

    private static func encoded(_ id: String) -> [UInt8]? {
        let line = Array((id + "\n").utf8)
        return HighWater.hexadecimal(line).map { line + Array(($0 + "\n").utf8) }
    }

    private static func decoded(_ octets: [UInt8]) -> String? {
        let id = String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard GateID.isWellFormed(id), octets == encoded(id) || octets == Array((id + "\n").utf8) else { return nil }
        return id
    }

    /// What the firmware says (Devicetree Specification 2.3.10: `serial-number`, a string that ends with NUL); nil where it says nothing,
    /// or nothing but zeros.
    private static func serial(_ system: SystemFolders) -> String? {
        guard let text = SystemFolders.text(system.proc + "/device-tree/serial-number") else { return nil }
        let serial = String(decoding: text.utf8.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard GateID.isWellFormed(serial), serial.utf8.contains(where: { $0 != UInt8(ascii: "0") }) else { return nil }
        return serial
    }
}

import Credentials
import Cryptography
import Glibc

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

    private static let file = "gate-id"

    /// The id of this gate; nil where its board has no serial number and none was drawn yet.
    ///
    /// - Parameter folder: the trust folder.
    public init?(_ folder: String, _ system: SystemFolders = SystemFolders()) {
        if let serial = Self.serial(system) {
            self.init(id: serial, source: .board)
        } else if let line = SystemFolders.line(folder + "/" + Self.file), GateID.isWellFormed(line) {
            self.init(id: line, source: .drawn)
        } else {
            return nil
        }
    }

    private init(id: String, source: Source) {
        self.id = id
        self.source = source
    }

    /// The same; draws an id and keeps it where there is none.
    public static func made(_ folder: String, _ system: SystemFolders = SystemFolders()) throws(TrustInstallationError) -> GateIdentity {
        if let found = GateIdentity(folder, system) { return found }
        let disk = try DurableFolder(folder, exclusively: true)
        // Another process may have been quicker.
        if let found = GateIdentity(folder, system) { return found }
        let drawn: [UInt8]
        do throws(CryptographyError) {
            drawn = try Random.bytes(8)
        } catch {
            throw .noRandomness
        }
        let id = drawn.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try disk.replace(Self.file, with: Array((id + "\n").utf8))
        return GateIdentity(id: id, source: .drawn)
    }

    /// What the firmware says (Devicetree Specification 2.3.10: `serial-number`, a string that ends with NUL); nil where it says nothing, or nothing
    /// but zeros.
    private static func serial(_ system: SystemFolders) -> String? {
        guard let text = SystemFolders.text(system.proc + "/device-tree/serial-number") else { return nil }
        let serial = String(decoding: text.utf8.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard GateID.isWellFormed(serial), serial.utf8.contains(where: { $0 != UInt8(ascii: "0") }) else { return nil }
        return serial
    }
}

import CLinux

/// What runs here, as the system says it.
public struct ProgramVersion: Hashable, Sendable {
    /// Of the image; `development` outside of one.
    public let version: String
    /// The slot of the image that was booted, A or B; nil outside of one.
    public let slot: String?

    /// - Parameter file: holds the image's version (`image/root.sh`).
    public init(_ system: SystemFolders = SystemFolders(), file: String = "/etc/gatehouse-version") {
        version = SystemFolders.line(file).flatMap { Self.isWord($0) ? $0 : nil } ?? "development"
        let words = SystemFolders.line(system.proc + "/cmdline")?.split(separator: " ") ?? []
        let slot = words.last { $0.hasPrefix("gatehouse.slot=") }.map { String($0.dropFirst(15)) }
        self.slot = slot.flatMap { Self.isWord($0) ? $0 : nil }
    }

    /// What this program was built from, 12 digits, and a + where the tree had changes; nil where nobody noted it.
    public static var commit: String? { system_commit().map { String(cString: $0) } }

    /// 1 to 32 of what versions are made of: it goes into the audit log.
    private static func isWord(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || [0x2B, 0x2D, 0x2E, 0x5F, 0x7E].contains($0)
            }
    }
}

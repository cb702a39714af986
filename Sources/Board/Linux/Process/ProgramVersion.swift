import CLinux

/// What runs here, as the system says it.
public struct ProgramVersion: Hashable, Sendable {
    /// Of the image, or of the Debian package; `development` where neither says one.
    public let version: String
    /// Whether the version is an image's.
    public let isImage: Bool
    /// The slot of the image that was booted, A or B; nil outside of one.
    public let slot: String?

    /// - Parameters:
    ///   - file: holds the image's version (`image/root.sh`).
    ///   - packaged: holds the package's (`packages/debian/gatehouse.install`); it counts where there is no image's.
    public init(
        _ system: SystemFolders = SystemFolders(), file: String = "/etc/gatehouse-version",
        packaged: String = "/usr/share/gatehouse/version"
    ) {
        let image = Self.word(of: file)
        isImage = image != nil
        version = image ?? Self.word(of: packaged) ?? "development"
        let words = SystemFolders.line(system.proc + "/cmdline")?.split(separator: " ") ?? []
        let slot = words.last { $0.hasPrefix("gatehouse.slot=") }.map { String($0.dropFirst(15)) }
        self.slot = slot.flatMap { Self.isWord($0) ? $0 : nil }
    }

    /// What this program was built from, 12 digits, and a + where the tree had changes; nil where nobody noted it.
    public static var commit: String? { system_commit().map { String(cString: $0) } }

    private static func word(of file: String) -> String? { SystemFolders.line(file).flatMap { isWord($0) ? $0 : nil } }

    /// 1 to 32 of what versions are made of: it goes into the audit log.
    private static func isWord(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || [0x2B, 0x2D, 0x2E, 0x5F, 0x7E].contains($0)
            }
    }
}

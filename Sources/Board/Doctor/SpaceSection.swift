import Appliance
import Glibc
import Linux

/// Free space where the gate writes.
public enum SpaceSection {
    /// What a file system has left.
    public struct Space: Hashable, Sendable {
        /// Octets a user may still write.
        public var octets: UInt64
        /// Files a user may still make; nil where the file system has no such limit.
        public var files: UInt64?
    }

    private static let least: UInt64 = 16 << 20
    private static let some: UInt64 = 128 << 20

    /// - Parameters:
    ///   - folders: what is kept there, and where.
    ///   - measure: nil where a folder cannot be measured.
    public static func examine(
        _ folders: [(what: String, path: String)], measure: (String) -> Space? = Self.measure
    ) -> DoctorReport.Section {
        var section = DoctorReport.Section("space")
        for (what, path) in folders {
            guard let space = measure(path) else {
                section.note("\(what) folder", "\(path) cannot be looked at", .init("Look", "ls -ld \(DoctorReport.Remedy.word(path))"))
                continue
            }
            judge(space, of: "\(what) folder", path, in: &section)
        }
        return section
    }

    private static func judge(_ space: Space, of name: String, _ path: String, in section: inout DoctorReport.Section) {
        let files = space.files.map { ", \($0) files" } ?? ""
        let text = "\(space.octets >> 20) MiB\(files) free at \(path)"
        // An image keeps its journal in memory: there it is the audit log that is in the way.
        let export = "gatehouse order build --kind export --number N --gate ID --not-after TIME --out export.cose"
        let clear: DoctorReport.Remedy =
            ProgramVersion().isImage
            ? .init("Copy the audit log to a stick with an order made at the desk (docs/audit.md)", export)
            : .init("Make room", "journalctl --vacuum-size=16M")
        if space.octets < least {
            section.trouble(name, "space-low", "only \(text): visits that cannot be recorded are rejected", clear)
        } else if let files = space.files, files < 16 {
            section.trouble(
                name, "files-low", "only \(text): nothing new can be kept",
                .init("Look what has so many", "df -i \(DoctorReport.Remedy.word(path))"))
        } else if space.octets < some || space.files ?? .max < 1024 {
            section.note(name, text, clear)
        } else {
            section.add(name, text)
        }
    }

    /// What is left at `path`, or, where it does not exist yet, at the nearest folder above.
    public static func measure(_ path: String) -> Space? {
        var path = path
        var facts = statvfs()
        while statvfs(path, &facts) != 0 {
            guard errno == ENOENT || errno == ENOTDIR, path != "/", path != "." else { return nil }
            let slash = path.lastIndex(of: "/")
            path = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        }
        let (octets, overflow) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return Space(octets: overflow ? .max : octets, files: facts.f_files > 0 ? UInt64(facts.f_favail) : nil)
    }
}

/// Whether what is written is there after the next start.
public enum DataSection {
    public static func examine(isLost: Bool = DataPartition.isLost, anewAbove: Int64? = DataPartition.anewAbove) -> DoctorReport.Section {
        var section = DoctorReport.Section("data")
        if let anewAbove {
            section.note(
                "data", "made anew, because the partition could not be repaired: bundles above \(anewAbove) are believed",
                .init(
                    "Bring a newer trust bundle and the site file, and replace the card",
                    "gatehouse trust install FILE --root FILE --into FOLDER"))
        }
        if isLost {
            section.trouble(
                "data", ClosedCause.dataNotLasting.code, ClosedCause.dataNotLasting.sentence, .init("Read why", "cat \(DataPartition.flag)")
            )
        } else if anewAbove == nil {
            section.summary = "outlasts a restart, as far as the system says"
        }
        return section
    }
}

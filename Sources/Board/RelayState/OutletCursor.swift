import Audit
import Glibc
import JSON
import Linux

/// How far the other side has the log: a file in the outlet's state folder, replaced whole.
public struct OutletCursor: Hashable, Sendable {
    /// The file's name.
    public static let file = "cursor"
    /// Octets of the longest one.
    private static let most = 1024

    /// The number of the last record that is delivered; 0 for none.
    public var sequence: UInt64 { place.sequence }
    package let place: AuditPlace

    package init(_ place: AuditPlace) { self.place = place }

    /// Before the first record.
    public static let beginning = OutletCursor(.beginning)

    /// Reads a folder's cursor. `beginning` where there is none.
    ///
    /// - Throws: `badCursor` for a file that is none: what it stood for is not known, and whether to send everything anew is a person's
    ///   decision.
    public init(folder: String) throws(OutletStateError) {
        let octets: [UInt8]?
        do throws(SystemError) {
            octets = try DurableFolder(folder, exclusively: false).read(Self.file, most: Self.most)
        } catch {
            if error.kind == .fileTooLarge { throw .badCursor }
            throw .folder(error)
        }
        guard let octets else {
            self = .beginning
            return
        }
        guard let root = (try? JSONDocument(parsing: octets))?.root, let sequence = root["seq"]?.int64, sequence >= 0,
            let digest = root["digest"]?.string, Self.isDigest(digest), let previous = root["prev"]?.string,
            previous.isEmpty || Self.isDigest(previous)
        else { throw .badCursor }
        place = AuditPlace(sequence: UInt64(sequence), digest: digest, previous: previous)
    }

    /// The octets of the file.
    public var octets: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("seq", place.sequence)
        writer.member("digest", place.digest)
        writer.member("prev", place.previous)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// Why what an outlet remembers cannot be used.
public enum OutletStateError: Error, Hashable, Sendable {
    case folder(SystemError)
    /// The cursor is no cursor.
    case badCursor
}

extension OutletStateError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .folder(let error): error.description
        case .badCursor: "its cursor is damaged: remove it, and everything in the log is sent again"
        }
    }
}

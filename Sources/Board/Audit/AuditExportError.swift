import Glibc
import Linux

/// Why the audit log was not copied. What was copied before stays; the gate is told of none of it.
public enum AuditExportError: Error, Hashable, Sendable {
    case log(AuditError)
    /// A segment cannot be read.
    case source(String, AuditError)
    /// The folder, or a file in it, cannot be made or written.
    case destination(String, errno: Int32)
    /// The copies would be the log itself: there would be one of each, and the gate would let it go.
    case ownFolder(String)
    /// A file of that name is there and is another one: perhaps another gate's.
    case otherFile(String)
    /// What was written does not read back as it was.
    case notAsWritten(String)
    /// Everything is copied, but the gate cannot be told: it keeps the segments.
    case notMarked(SystemError)
}

extension AuditExportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .log(let error): "the log: \(error)"
        case .source(let name, let error): "\(name) cannot be read: \(error)"
        case .destination(let path, let code):
            "\(path) cannot be written (\(systemCause(code)))" + (code == ENOSPC ? ": there is no room" : "")
        case .ownFolder(let path): "\(path) is the log itself and no copy of it: name a folder elsewhere"
        case .otherFile(let path): "\(path) is there already and is another file: name a folder of this gate's own"
        case .notAsWritten(let path): "\(path) does not read back as it was written: the medium is bad; use another"
        case .notMarked(let error): "everything is copied, but the gate cannot be told and keeps it: \(error)"
        }
    }
}

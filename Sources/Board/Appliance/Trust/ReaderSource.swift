import Cryptography
import Linux
import Mdoc
import Trust

/// Where a gate has the key by which it asks phones in its own name: as an option names it, or at the usual place.
package struct ReaderSource: Sendable {
    package static let usualPath = "/etc/gatehouse/reader-key.pem"
    /// Octets of the file: a PEM text of a key is below one KiB, and somebody may have written lines around it.
    private static let longest = 1 << 14

    private let path: String?

    package init(_ path: String?) {
        self.path = path
    }

    /// The file that is looked at.
    package var file: String { path ?? Self.usualPath }

    /// The key with the certificates that the trust bundle has for it; nil where none is named, and there is none at the usual place: a
    /// gate asks without a name then.
    package func key(_ belief: MdocBelief) throws(ConfigurationError) -> ReaderKey? {
        if path == nil, try !NamedFile.exists(Self.usualPath) { return nil }
        // A gate reads this while it starts: whatever lies there, it does not wait for it.
        var pem: [UInt8]
        do throws(SystemError) {
            pem = try File.read(file, most: Self.longest)
        } catch .fileTooLarge {
            throw ConfigurationError("--reader-key \(file): longer than \(Self.longest >> 10) KiB")
        } catch {
            // Often it belongs to root: `trust reader-key` lets nobody but its owner read it.
            throw ConfigurationError("--reader-key \(file): cannot be read (\(error.cause))")
        }
        defer { wipe(&pem) }
        do throws(ReaderKeyError) {
            return try ReaderKey(pem: pem.span, chains: belief.readers)
        } catch {
            let place = error == .certificateOfAnotherKey ? " (`readers` of mdoc.json in the trust bundle)" : ""
            throw ConfigurationError("--reader-key \(file): \(error)\(place)")
        }
    }

    /// The same for whoever looks at the board.
    package func state(_ belief: MdocBelief) -> ReaderState {
        do throws(ConfigurationError) {
            guard let key = try self.key(belief), let own = key.certificates.first else { return .none }
            guard let certificate = belief.readers.first(where: { (try? $0.chain.first?.der()) == own }) else { return .none }
            return .certified(certificate)
        } catch {
            return .unusable(error.description)
        }
    }
}

/// What is known of the key by which a gate asks phones.
public enum ReaderState: Sendable {
    case none
    case certified(ReaderCertificate)
    /// Why it cannot be used.
    case unusable(String)
}

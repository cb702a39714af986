import Credentials
import Cryptography
import Linux
import Trust

/// Where the certificates are that updates of the system are verified by: as an option names it, or at the usual place.
package struct UpdateSource: Sendable {
    private let path: String?

    package init(_ path: String?) {
        self.path = path
    }

    /// The file that is looked at.
    package var file: String { path ?? UpdateRoot.usualPath }

    /// Nil where none is named, and there is none at the usual place.
    package func root() throws(ConfigurationError) -> UpdateRoot? {
        if path == nil, try !NamedFile.exists(UpdateRoot.usualPath) { return nil }
        // A gate reads this while it starts: whatever lies there, it does not wait for it.
        guard let pem = try? File.read(file, most: UpdateRoot.longest) else {
            throw ConfigurationError("\(file): cannot be read, or is longer than \(UpdateRoot.longest >> 20) MiB")
        }
        do throws(CryptographyError) { return try UpdateRoot(pem) } catch {
            throw ConfigurationError("\(file): no certificate in PEM that can be read here")
        }
    }

    /// When updates end. A gate does not stay shut because nobody can say.
    func end() -> TrustEnd? {
        do throws(ConfigurationError) {
            return try root()?.end
        } catch {
            say("until when updates can come is not known: \(error)")
            return nil
        }
    }
}

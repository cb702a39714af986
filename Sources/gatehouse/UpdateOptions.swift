import ArgumentParser
import Board
import Credentials
import Cryptography

/// What updates of the system are verified by.
struct UpdateOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "The certificates that updates of the system are verified by (PEM). Nothing is verified here: that the last of them ends is said in days before, because what renews it is an update.  (default: \(UpdateRoot.usualPath), if that exists)",
        valueName: "file"))
    var updateRoot: String?

    /// Nil where none is named, and there is none at the usual place.
    func root() throws -> UpdateRoot? {
        guard let path = try updateRoot ?? (TrustOptions.exists(UpdateRoot.usualPath) ? UpdateRoot.usualPath : nil) else { return nil }
        // A gate reads this while it starts: whatever lies there, it does not wait for it.
        guard let pem = WholeFile.octets(path, most: UpdateRoot.longest) else {
            throw ValidationError("\(path): cannot be read, or is longer than \(UpdateRoot.longest >> 20) MiB")
        }
        do throws(CryptographyError) { return try UpdateRoot(pem) } catch { throw ValidationError("\(path): no certificate in PEM that can be read here") }
    }

    /// When updates end. A gate does not stay shut because nobody can say.
    func end() -> TrustEnd? {
        do {
            return try root()?.end
        } catch {
            say("gatehouse: until when updates can come is not known: \((error as? ValidationError)?.message ?? "\(error)")")
            return nil
        }
    }
}

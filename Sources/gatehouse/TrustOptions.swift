import ArgumentParser
import Credentials

/// Whom the gate believes.
struct TrustOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "The trust folder: one JSON file for each issuer (Sources/Credentials/Trust/FORMAT.md).", valueName: "folder"))
    var trust = "/etc/gatehouse/trust"

    func store() throws -> TrustStore {
        do throws(TrustError) {
            return try TrustStore(folder: trust)
        } catch {
            throw ValidationError("--trust \(trust): \(error)")
        }
    }
}

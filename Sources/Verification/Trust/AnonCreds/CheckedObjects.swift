import AnonCreds
import Cryptography

/// AnonCreds objects that were checked, by the SHA-256 of the rows they were made of: a gate that reads its trust again checks only what
/// is new.
struct CheckedObjects: Sendable {
    var definitions: [[UInt8]: CredentialDefinition] = [:]
    var registries: [[UInt8]: RevocationRegistry] = [:]
    var lists: [[UInt8]: RevocationStatusList] = [:]

    mutating func add(_ other: CheckedObjects) {
        definitions.merge(other.definitions) { first, _ in first }
        registries.merge(other.registries) { first, _ in first }
        lists.merge(other.lists) { first, _ in first }
    }

    /// Of the rows' own octets. A length stands before each, so that no two sets of rows have one digest.
    static func digest(_ rows: [TrustMember]) throws(TrustError) -> [UInt8] {
        var octets: [UInt8] = []
        for row in rows {
            octets += withUnsafeBytes(of: UInt64(row.value.source.count).bigEndian) { Array($0) }
            octets += row.value.source
        }
        guard let digest = try? Digest.hash(octets.span, .sha256) else {
            throw TrustError(file: rows.first?.file ?? "", member: rows.first?.path ?? "", reason: .unusableObject(.unavailable))
        }
        return digest
    }
}

import Appliance
import ArgumentParser
import Cryptography
import Envelopes
import Glibc
import Linux

/// Who signs.
struct SignerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The signer's private key.", valueName: "pem"))
    var key: String

    @Option(help: ArgumentHelp("The signer's name in the root file.", valueName: "id"))
    var kid: String

    @Option(help: ArgumentHelp("The root file, to see that the key is the one it has for this signer.", valueName: "file"))
    var root: String?

    private static let longestKey = 4096
    /// Seconds by which two computers' clocks may differ.
    private static let skew: Seconds = 300

    /// The latest time that a signer here takes for the past. A gate takes what is signed for the past: one signer's clock is enough to see
    /// that it is not.
    static var latest: Seconds { TrustSource.now + skew }

    func signingKey() throws -> SigningKey {
        let descriptor = open(key, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ValidationError("--key \(key): cannot be read (\(systemCause(errno)))") }
        defer { close(descriptor) }
        // One buffer that does not grow, so that wiping it wipes the only copy.
        var pem = [UInt8](repeating: 0, count: Self.longestKey + 1)
        defer { wipe(&pem) }
        var filled = 0
        while filled < pem.count {
            let count = pem.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ValidationError("--key \(key): cannot be read (\(systemCause(errno)))") }
            if count == 0 { break }
            filled += count
        }
        let found: SigningKey
        do throws(CryptographyError) {
            found = try SigningKey(pem: pem.span.extracting(first: filled))
        } catch {
            throw ValidationError("--key \(key): not an unencrypted Ed25519 private key in PEM")
        }
        try check(found)
        return found
    }

    /// A signature under a name that the root file has another key for counts for nothing, and who finds out is a gate.
    private func check(_ found: borrowing SigningKey) throws {
        guard let root else { return say("not compared with a root file: name one with --root", to: 1) }
        let signers = try TrustSource.signers(root).signers
        guard let signer = signers.first(where: { Array($0.id.utf8) == Array(kid.utf8) }) else {
            throw TrustCommand.refuse(
                "--kid \(kid): the root file \(root) has no such signer; it has \(signers.map(\.id).joined(separator: ", "))")
        }
        let known = try? PublicKey(ed25519: found.publicKey.span)
        guard known == signer.key else {
            let owner = known.flatMap { known in signers.first { $0.key == known } }
            throw TrustCommand.refuse(
                "--key \(key): not the key that the root file \(root) has for \(kid)" + (owner.map { "; it is \($0.id)'s" } ?? ""))
        }
    }
}

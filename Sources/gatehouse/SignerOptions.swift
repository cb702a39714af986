import ArgumentParser
import Credentials
import Cryptography
import Glibc

/// Who signs.
struct SignerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The signer's private key.", valueName: "pem"))
    var key: String

    @Option(help: ArgumentHelp("The signer's name in the root file.", valueName: "id"))
    var kid: String

    private static let longestKey = 4096
    /// Seconds by which two computers' clocks may differ.
    private static let skew: Seconds = 300

    /// The latest time that a signer here takes for the past. A gate takes what is signed for the past: one signer's clock is enough to see that it is not.
    static var latest: Seconds { TrustOptions.now + skew }

    func signingKey() throws -> SigningKey {
        let descriptor = open(key, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ValidationError("--key \(key): cannot be read (errno \(errno))") }
        defer { close(descriptor) }
        // One buffer that does not grow, so that wiping it wipes the only copy.
        var pem = [UInt8](repeating: 0, count: Self.longestKey + 1)
        defer { wipe(&pem) }
        var filled = 0
        while filled < pem.count {
            let count = pem.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ValidationError("--key \(key): cannot be read (errno \(errno))") }
            if count == 0 { break }
            filled += count
        }
        do throws(CryptographyError) {
            return try SigningKey(pem: pem.span.extracting(first: filled))
        } catch {
            throw ValidationError("--key \(key): not an unencrypted Ed25519 private key in PEM")
        }
    }
}

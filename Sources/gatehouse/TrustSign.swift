import ArgumentParser
import Credentials
import Cryptography
import Glibc

struct TrustSign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Add one signature to a bundle.",
        discussion: """
            The key is an Ed25519 key in PEM, as `openssl genpkey -algorithm ed25519` writes it. Look at the bundle first \
            (`gatehouse trust inspect`, `gatehouse trust diff`): the signature says that you did.
            """)

    @Argument(help: "The bundle: as `build` wrote it, or already signed by others.")
    var file: String

    @Option(help: ArgumentHelp("The signer's private key.", valueName: "pem"))
    var key: String

    @Option(help: ArgumentHelp("The signer's name in the root file.", valueName: "id"))
    var kid: String

    @Option(help: ArgumentHelp("Where the signed bundle goes; it may be the same file.", valueName: "file"))
    var out: String

    func run() throws {
        let bundle = try TrustFile(file)
        let report = BundleReport(bundle.content), latest = TrustOptions.now + Self.skew
        // A gate takes these times for the past: one signer's clock is enough to see that they are not.
        guard bundle.content.created <= latest else {
            throw Trust.refuse("the bundle was made at \(report.time(bundle.content.created)): a time in the future by this computer's clock")
        }
        if let list = bundle.content.contents.lists.first(where: { $0.fetched > latest }) {
            throw Trust.refuse("the list \(list.url) was fetched at \(report.time(list.fetched)): a time in the future by this computer's clock")
        }
        let key = try signingKey()
        let signed: SignedTrustBundle
        do throws(TrustBundleError) {
            switch bundle {
            case .payload(let payload): signed = try SignedTrustBundle(signing: payload, as: kid, with: key)
            case .signed(let before, _): signed = try before.signed(as: kid, with: key)
            }
        } catch {
            throw Trust.refuse(error)
        }
        try write(signed.octets, to: out)
        say("bundle \(bundle.content.sequence): signed by \(signed.signerIDs.map(printable).joined(separator: " "))", to: 1)
    }

    private static let longestKey = 4096
    /// Seconds by which two computers' clocks may differ.
    private static let skew: Seconds = 300

    private func signingKey() throws -> SigningKey {
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

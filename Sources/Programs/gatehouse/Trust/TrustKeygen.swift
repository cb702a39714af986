import ArgumentParser
import Cryptography
import Envelopes
import JSON
import Trust

struct TrustKeygen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen", abstract: "Make a signer's key pair.",
        discussion: """
            The private key goes into a file that only its owner can read, not encrypted: keep it where whoever may not sign cannot come, and \
            never on a gate. The public key goes beside it, into the same name with .pub for .pem, as `gatehouse trust root --signer` takes it; \
            it also is what stands under `keys` of an issuer's file. Nothing is overwritten.
            """)

    enum Algorithm: String, ExpressibleByArgument, CaseIterable {
        case EdDSA, ES256

        var kind: KeyPair.Kind { self == .EdDSA ? .ed25519 : .p256 }
    }

    @Option(help: ArgumentHelp("Where the private key goes.", valueName: "file"))
    var out: String

    @Option(help: ArgumentHelp("Whose key it is: the signer's name in the root file.  (default: the file's name)", valueName: "id"))
    var id: String?

    @Option(help: "EdDSA (Ed25519) for who signs bundles; ES256 (P-256) is for an issuer in a trial.")
    var algorithm = Algorithm.EdDSA

    func run() throws {
        let id = id ?? Self.name(of: out)
        guard 1...TrustRoot.longestID ~= id.utf8.count, printable(id) == id else {
            throw ValidationError("--id \(printable(id)): use 1 to \(TrustRoot.longestID) characters that can be read")
        }
        let publicFile = Self.publicFile(of: out)
        let pair: KeyPair
        do throws(CryptographyError) {
            pair = try KeyPair(algorithm.kind)
        } catch {
            throw TrustCommand.refuse("libcrypto made no key")
        }
        let entry = try Self.entry(id, pair.publicKey), secret = try pair.privatePEM()
        // The private key first: a public one alone would be taken for a signer's who can sign.
        try secret.withBytes { try create($0, at: out, mode: 0o600) }
        do {
            try create(entry.span, at: publicFile, mode: 0o644)
        } catch {
            discard(out)
            throw error
        }
        let known = try pair.publicKey.subjectPublicKeyInfo()
        say("\(id) \(BundleReport.kind(pair.publicKey)) SHA-256 \(fingerprint(known))", to: 1)
        say("\(printable(out)): the private key. Whoever has it signs as \(id); it belongs on no gate.", to: 1)
        say("\(printable(publicFile)): the public key, \(use)", to: 1)
    }

    private var use: String {
        algorithm == .EdDSA
            ? "for `gatehouse trust root --signer`, or `keys` of an issuer's file. Whoever takes it asks you for the SHA-256 above."
            : "for `keys` of an issuer's file. Signers of bundles have Ed25519: a root file does not take it."
    }

    /// `{"kid":"alice","jwk":{...}}`: an element of `signers` in a root file, and of `keys` in an issuer's.
    private static func entry(_ id: String, _ key: PublicKey) throws -> [UInt8] {
        var writer = JSONWriter()
        try writer.object { (writer) throws(CryptographyError) in
            writer.member("kid", id)
            writer.name("jwk")
            try key.writeJWK(to: &writer)
        }
        return writer.bytes + Array("\n".utf8)
    }

    private static let ending = ".pem"

    /// `desk/alice.pem` is alice's.
    private static func name(of file: String) -> String {
        let name = file.split(separator: "/").last.map(String.init) ?? ""
        return name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
    }

    private static func publicFile(of file: String) -> String {
        (file.hasSuffix(ending) ? String(file.dropLast(ending.count)) : file) + ".pub"
    }
}

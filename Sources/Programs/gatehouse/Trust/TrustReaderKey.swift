import Appliance
import ArgumentParser
import Cryptography
import Envelopes
import Mdoc
import Trust

struct TrustReaderKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader-key", abstract: "Make a gate's key for asking phones by name, and the request for its certificate (CSR).",
        discussion: """
            A phone shows who asks where the request is signed by a reader that an authority known to it has certified. The private key \
            goes into a file that only its owner can read, not encrypted, for `gatehouse run --reader-key`; the request goes to that \
            authority, in PEM. Its answer, the certificate and those above it, is named in `readers` of mdoc.json and comes with the bundle. \
            A gate without a key asks all the same, without a name. Nothing is overwritten.
            """)

    enum Curve: String, ExpressibleByArgument, CaseIterable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"

        var curve: NISTCurve {
            switch self {
            case .p256: .p256
            case .p384: .p384
            case .p521: .p521
            }
        }
    }

    @Option(help: ArgumentHelp("Where the private key goes.", valueName: "file"))
    var out: String

    @Option(help: ArgumentHelp("Where the request goes.  (default: the key's file with .csr for .pem)", valueName: "file"))
    var csr: String?

    @Option(help: ArgumentHelp("The common name (CN) that phones show, 1 to 64 characters.", valueName: "name"))
    var commonName: String

    @Option(help: ArgumentHelp("The organization (O) that runs the gate, 1 to 64 characters.", valueName: "name"))
    var organization: String?

    @Option(help: ArgumentHelp("Its country (C), two capital letters.", valueName: "code"))
    var country: String?

    @Option(help: "The key's curve: P-256, which every phone knows, P-384 or P-521.")
    var curve = Curve.p256

    /// Of a name's parts (RFC 5280 appendix A.1, ub-common-name and ub-organization-name).
    private static let longestPart = 64

    func run() throws {
        let subject = try subject(), request = csr ?? Self.requestFile(of: out)
        guard request != out else { throw ValidationError("--csr \(request): is the private key's file too") }
        let pair: CurveKeyPair
        do throws(CryptographyError) {
            pair = try CurveKeyPair(curve.curve)
        } catch {
            throw TrustCommand.refuse("libcrypto made no key")
        }
        let made: [UInt8]
        do throws(CryptographyError) {
            made = try pair.certificateRequest(subject, usage: ReaderCertificate.usage)
        } catch {
            throw TrustCommand.refuse("libcrypto makes no request with this name")
        }
        let secret = try pair.privatePEM(), known = try pair.subjectPublicKeyInfo(), text = Self.pem(made)
        // The private key first: a request alone would be answered for a key that nobody has.
        try secret.withBytes { try create($0, at: out, mode: 0o600) }
        do {
            try create(text.span, at: request, mode: 0o644)
        } catch {
            discard(out)
            throw error
        }
        say("\(printable(commonName)) \(curve.rawValue) SHA-256 \(fingerprint(known))", to: 1)
        say("\(printable(out)): the private key, for `gatehouse run --reader-key`. Whoever has it asks in this name.", to: 1)
        say("\(printable(request)): the request. Its answer is named in `readers` of the trust folder's mdoc.json.", to: 1)
    }

    private func subject() throws -> [(attribute: Certificate.NameAttribute, text: String)] {
        var parts: [(attribute: Certificate.NameAttribute, text: String)] = []
        if let country {
            guard country.utf8.count == 2, country.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                throw ValidationError("--country \(printable(country)): use two capital letters")
            }
            parts.append((.country, country))
        }
        let texts: [(String, String?, Certificate.NameAttribute)] = [
            ("--organization", organization, .organization), ("--common-name", commonName, .commonName),
        ]
        for (option, text, attribute) in texts {
            guard let text else { continue }
            guard 1...Self.longestPart ~= text.unicodeScalars.count, printable(text) == text else {
                throw ValidationError("\(option) \(printable(text)): use 1 to \(Self.longestPart) characters that can be read")
            }
            parts.append((attribute, text))
        }
        return parts
    }

    private static let keyEnding = ".pem"

    private static func requestFile(of file: String) -> String {
        (file.hasSuffix(keyEnding) ? String(file.dropLast(keyEnding.count)) : file) + ".csr"
    }

    /// RFC 7468 section 7: lines of 64 characters.
    private static func pem(_ der: [UInt8]) -> [UInt8] {
        var text = Array("-----BEGIN CERTIFICATE REQUEST-----\n".utf8), rest = Base64.encodeStandard(der)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + [UInt8(ascii: "\n")]
            rest = rest.dropFirst(64)
        }
        return text + Array("-----END CERTIFICATE REQUEST-----\n".utf8)
    }
}

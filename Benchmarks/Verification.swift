import CMallocCount
import COpenSSL
import Credentials
import Cryptography
import JSON

/// What verifying one credential costs, from the received octets to the signed statements.
struct VerificationFigures {
    let sample: VerificationSample
    /// Nanoseconds with the contexts already processed, and when they are met for the first time.
    let warm: Double
    let cold: Double
    /// Nanoseconds of SHA-256 over the same octets and one check of a signature by libcrypto with a key of the same kind.
    let floor: Double
    /// Octets taken from the allocator at one time, contexts processed before not counted.
    let peak: UInt64

    init(_ sample: VerificationSample, rounds: Int) throws {
        self.sample = sample
        let check = try SignatureFloor(sample.key)
        var verification = LinkedProofVerification(contexts: sample.contexts)
        let firsts = try (0..<9).map { _ in
            var fresh = LinkedProofVerification(contexts: sample.contexts)
            return try time { try Self.verify(sample, &fresh) }
        }
        cold = firsts.sorted()[firsts.count / 2]
        try Self.verify(sample, &verification)
        var isGood = true
        (warm, floor) = medians(rounds: rounds) {
            do { try Self.verify(sample, &verification) } catch { isGood = false }
        } _: {
            do throws(CryptographyError) { keep(try Digest.sha256(sample.octets.span)) } catch { isGood = false }
            isGood = check.isGood() && isGood
        }
        precondition(isGood, "the signature is good every time")
        malloc_peak_begin()
        try Self.verify(sample, &verification)
        peak = malloc_peak_end()
    }

    private static func verify(_ sample: VerificationSample, _ verification: inout LinkedProofVerification) throws {
        let document = try JSONDocument(parsing: sample.octets)
        let proofs = try LinkedProof.proofs(of: document.root)
        keep(try verification.verify(document.root, proofs[0], key: sample.key, at: 1_900_000_000))
    }
}

/// Nanoseconds `body` took.
private func time(_ body: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(body)
    return Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
}

func benchVerification() throws {
    var samples = VerificationSample.published()
    if samples.isEmpty {
        print(
            "verification: the published credentials are not here (GATEHOUSE_SUITES), so those are skipped; documents made for this run instead"
        )
        samples = try VerificationSample.made()
    }
    for sample in samples {
        let figures = try VerificationFigures(sample, rounds: 101)
        print(
            "verification, \(sample.name), \(sample.octets.count) octets: \(text(figures.warm / 1000, 0)) us, \(text(figures.warm / figures.floor)) times "
                + "the floor (SHA-256 + one signature, \(text(figures.floor / 1000, 0)) us); goal 5; "
                + "contexts met for the first time \(text(figures.cold / 1000, 0)) us; heap at most \(figures.peak / 1024) kB")
    }
}

/// For another program to divide by: one line of JSON for each credential; of all where no names are given.
func printVerificationFigures(of names: some Collection<String>) throws {
    for sample in VerificationSample.published() where names.isEmpty || names.contains(sample.name) {
        let figures = try VerificationFigures(sample, rounds: 101)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", sample.name)
            writer.member("path", sample.path ?? "")
            writer.member("nanoseconds", Int(figures.warm))
            writer.member("cold", Int(figures.cold))
            writer.member("floor", Int(figures.floor))
            writer.member("peak", figures.peak)
        }
        print(writer.text)
    }
}

/// One check of a signature straight by libcrypto, with a key of the given kind that is made here.
private final class SignatureFloor {
    private let key: OpaquePointer
    private let message = [UInt8](repeating: 7, count: 64)
    private var signature = [UInt8](repeating: 0, count: 1024)
    private let isRSA: Bool
    private let digest: String?

    struct Unavailable: Error {}

    init(_ peer: PublicKey) throws {
        let (type, group, bits): (String, String?, Int) =
            switch peer.kind {
            case .ed25519: ("ED25519", nil, 0)
            case .p256: ("EC", "prime256v1", 0)
            case .p384: ("EC", "secp384r1", 0)
            case .secp256k1: ("EC", "secp256k1", 0)
            case .rsa(let bits): ("RSA", nil, bits)
            }
        isRSA = bits > 0
        digest = peer.kind == .ed25519 ? nil : peer.kind == .p384 ? "SHA384" : "SHA256"
        let context = EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, group.map({ EVP_PKEY_CTX_set_group_name(context, $0) == 1 }) ?? true,
            !isRSA || EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1, EVP_PKEY_generate(context, &made) == 1, let made
        else { throw Unavailable() }
        key = made
        let signing = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(signing) }
        var keyContext: OpaquePointer?
        var count = signature.count
        guard EVP_DigestSignInit_ex(signing, &keyContext, digest, nil, nil, key, nil) == 1, setPadding(keyContext),
            EVP_DigestSign(signing, &signature, &count, message, message.count) == 1
        else { throw Unavailable() }
        signature.removeSubrange(count...)
    }

    deinit { EVP_PKEY_free(key) }

    private func setPadding(_ context: OpaquePointer?) -> Bool {
        !isRSA || EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, 32) == 1
    }

    func isGood() -> Bool {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        return EVP_DigestVerifyInit_ex(context, &keyContext, digest, nil, nil, key, nil) == 1 && setPadding(keyContext)
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

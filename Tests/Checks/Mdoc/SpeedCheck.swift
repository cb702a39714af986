import COpenSSL
import Cryptography
import JSON
import Mdoc

/// How long the verification of an accepted response takes, against a floor that libcrypto alone has: SHA-256 over the same octets, two
/// signatures with P-256, the issuer's and the device's, and the signer's certificate, read and checked with its root's key.
enum SpeedCheck {
    private static let rounds = 51

    static func run(_ file: JSONValue) -> Int32 {
        var ratios: [(name: String, octets: Int, microseconds: Double, ratio: Double)] = []
        for sample in MutantSample.all(of: file) where sample.result.documents.count == 1 {
            // A MAC is no signature.
            guard sample.result.documents[0].deviceAuthentication == .signature, let floor = SignaturesAndChain(sample) else { continue }
            var ours: [Double] = [], theirs: [Double] = [], isGood = true
            for _ in 0..<rounds {
                ours.append(microseconds { if case .response = sample.outcome(sample.response) {} else { isGood = false } })
                theirs.append(microseconds { if !floor.areGood(sample.response) { isGood = false } })
            }
            guard isGood else { return 1 }
            let (mine, least) = (ours.sorted()[rounds / 2], theirs.sorted()[rounds / 2])
            ratios.append((sample.input.name, sample.response.count, mine, mine / least))
        }
        guard !ratios.isEmpty else { return 2 }
        ratios.sort { $0.ratio < $1.ratio }
        print("mdoc verification, \(ratios.count) responses that a device signed, times SHA-256, two signatures and a chain by libcrypto:")
        for (word, place) in [("least", 0), ("median", ratios.count / 2), ("most", ratios.count - 1)] {
            let each = ratios[place]
            print("  \(word) \(hundredths(each.ratio)): \(each.name), \(each.octets) octets, \(Int(each.microseconds)) us")
        }
        return 0
    }

    private static func hundredths(_ value: Double) -> String {
        let whole = Int((value * 100).rounded())
        return "\(whole / 100).\(whole % 100 / 10)\(whole % 10)"
    }

    private static func microseconds(_ body: () -> Void) -> Double {
        let time = ContinuousClock().measure(body)
        return Double(time.components.seconds) * 1e6 + Double(time.components.attoseconds) / 1e12
    }
}

/// Checks of two signatures and a certificate straight by libcrypto; the signatures' key is made here.
private final class SignaturesAndChain {
    private let key: OpaquePointer
    private let root: OpaquePointer
    private let signer: [UInt8]
    private let message = [UInt8](repeating: 7, count: 64)
    private var signature = [UInt8](repeating: 0, count: 128)

    /// Nil where the sample's signer has another kind of key, or none of its roots is of the signer.
    init?(_ sample: MutantSample) {
        guard let place = sample.parts[0].certificate, let issuer = sample.result.documents[0].issuer,
            let found = sample.input.trust.roots.first(where: { $0.fingerprint == issuer.fingerprint }),
            let der = try? found.certificate.der(), let root = Self.certificate(der)
        else { return nil }
        self.root = root
        // Behind the head of the byte string, which says its length in two octets, or in one.
        let string = sample.response[place]
        signer = Array(string.dropFirst(string.first == 0x59 ? 3 : 2))
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { return nil }
        key = made
        let signing = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(signing) }
        var count = signature.count
        guard EVP_DigestSignInit_ex(signing, nil, "SHA256", nil, nil, key, nil) == 1,
            EVP_DigestSign(signing, &signature, &count, message, message.count) == 1
        else { return nil }
        signature.removeSubrange(count...)
        guard let certificate = Self.certificate(signer) else { return nil }
        defer { X509_free(certificate) }
        // A point of P-256, uncompressed, has 256 bits.
        guard EVP_PKEY_get_bits(X509_get0_pubkey(certificate)) == 256 else { return nil }
    }

    deinit {
        EVP_PKEY_free(key)
        X509_free(root)
    }

    private static func certificate(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { octets in
            var start = octets.baseAddress
            return d2i_X509(nil, &start, octets.count)
        }
    }

    func areGood(_ octets: [UInt8]) -> Bool {
        guard (try? Digest.sha256(octets.span)) != nil, let certificate = Self.certificate(signer) else { return false }
        defer { X509_free(certificate) }
        guard X509_get0_pubkey(certificate) != nil, X509_verify(certificate, X509_get0_pubkey(root)) == 1 else { return false }
        for _ in 0..<2 {
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            guard EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1,
                EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
            else { return false }
        }
        return true
    }
}

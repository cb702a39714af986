import Cryptography

/// The ways of signing this verifier knows (credentials.md section 3.3).
package enum LinkedProofSuite: Hashable, Sendable, CaseIterable {
    case rsaSignature2018, ed25519Signature2018, ecdsaSecp256k1Signature2019, jsonWebSignature2020
    case ed25519Signature2020, ecdsaSecp256r1Signature2019
    case eddsaRDFC2022, ecdsaRDFC2019, eddsaJCS2022, ecdsaJCS2019

    /// How the signature is written down.
    package enum Notation: Hashable, Sendable {
        /// `jws`: RFC 7797, `header..signature`.
        case detachedJWS
        /// `proofValue`: `z` and base58btc.
        case multibase
    }

    /// What document and options are turned into before they are hashed.
    package enum Transformation: Hashable, Sendable {
        /// RDFC-1.0.
        case dataset
        /// RFC 8785.
        case canonicalJSON
    }

    /// `type` of the proof.
    package var typeName: String {
        switch self {
        case .rsaSignature2018: "RsaSignature2018"
        case .ed25519Signature2018: "Ed25519Signature2018"
        case .ecdsaSecp256k1Signature2019: "EcdsaSecp256k1Signature2019"
        case .jsonWebSignature2020: "JsonWebSignature2020"
        case .ed25519Signature2020: "Ed25519Signature2020"
        case .ecdsaSecp256r1Signature2019: "EcdsaSecp256r1Signature2019"
        case .eddsaRDFC2022, .ecdsaRDFC2019, .eddsaJCS2022, .ecdsaJCS2019: "DataIntegrityProof"
        }
    }

    /// `cryptosuite` of the proof; nil for the suites before Data Integrity, which have none.
    package var cryptosuiteName: String? {
        switch self {
        case .eddsaRDFC2022: "eddsa-rdfc-2022"
        case .ecdsaRDFC2019: "ecdsa-rdfc-2019"
        case .eddsaJCS2022: "eddsa-jcs-2022"
        case .ecdsaJCS2019: "ecdsa-jcs-2019"
        case .rsaSignature2018, .ed25519Signature2018, .ecdsaSecp256k1Signature2019, .jsonWebSignature2020, .ed25519Signature2020,
            .ecdsaSecp256r1Signature2019:
            nil
        }
    }

    /// What the suite is called in a trust file and in results.
    package var name: String { cryptosuiteName ?? typeName }

    package var isDataIntegrity: Bool { cryptosuiteName != nil }

    package var notation: Notation {
        switch self {
        case .rsaSignature2018, .ed25519Signature2018, .ecdsaSecp256k1Signature2019, .jsonWebSignature2020: .detachedJWS
        case .ed25519Signature2020, .ecdsaSecp256r1Signature2019, .eddsaRDFC2022, .ecdsaRDFC2019, .eddsaJCS2022, .ecdsaJCS2019: .multibase
        }
    }

    package var transformation: Transformation {
        switch self {
        case .eddsaJCS2022, .ecdsaJCS2019: .canonicalJSON
        case .rsaSignature2018, .ed25519Signature2018, .ecdsaSecp256k1Signature2019, .jsonWebSignature2020, .ed25519Signature2020,
            .ecdsaSecp256r1Signature2019, .eddsaRDFC2022, .ecdsaRDFC2019:
            .dataset
        }
    }

    /// One table against algorithm confusion; whether the key fits the algorithm is `SignatureAlgorithm.fits`.
    package var algorithms: Set<SignatureAlgorithm> {
        switch self {
        case .rsaSignature2018: [.ps256, .rs256]
        case .ed25519Signature2018, .ed25519Signature2020, .eddsaRDFC2022, .eddsaJCS2022: [.edDSA]
        case .ecdsaSecp256k1Signature2019: [.es256k]
        case .ecdsaSecp256r1Signature2019: [.es256]
        case .jsonWebSignature2020: [.edDSA, .es256, .es384, .es256k, .ps256]
        case .ecdsaRDFC2019, .ecdsaJCS2019: [.es256, .es384]
        }
    }

    /// The one algorithm of `key` in this suite; for a JWS its header names the algorithm. Nil where the key does not belong to the suite.
    package func algorithm(for key: PublicKey) -> SignatureAlgorithm? {
        let fitting = algorithms.filter { $0.fits(key.kind) }
        return fitting.count == 1 ? fitting.first : nil
    }

    /// P-384 hashes with SHA-384, inside RDFC-1.0 too (Data Integrity ECDSA Cryptosuites section 3.2); everything else with SHA-256,
    /// JsonWebSignature2020 with ES384 too (its section 2: the suite's message digest is SHA-256, and the algorithm hashes once more).
    package func digest(for key: PublicKey) -> DigestAlgorithm {
        isDataIntegrity && key.kind == .p384 ? .sha384 : .sha256
    }
}

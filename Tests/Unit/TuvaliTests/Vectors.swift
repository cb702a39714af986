import Foundation
import TestSupport

/// Exchanges recorded from the real wallet and verifier code (`Tests/Support/Vectors/tuvali.json`).
struct Vectors: Decodable, Sendable {
    struct Checksum: Decodable, Sendable {
        var data: String
        var crc: String
    }

    struct Code: Decodable, Sendable {
        var uri: String
        var name: String
        var key: String
        var service_data_0001: String
        var adv_ind: String
        var adv_len: Int
        var scan_rsp: String
    }

    struct Derivation: Decodable, Sendable {
        var shared: String
        var salt_ascii: String
        var SKWallet: String
        var SKVerifier: String
    }

    struct Report: Decodable, Sendable {
        var att_mtu: UInt16
        var max_data: Int
        var page_size: Int
        var missing: [Int]
        var report: String
        var pages: Int
        var listed: Int
    }

    struct Threshold: Decodable, Sendable {
        var total: Int
        var max_missing_that_still_gets_a_report: Int
        var reference_double_math: Int
    }

    struct ParsedURI: Decodable, Sendable {
        var uri: String
        var accepted_by_ios_wallet: Bool
        var name: String
    }

    struct SentReport: Decodable, Sendable {
        var missing: [Int]
        var report: String
    }

    struct LossRun: Decodable, Sendable {
        var name: String
        /// Retry round (0 is the first pass) to sequence numbers.
        var dropped: [String: [Int]]
        var corrupted: [String: [Int]]
        var reports: [SentReport]
        var crc_failures: UInt32
        var verifier_error: String?
        var result_ok: Bool
    }

    struct Transfer: Decodable, Sendable {
        var att_mtu: UInt16
        var max_data: Int
        var payload_per_chunk: Int
        var total_chunks: Int
        var chunks: [String]
        var loss_runs: [LossRun]
    }

    struct Session: Decodable, Sendable {
        var name: String
        var verifier_sk: String
        var verifier_pk: String
        var wallet_pk: String
        var nonce: String
        var uri: String
        var adv_ind: String
        var scan_rsp: String
        var shared_secret: String
        var verifier_key_SKVerifier: String
        var wallet_key_SKWallet: String
        var identify: String
        var plaintext_utf8: String
        var ciphertext: String
        var response_size: String
        var transfers: [Transfer]
    }

    var crc16_kermit: [Checksum]
    var uri: [Code]
    var hkdf: Derivation
    var reports: [Report]
    var threshold_70: [Threshold]
    var uri_parse: [ParsedURI]
    var sessions: [Session]

    static let all: Vectors = {
        let file = URL(fileURLWithPath: Repository.root + "/Tests/Support/Vectors/tuvali.json")
        do {
            return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        } catch {
            fatalError("\(file.path): \(error)")
        }
    }()
}

func octets(_ hex: String) -> [UInt8] { Hex.bytes(hex) }

func array(_ span: borrowing Span<UInt8>) -> [UInt8] { (0..<span.count).map { span[$0] } }

import CBOR
import COpenSSL

/// A COSE_Encrypt0 made to order (RFC 9052 section 5.2).
struct TestSealed {
    static let kid: [UInt8] = Array("content".utf8)

    var key = [UInt8](repeating: 7, count: 32)
    var kid: [UInt8]? = Self.kid
    /// RFC 9053 section 4.1; what the key's length says.
    var algorithm: Int64?
    var isAlgorithmProtected = true
    var nonce: [UInt8]? = Array(1...12)
    var partialNonce: [UInt8]?
    var tags: [UInt64] = [16]

    init(_ change: (inout TestSealed) -> Void = { _ in }) { change(&self) }

    func message(_ plain: [UInt8]) throws -> [UInt8] {
        let numbers: [Int: Int64] = [16: 1, 24: 2, 32: 3]
        let number = algorithm ?? numbers[key.count] ?? 0
        let protected = try CBORWriter.encode { $0.map { map in if isAlgorithmProtected { map.entry(1) { $0.integer(number) } } } }
        let additional = try CBORWriter.encode {
            $0.array {
                $0.text("Encrypt0")
                $0.bytes(isAlgorithmProtected ? protected : [])
                $0.bytes([])
            }
        }
        let ciphertext = seal(plain, additional)
        return try CBORWriter.encode { writer in
            for tag in tags { writer.tag(tag) }
            writer.array {
                $0.bytes(protected)
                $0.map { map in
                    if !isAlgorithmProtected { map.entry(1) { $0.integer(number) } }
                    if let kid { map.entry(4) { $0.bytes(kid) } }
                    if let nonce { map.entry(5) { $0.bytes(nonce) } }
                    if let partialNonce { map.entry(6) { $0.bytes(partialNonce) } }
                }
                $0.bytes(ciphertext)
            }
        }
    }

    private func seal(_ plain: [UInt8], _ additional: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new(), cipher = EVP_CIPHER_fetch(nil, "AES-\(key.count * 8)-GCM", nil)
        defer {
            EVP_CIPHER_CTX_free(context)
            EVP_CIPHER_free(cipher)
        }
        var sealed = [UInt8](repeating: 0, count: plain.count), tag = [UInt8](repeating: 0, count: 16), length: Int32 = 0
        // libcrypto reads twelve octets, however many there are.
        let padded = Array(((nonce ?? []) + [UInt8](repeating: 0, count: 12)).prefix(12))
        precondition(EVP_EncryptInit_ex2(context, cipher, key, padded, nil) == 1)
        precondition(EVP_EncryptUpdate(context, nil, &length, additional, Int32(additional.count)) == 1)
        precondition(EVP_EncryptUpdate(context, &sealed, &length, plain, Int32(plain.count)) == 1)
        precondition(EVP_EncryptFinal_ex(context, &tag, &length) == 1)
        precondition(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1)
        return sealed + tag
    }
}

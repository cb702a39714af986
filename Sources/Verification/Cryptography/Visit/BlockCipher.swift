import COpenSSL

/// AES-128 of one block, Bluetooth's security function *e* (Core Vol 3 Part H 2.2.1): octets most significant first, as in FIPS 197.
///
/// One context, made at start and reused; its key schedule is overwritten after each block.
public struct BlockCipher: ~Copyable {
    public typealias Block = InlineArray<16, UInt8>

    private let context: OpaquePointer

    /// Throws `unavailable`.
    public init() throws(CryptographyError) {
        guard let cipher = Library.shared.aes128ECB, let context = EVP_CIPHER_CTX_new() else { throw Library.failure(.unavailable) }
        guard EVP_EncryptInit_ex2(context, cipher, nil, nil, nil) == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw Library.failure(.unavailable)
        }
        self.context = context
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
    }

    /// `block` encrypted with `key`. Throws `unavailable`.
    public mutating func encrypt(_ block: Block, key: Block) throws(CryptographyError) -> Block {
        defer { forgetKey() }
        var result = Block(repeating: 0)
        var output = result.mutableSpan
        let isDone = key.span.withUnsafeBufferPointer { key in
            block.span.withUnsafeBufferPointer { block in
                output.withUnsafeMutableBufferPointer { output in
                    var written: Int32 = 0
                    return EVP_EncryptInit_ex2(context, nil, key.baseAddress, nil, nil) == 1
                        && EVP_EncryptUpdate(context, output.baseAddress, &written, block.baseAddress, 16) == 1 && written == 16
                }
            }
        }
        guard isDone else { throw Library.failure(.unavailable) }
        return result
    }

    private func forgetKey() {
        let zero = Block(repeating: 0)
        _ = zero.span.withUnsafeBufferPointer { EVP_EncryptInit_ex2(context, nil, $0.baseAddress, nil, nil) }
    }
}

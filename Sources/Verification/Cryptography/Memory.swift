import COpenSSL

/// Overwrites `buffer` with zeros in a way the optimiser may not remove.
public func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress, !buffer.isEmpty else { return }
    OPENSSL_cleanse(start, buffer.count)
}

/// Overwrites an array's elements with zeros. Copies made elsewhere are not reached: prefer `Secret` for keys.
public func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { wipe($0) }
}

/// Overwrites an inline array's elements with zeros.
public func wipe<let count: Int>(_ bytes: inout InlineArray<count, UInt8>) {
    withUnsafeMutableBytes(of: &bytes) { wipe($0) }
}

/// Whether two byte strings are equal, in time that depends on their lengths only.
public func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    if left.isEmpty { return true }
    return left.withUnsafeBufferPointer { left in
        right.withUnsafeBufferPointer { right in
            CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

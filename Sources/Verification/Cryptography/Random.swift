import COpenSSL

/// Bytes from libcrypto's random generator, which the kernel seeds.
public enum Random {
    /// Fills `buffer`. Throws `noRandomness`; the buffer is then all zero and must not be used.
    public static func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
        guard let start = buffer.baseAddress, !buffer.isEmpty else { return }
        _ = Library.shared
        guard let count = Int32(exactly: buffer.count),
            RAND_bytes(start.assumingMemoryBound(to: UInt8.self), count) == 1
        else {
            wipe(buffer)
            throw Library.failure(.noRandomness)
        }
    }

    /// `count` random bytes. Throws `noRandomness`, and `wrongLength` for a negative count.
    public static func bytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
        guard count >= 0 else { throw .wrongLength }
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = bytes.withUnsafeMutableBytes { buffer -> Bool in
            do throws(CryptographyError) {
                try fill(buffer)
                return true
            } catch {
                return false
            }
        }
        guard filled else { throw .noRandomness }
        return bytes
    }

    /// A random inline array, for nonces and addresses on the visit path. Allocates nothing. Throws `noRandomness`.
    public static func array<let count: Int>() throws(CryptographyError) -> InlineArray<count, UInt8> {
        var array = InlineArray<count, UInt8>(repeating: 0)
        var bytes = array.mutableSpan
        try bytes.withUnsafeMutableBytes { (buffer) throws(CryptographyError) in try fill(buffer) }
        return array
    }
}

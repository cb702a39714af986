import Cryptography

/// What libcrypto computes with numbers that were checked: it fails for want of memory only, which is the gate's fault. Throws
/// `unavailable`.
func available<Value: ~Copyable>(_ body: () throws(CryptographyError) -> Value) throws(PresentationReason) -> Value {
    do throws(CryptographyError) { return try body() } catch { throw .unavailable }
}

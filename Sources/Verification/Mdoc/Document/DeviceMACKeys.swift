import CBOR
import Cryptography

/// Who holds the gate's ephemeral key of the session, and derives from it what a device's MAC is made with (mdoc.md section 6).
public protocol DeviceMACKeys: ~Copyable {
    /// EMacKey for a device's key, 32 octets. Throws `algorithmMismatch` for a key of another curve than the session's, `keyForgotten`,
    /// `unavailable`.
    borrowing func deviceMACKey(for deviceKey: CurvePoint) throws(CryptographyError) -> Secret
}

extension ReaderSession: DeviceMACKeys {}

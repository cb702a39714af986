import Glibc
import Relay

extension OutletSettings {
    /// Paths of our own certificate and its key: both, or none. The key is a secret like a password.
    mutating func ownCertificate() throws(OutletSettingsError) -> (certificate: String, key: String)? {
        let certificate = try optionalPath("certificate"), key = try optionalPath("key")
        guard (certificate == nil) == (key == nil) else { throw .conflict("certificate", "key") }
        guard let certificate, let key else { return nil }
        var facts = stat()
        guard stat(key, &facts) == 0 else { throw .unreadable(key, errno: errno) }
        guard facts.st_mode & 0o007 == 0 else { throw .secretForAll(key) }
        return (certificate, key)
    }
}

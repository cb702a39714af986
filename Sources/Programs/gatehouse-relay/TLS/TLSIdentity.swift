import CTLS
import Relay

/// Whom an outlet believes, and who it is: files in PEM, read when it is made and not again.
final class TLSIdentity {
    let context: OpaquePointer

    /// - Parameters:
    ///   - authorities: a file; nil for the system's.
    ///   - certificate: a file with a chain, and `key` that of its private key; nil for none.
    init(authorities: String?, certificate: String?, key: String?) throws(OutletTrouble) {
        var fault: Int32 = 0
        guard let context = gatehouse_tls_context_new(authorities, certificate, key, &fault) else {
            switch UInt32(bitPattern: fault) {
            case TLS_FAULT_AUTHORITIES.rawValue: throw OutletTrouble(.system, "authorities cannot be read", pause: .minute)
            case TLS_FAULT_CERTIFICATE.rawValue: throw OutletTrouble(.system, "certificate or key cannot be read", pause: .minute)
            case TLS_FAULT_KEY.rawValue: throw OutletTrouble(.system, "the key is not the certificate's", pause: .minute)
            default: throw OutletTrouble(.system, "no memory")
            }
        }
        self.context = context
    }

    deinit { gatehouse_tls_context_free(context) }
}

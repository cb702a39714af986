import Credentials
import Cryptography

/// The certificates that updates of the system are verified by. The gate does not verify with them: it says in time that they end.
public struct UpdateRoot: Sendable {
    /// Where an image has them.
    public static let usualPath = "/etc/gatehouse/update.pem"
    /// Octets of the file.
    public static let longest = 1 << 20

    /// When no update can come any more. Before, one with newer certificates has to.
    public let end: TrustEnd

    /// - Parameter pem: one certificate or several; the one that ends last counts.
    public init(_ pem: [UInt8]) throws(CryptographyError) {
        var last: Seconds = .min
        for certificate in try Certificate.all(inPEM: pem) { last = max(last, try certificate.validity().upperBound) }
        end = TrustEnd(part: .updateRoot, time: last + 1)
    }
}

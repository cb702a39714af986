import Credentials
import Cryptography
import Envelopes

/// The certificates that updates of the system are verified by. The gate does not verify with them: it says in time that they end.
///
/// What they sign updates with may end before them; the gate does not have it.
public struct UpdateRoot: Sendable {
    /// Where an image has them.
    public static let usualPath = "/etc/gatehouse/update.pem"
    /// Octets of the file.
    public static let longest = 1 << 20

    /// When each is valid, in seconds since 1970, the last second included; never empty.
    private let validities: [ClosedRange<Seconds>]

    /// - Parameter pem: one certificate or several; the one that ends last counts.
    public init(_ pem: [UInt8]) throws(CryptographyError) {
        var validities: [ClosedRange<Seconds>] = []
        for certificate in try Certificate.all(inPEM: pem) { validities.append(try certificate.validity()) }
        self.validities = validities
    }

    /// When no update can come any more. Before, one with newer certificates has to.
    public var end: TrustEnd { TrustEnd(part: .updateRoot, time: (validities.map(\.upperBound).max() ?? .min) + 1) }

    /// When the first of those that have not ended begins to be valid; nil where one is.
    public func beginning(after now: Seconds) -> Seconds? {
        validities.contains { $0.contains(now) } ? nil : validities.filter { $0.lowerBound > now }.map(\.lowerBound).min()
    }
}

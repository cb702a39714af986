import Cryptography

/// A reader's key in a file, with the certificates that say whose it is.
public struct ReaderKey: ReaderSigner, Sendable {
    /// The reader's certificate, one above it and the root. Every request carries them once for each document.
    public static let mostCertificates = 3

    public let certificates: [[UInt8]]
    private let key: CurveSigningKey

    /// - Parameters:
    ///   - pem: "PRIVATE KEY" or "EC PRIVATE KEY", not encrypted.
    ///   - certificates: a PEM text with the key's certificate first, and those above it.
    public init(pem: Span<UInt8>, certificates: [UInt8]) throws(ReaderKeyError) {
        do throws(CryptographyError) {
            key = try CurveSigningKey(pem: pem)
        } catch {
            throw error == .unsupportedKey ? .keyUnsupported : .keyMalformed
        }
        let chain: [Certificate]
        do throws(CryptographyError) {
            chain = try Certificate.all(inPEM: certificates)
            self.certificates = try chain.map { (certificate) throws(CryptographyError) in try certificate.der() }
        } catch {
            throw .certificatesMalformed
        }
        guard let own = chain.first, chain.count <= Self.mostCertificates else { throw .certificatesMalformed }
        guard key.isKey(of: own) else { throw .certificateOfAnotherKey }
    }

    /// - Parameters:
    ///   - pem: "PRIVATE KEY" or "EC PRIVATE KEY", not encrypted.
    ///   - chains: of one reader each; the key's own is taken, of several the one that ends last.
    public init(pem: Span<UInt8>, chains: [ReaderCertificate]) throws(ReaderKeyError) {
        do throws(CryptographyError) {
            key = try CurveSigningKey(pem: pem)
        } catch {
            throw error == .unsupportedKey ? .keyUnsupported : .keyMalformed
        }
        let own = key
        let found = chains.filter { $0.chain.first.map { own.isKey(of: $0) } ?? false }
        // A certificate is renewed for the same key, and the bundle has both for a while, in no order of time.
        guard let chain = found.max(by: { ($0.validity?.upperBound ?? Int64.min) < ($1.validity?.upperBound ?? Int64.min) }) else {
            throw .certificateOfAnotherKey
        }
        do throws(CryptographyError) {
            certificates = try chain.chain.map { (certificate) throws(CryptographyError) in try certificate.der() }
        } catch {
            throw .certificatesMalformed
        }
    }

    public var curve: NISTCurve { key.curve }

    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] { try key.sign(message) }
}

import Cryptography
import Envelopes

/// `x509` of a trust file: which certificates an issuer's keys may come from.
struct IssuerCertificates {
    private(set) var roots: [Certificate] = []
    private(set) var names: [String] = []
    private(set) var extendedKeyUsages = Self.defaultUsages

    /// Document signing (RFC 9336), and any (RFC 5280 section 4.2.1.12). A web server's certificate has neither, whatever root it is under.
    private static let defaultUsages = ["1.3.6.1.5.5.7.3.36", "2.5.29.37.0"]
    /// Longer than any identifier that is registered; certificates are asked for no longer ones.
    private static let longestIdentifier = 100

    /// Of an issuer without `x509`.
    init() {}

    init(_ member: TrustMember) throws(TrustError) {
        let found = try member.object(known: ["roots", "names", "extendedKeyUsages"])
        for element in try found.required("roots", of: member).list() {
            guard let der = PEMCertificate.decode(try element.text()) else { throw element.fault(.malformedCertificate) }
            do throws(CryptographyError) {
                roots.append(try Certificate(der.span))
            } catch {
                throw element.fault(.malformedCertificate)
            }
        }
        if let member = found["names"] { names = try member.texts() }
        guard let usages = found["extendedKeyUsages"] else { return }
        extendedKeyUsages = try usages.texts()
        for element in try usages.list() where !Self.isIdentifier(try element.text()) { throw element.fault(.wrongValue) }
    }

    /// Whether the text is an object identifier in the one dotted form it has (X.660): a misspelt one would match nothing, silently.
    static func isIdentifier(_ text: String) -> Bool {
        let arcs = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= longestIdentifier, arcs.count >= 2 else { return false }
        for arc in arcs {
            guard let first = arc.first, arc.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
            guard first != UInt8(ascii: "0") || arc.count == 1 else { return false }
        }
        guard arcs[0].count == 1, let root = arcs[0].first, root <= UInt8(ascii: "2") else { return false }
        guard root < UInt8(ascii: "2") else { return true }
        return arcs[1].count == 1 || (arcs[1].count == 2 && arcs[1].first.map { $0 < UInt8(ascii: "4") } ?? false)
    }
}

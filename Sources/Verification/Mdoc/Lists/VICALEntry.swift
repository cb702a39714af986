import CBOR
import Cryptography
import Envelopes

/// One of a list's `certificateInfos` (mdoc.md section 6.2): a certificate, and the documents it vouches for. Everything else that an entry
/// says of its certificate is a hint; serial number and key identifier have to be the certificate's, the others are not looked at.
struct VICALEntry {
    /// DER.
    let certificate: [UInt8]
    let docTypes: [String]
    private let serialNumber: [UInt8]
    private let keyIdentifier: [UInt8]

    private static let bignumTag: UInt64 = 2

    init(_ item: CBORItem) throws(VICALEntryFault) {
        let texts: [CBORItem]
        do throws(CBORError) {
            certificate = try item.member("certificate").require(\.bytes)
            serialNumber = try Self.number(item.member("serialNumber"))
            keyIdentifier = try item.member("ski").require(\.bytes)
            texts = try item.member("docType").require(\.elements)
        } catch {
            throw .malformed
        }
        guard 1...VICALLimits.docTypes ~= texts.count else { throw .docTypes }
        docTypes = try Self.distinct(texts)
    }

    /// An entry's certificate as it was received, whatever else is wrong with the entry.
    static func certificate(of item: CBORItem) -> [UInt8]? { item.kind == .map ? item["certificate"]?.bytes : nil }

    /// A bignum, or the integer that RFC 8949 section 3.4.3 prefers to a small one, without leading zeros.
    private static func number(_ item: CBORItem) throws(CBORError) -> [UInt8] {
        if let small = item.uint64 {
            return (0..<8).map { UInt8(truncatingIfNeeded: small >> (56 - 8 * UInt64($0))) }.drop { $0 == 0 }.map { $0 }
        }
        guard let octets = item.content(of: bignumTag)?.bytes else { throw item.fault(.wrongType) }
        return Array(octets.drop { $0 == 0 })
    }

    private static func distinct(_ texts: [CBORItem]) throws(VICALEntryFault) -> [String] {
        var distinct: [String] = []
        for item in texts {
            guard let text = item.text, 1...VICALLimits.text ~= text.utf8.count else { throw .malformed }
            if !distinct.contains(where: { $0.isExactly(text) }) { distinct.append(text) }
        }
        return distinct
    }

    /// The root that the entry is about. Throws `root` for a certificate that breaks a hard rule of the profile, `serialNumber` and
    /// `keyIdentifier` where the entry speaks of another certificate.
    func root() throws(VICALEntryFault) -> IssuerRoot {
        let root = try Self.root(certificate, docTypes)
        guard root.certificate.serialNumber == serialNumber else { throw .serialNumber }
        let stated = root.certificate.subjectKeyIdentifier, computed = try? root.certificate.computedKeyIdentifier()
        guard keyIdentifier == (stated ?? computed) else { throw .keyIdentifier }
        return root
    }

    static func root(_ certificate: [UInt8], _ docTypes: [String]) throws(VICALEntryFault) -> IssuerRoot {
        do throws(RootFault) {
            return try IssuerRoot(certificate.span, docTypes: docTypes)
        } catch {
            throw .root(error)
        }
    }
}

import CBOR
import Cryptography
import Envelopes

/// A status token that an authority under the document's root signed, that is about the address asked for, and that is not over
/// (mdoc.md section 6.3). Any doubt is `nil`: it says nothing, neither good nor revoked.
struct StatusListToken {
    enum Claim {
        static let subject: Int64 = 2, expires: Int64 = 4, issuedAt: Int64 = 6
        static let identifierList: Int64 = 65530, statusList: Int64 = 65533, timeToLive: Int64 = 65534
    }

    enum Kind {
        case statusList, identifierList

        /// `typ` (Token Status List section 5.2), as media type and as issuers abbreviate it.
        fileprivate var types: [String] {
            let status = ["application/statuslist+cwt", "statuslist+cwt"]
            return self == .statusList ? status : ["application/identifierlist+cwt", "identifierlist+cwt"] + status
        }
    }

    /// Compressed, a list of some million documents; an identifier list is not compressed.
    private static let longest = 4 << 20
    /// An identifier list has two items for each document withdrawn.
    static let options = CBOROptions(form: .wellFormed, allowsIndefinite: true, bytes: longest, depth: 32, items: 400_000)

    private let claims: CBORItem
    /// Seconds since it was signed.
    let age: Seconds?
    /// Seconds since it should have been replaced, by its own word; nil where it says nothing, and before.
    let staleness: Seconds?

    /// - Parameters:
    ///   - roots: one of which vouches for the document.
    ///   - certificate: DER of another certificate that the issuer allows to be above the signer.
    init?(
        _ token: MdocTrust.StatusToken, _ kind: Kind, under roots: [IssuerRoot], or certificate: [UInt8]?, at now: Seconds
    ) {
        guard let root = try? CBORDocument(parsing: token.octets, options: Self.options).root,
            let signed = try? MdocCOSE(root, .sign1, options: Self.options), let payload = signed.payload,
            kind.types.contains(where: { signed.type?.isText($0) == true }),
            let der = signed.certificates.first, let signer = try? DocumentSigner(der), let key = signer.key, signer.validity.contains(now),
            Self.isBelieved(signer, roots, certificate, at: now), signed.isSigned(by: key, over: payload),
            let claims = try? CBORDocument(parsing: payload, options: Self.options).root,
            claims[Claim.subject]?.isText(token.uri) == true
        else { return nil }
        let times = Self.times(claims)
        guard let times, times.expires.map({ now < $0 }) ?? true else { return nil }
        self.claims = claims
        age = times.issuedAt.map { now.since($0) }
        staleness = times.issuedAt.flatMap { issued in
            times.timeToLive.flatMap { life in issued.later(by: life) < now ? now.since(issued.later(by: life)) : nil }
        }
    }

    /// Directly under a root, as every signer of an mdoc, or by the certificate that the issuer's own signature names.
    private static func isBelieved(_ signer: DocumentSigner, _ roots: [IssuerRoot], _ certificate: [UInt8]?, at now: Seconds) -> Bool {
        for root in roots.filter({ $0.validity.contains(now) }).map(\.certificate) {
            if root.isNamedAsIssuer(of: signer.certificate) && root.hasSigned(signer.certificate) { return true }
        }
        guard let certificate, let named = try? Certificate(certificate.span), (try? named.validity())?.contains(now) == true else {
            return false
        }
        if named.isSame(as: signer.certificate) { return true }
        return named.isAuthority && named.isNamedAsIssuer(of: signer.certificate) && named.hasSigned(signer.certificate)
    }

    /// Nil where one of them is no number.
    static func times(_ claims: CBORItem) -> (expires: Seconds?, issuedAt: Seconds?, timeToLive: Seconds?)? {
        var found: [Seconds?] = []
        for claim in [Claim.expires, Claim.issuedAt, Claim.timeToLive] {
            guard let item = claims[claim] else {
                found.append(nil)
                continue
            }
            guard let seconds = item.int64 ?? item.float.flatMap({ Seconds(exactly: $0.double.rounded(.down)) }) else { return nil }
            found.append(seconds)
        }
        return (found[0], found[1], found[2])
    }

    /// The entry's value: 0 good, 1 revoked, 2 suspended; nil where there is none of that number.
    func value(at index: UInt64) -> UInt8? {
        guard let list = claims[Claim.statusList], let bits = list["bits"]?.uint64, let compressed = list["lst"]?.bytes else { return nil }
        return StatusListBits.value(at: index, bits: bits, compressed)
    }

    /// Whether the list has the identifier; nil where there is no list.
    func has(_ identifier: [UInt8]) -> Bool? {
        guard let list = claims[Claim.identifierList]?["identifiers"]?.pairs else { return nil }
        return list.contains { $0.key.bytes == identifier }
    }
}

import CBOR
import Cryptography
import Envelopes

/// A CBOR Web Token signed with COSE_Sign1 (RFC 8392 section 7), taken apart. Its claims exist only once a key has verified them.
struct CWT {
    static let tag: UInt64 = 61
    static let options = CBOROptions(bytes: 4 << 20)

    let signed: COSESign1
    /// `iss` as stated, to find the key with and for nothing else.
    let statedIssuer: String?
    private let payload: CBORItem

    /// The `typ` of a status list (Token Status List section 5.2).
    static let statusListType = "application/statuslist+cwt"

    /// Whether it says in any way that it is a status list.
    var isStatusList: Bool { signed.header.type?.isText(Self.statusListType) == true || payload[CWTClaims.Label.statusList] != nil }

    /// - Parameters:
    ///   - message: octets, or the same as hexadecimal text without white space: Inji writes its CWTs so.
    ///   - mayLackTag: whether an array without any tag is one: it came from where nothing else is an array (pixelpass.md section 2, step
    ///     4).
    init(_ message: [UInt8], mayLackTag: Bool = false) throws(RejectReason) {
        do throws(COSEError) {
            let root = try CWT.root(CWT.octets(message))
            // RFC 8392 section 6: under tag 61 the COSE tag is a must, and without any tag nothing says what this is.
            let token = root.content(of: CWT.tag) ?? root
            guard token.tag == COSESign1.tag || (mayLackTag && root.kind == .array) else { throw .notASignature }
            signed = try COSESign1(token)
            let payload = signed.payload
            self.payload = try CBORItem.cose { () throws(CBORError) in
                let claims = try CBORDocument(parsing: payload, options: CWT.options).root
                guard claims.kind == .map else { throw claims.fault(.wrongType) }
                return claims
            }
        } catch {
            throw error.rejectReason
        }
        statedIssuer = payload[CWTClaims.Label.issuer]?.text
    }

    /// Octets as they are, hexadecimal text decoded. Throws `malformed` for what is neither, and what is too long.
    static func octets(_ message: [UInt8]) throws(COSEError) -> [UInt8] {
        guard message.count <= 2 * CWT.options.bytes else { throw .malformed(CBORError(.tooLong, at: CWT.options.bytes)) }
        // No tag this token begins with is a hexadecimal digit.
        guard let first = message.first, let octets = first >= 0x80 ? message : Hexadecimal.decode(message[...]) else {
            throw .malformed(CBORError(.truncated, at: 0))
        }
        return octets
    }

    static func root(_ octets: [UInt8]) throws(COSEError) -> CBORItem {
        try CBORItem.cose { () throws(CBORError) in try CBORDocument(parsing: octets, options: CWT.options).root }
    }

    /// The claims, if `key` signed them.
    func claims(signedBy key: PublicKey) throws(RejectReason) -> CWTClaims {
        do throws(COSEError) {
            try signed.verify(with: key)
        } catch {
            throw error.rejectReason
        }
        return try CWTClaims(payload)
    }
}

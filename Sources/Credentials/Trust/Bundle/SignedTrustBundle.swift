import CBOR
import Cryptography

/// A trust bundle as it travels: COSE_Sign (RFC 9052 section 4.1, tag 98) around the payload. Nothing in it is believed before `verify`.
public struct SignedTrustBundle: Sendable {
    /// What one signature is worth.
    public enum Standing: String, Hashable, Sendable {
        /// By a signer of the root.
        case valid
        /// Carries a signer's name, and that signer did not make it.
        case invalid
        /// By nobody the root knows.
        case unknown
    }

    public struct Signature: Hashable, Sendable {
        /// The signature's `kid`, as text for people: anything may stand in it.
        public let id: String
        public let standing: Standing
    }

    /// Signed along (RFC 9052 section 4.3): no signature over anything else can pass for one over a bundle.
    private static let externalAAD = Array("gatehouse trust bundle 1".utf8)
    private static let options = CBOROptions(form: .deterministic, bytes: TrustBundle.largest, depth: 16, items: 2000)

    /// The whole file.
    public let octets: [UInt8]
    private let message: COSESign

    /// - Parameter octets: the whole file. It has to be in the deterministic encoding.
    public init(_ octets: [UInt8]) throws(TrustBundleError) {
        guard octets.count <= TrustBundle.largest else { throw .tooLarge }
        let root = try TrustBundle.cbor { () throws(CBORError) in try CBORDocument(parsing: octets, options: Self.options).root }
        guard root.tag == COSESign.tag else { throw .notSigned }
        message = try Self.cose { () throws(COSEError) in try COSESign(root) }
        self.octets = octets
    }

    /// Signs a bundle for the first time. Throws `keyIDRefused`, `envelope`, `tooLarge`.
    public init(signing bundle: TrustBundle, as id: String, with key: borrowing SigningKey) throws(TrustBundleError) {
        let keyID = try Self.keyID(id)
        let payload = try bundle.encoded()
        try self.init(Self.cose { () throws(COSEError) in
            try COSESign.message(payload, keyID: keyID, key: key, externalAAD: Self.externalAAD)
        })
    }

    /// The same bundle with one signature more. Throws `keyIDRefused`, `alreadySigned`, `envelope`, `tooLarge`.
    public func signed(as id: String, with key: borrowing SigningKey) throws(TrustBundleError) -> SignedTrustBundle {
        let keyID = try Self.keyID(id)
        // Nobody should put a name to what cannot be installed anyway.
        _ = try TrustBundle(decoding: message.payload)
        guard !message.keyIDs.contains(keyID) else { throw .alreadySigned }
        return try SignedTrustBundle(Self.cose { () throws(COSEError) in
            try message.adding(keyID: keyID, key: key, externalAAD: Self.externalAAD)
        })
    }

    private static func keyID(_ id: String) throws(TrustBundleError) -> [UInt8] {
        guard 1...TrustRoot.longestID ~= id.utf8.count else { throw .keyIDRefused }
        return Array(id.utf8)
    }

    /// The bundle, if enough of the root's signers signed it. Says nothing about its time or its sequence.
    public func verify(_ root: TrustRoot) throws(TrustBundleError) -> TrustBundle {
        do throws(COSEError) {
            _ = try message.verify(threshold: root.threshold, signers: root.coseSigners, externalAAD: Self.externalAAD)
        } catch {
            throw error == .thresholdNotMet ? .thresholdNotMet : .envelope(error)
        }
        return try TrustBundle(decoding: message.payload)
    }

    // MARK: For people

    /// What the bundle says, for people to look at. Nobody may have signed it.
    public func unverified() throws(TrustBundleError) -> UnverifiedTrustBundle {
        UnverifiedTrustBundle(content: try TrustBundle(decoding: message.payload))
    }

    /// The names of the signers, as they say.
    public var signerIDs: [String] { message.keyIDs.map { String(decoding: $0 ?? [], as: UTF8.self) } }

    /// What each signature is worth under a root.
    public func signatures(_ root: TrustRoot) throws(TrustBundleError) -> [Signature] {
        let standings = try Self.cose { () throws(COSEError) in
            try message.standings(signers: root.coseSigners, externalAAD: Self.externalAAD)
        }
        return zip(signerIDs, standings).map { id, standing in
            switch standing {
            case .valid: Signature(id: id, standing: .valid)
            case .invalid: Signature(id: id, standing: .invalid)
            case .unknown: Signature(id: id, standing: .unknown)
            }
        }
    }

    private static func cose<Result>(_ body: () throws(COSEError) -> Result) throws(TrustBundleError) -> Result {
        do throws(COSEError) {
            return try body()
        } catch {
            throw error == .notASignature ? .notSigned : .envelope(error)
        }
    }
}

/// What a signed file says before anybody checked who signed it. To be shown, never to be used.
public struct UnverifiedTrustBundle: Hashable, Sendable {
    public let content: TrustBundle
}

import Cryptography

/// A trust bundle as it travels: COSE_Sign (RFC 9052 section 4.1, tag 98) around the payload. Nothing in it is believed before `verify`.
public struct SignedTrustBundle: Sendable {
    private let file: CosignedFile

    /// The whole file.
    public var octets: [UInt8] { file.octets }

    /// - Parameter octets: the whole file. It has to be in the deterministic encoding.
    public init(_ octets: [UInt8]) throws(TrustBundleError) {
        file = try Self.cosign { () throws(CosignError) in try CosignedFile(octets, .trustBundle) }
    }

    private init(_ file: CosignedFile) { self.file = file }

    /// Signs a bundle for the first time. Throws `keyIDRefused`, `envelope`, `tooLarge`.
    public init(signing bundle: TrustBundle, as id: String, with key: borrowing SigningKey) throws(TrustBundleError) {
        let payload = try bundle.encoded()
        do throws(CosignError) {
            file = try CosignedFile(signing: payload, .trustBundle, as: id, with: key)
        } catch {
            throw TrustBundleError(error)
        }
    }

    /// The same bundle with one signature more. Throws `keyIDRefused`, `alreadySigned`, `envelope`, `tooLarge`.
    public func signed(as id: String, with key: borrowing SigningKey) throws(TrustBundleError) -> SignedTrustBundle {
        // Nobody should put a name to what cannot be installed anyway.
        _ = try TrustBundle(decoding: file.unverified)
        do throws(CosignError) {
            return SignedTrustBundle(try file.signed(as: id, with: key))
        } catch {
            throw TrustBundleError(error)
        }
    }

    /// The bundle, if enough of the root's signers signed it. Says nothing about its time or its sequence.
    public func verify(_ root: TrustRoot) throws(TrustBundleError) -> TrustBundle {
        try TrustBundle(decoding: Self.cosign { () throws(CosignError) in try file.verify(root) })
    }

    // MARK: For people

    /// What the bundle says, for people to look at. Nobody may have signed it.
    public func unverified() throws(TrustBundleError) -> UnverifiedTrustBundle {
        UnverifiedTrustBundle(content: try TrustBundle(decoding: file.unverified))
    }

    /// The names of the signers, as they say.
    public var signerIDs: [String] { file.signerIDs }

    /// What each signature is worth under a root.
    public func signatures(_ root: TrustRoot) throws(TrustBundleError) -> [SignatureReport] {
        try Self.cosign { () throws(CosignError) in try file.signatures(root) }
    }

    private static func cosign<Result>(_ body: () throws(CosignError) -> Result) throws(TrustBundleError) -> Result {
        do throws(CosignError) {
            return try body()
        } catch {
            throw TrustBundleError(error)
        }
    }
}

extension TrustBundleError {
    init(_ error: CosignError) {
        self =
            switch error {
            case .tooLarge: .tooLarge
            case .malformed(let error): .malformed(error)
            case .notSigned: .notSigned
            case .envelope(let error): .envelope(error)
            case .thresholdNotMet: .thresholdNotMet
            case .keyIDRefused: .keyIDRefused
            case .alreadySigned: .alreadySigned
            }
    }
}

/// What a signed file says before anybody checked who signed it. To be shown, never to be used.
public struct UnverifiedTrustBundle: Hashable, Sendable {
    public let content: TrustBundle
}

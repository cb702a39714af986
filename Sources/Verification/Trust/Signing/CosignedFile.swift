import CBOR
import Cryptography
import Envelopes

/// Why a file that several people sign is not made or not believed, whatever is in it.
public enum CosignError: Error, Hashable, Sendable {
    /// More octets than such a file may have.
    case tooLarge
    /// Not the one deterministic encoding (RFC 8949 section 4.2.1).
    case malformed(CBORError)
    /// Not a COSE_Sign under its tag.
    case notSigned
    /// A COSE_Sign that RFC 9052 or this gate refuses.
    case envelope(COSEError)
    /// Fewer of the root's signers than its threshold.
    case thresholdNotMet
    /// A signer's name that is empty or longer than `TrustRoot.longestID`.
    case keyIDRefused
    /// There is a signature of that name already.
    case alreadySigned
}

/// What one signature is worth under a root.
public enum SignatureStanding: String, Hashable, Sendable {
    /// By a signer of the root.
    case valid
    /// Carries a signer's name, and that signer did not make it.
    case invalid
    /// By nobody the root knows.
    case unknown
}

/// A signature's `kid`, as text for people (anything may stand in it), and what it is worth.
public struct SignatureReport: Hashable, Sendable {
    public let id: String
    public let standing: SignatureStanding
}

/// Octets that a number of a root's signers have to sign: COSE_Sign (RFC 9052 section 4.1, tag 98). Nothing in it is believed before
/// `verify`.
struct CosignedFile: Sendable {
    /// What the octets are for. The words are signed along (RFC 9052 section 4.3): no signature over one kind of file passes for one over
    /// another.
    struct Purpose: Sendable {
        let words: [UInt8]
        /// Octets of the whole file.
        let largest: Int

        static let trustBundle = Purpose(words: Array("gatehouse trust bundle 1".utf8), largest: TrustBundle.largest)
        static let order = Purpose(words: Array("gatehouse order 1".utf8), largest: Order.largest)

        var options: CBOROptions { CBOROptions(form: .deterministic, bytes: largest, depth: 16, items: 2000) }
    }

    let purpose: Purpose
    /// The whole file.
    let octets: [UInt8]
    private let message: COSESign

    /// - Parameter octets: the whole file. It has to be in the deterministic encoding.
    init(_ octets: [UInt8], _ purpose: Purpose) throws(CosignError) {
        guard octets.count <= purpose.largest else { throw .tooLarge }
        let root: CBORItem
        do throws(CBORError) {
            root = try CBORDocument(parsing: octets, options: purpose.options).root
        } catch {
            throw .malformed(error)
        }
        guard root.tag == COSESign.tag else { throw .notSigned }
        message = try Self.cose { () throws(COSEError) in try COSESign(root) }
        self.octets = octets
        self.purpose = purpose
    }

    /// Signs for the first time. Throws `keyIDRefused`, `envelope`, `tooLarge`.
    init(signing payload: [UInt8], _ purpose: Purpose, as id: String, with key: borrowing SigningKey) throws(CosignError) {
        let keyID = try Self.keyID(id)
        try self.init(
            Self.cose { () throws(COSEError) in
                try COSESign.message(payload, keyID: keyID, key: key, externalAAD: purpose.words)
            }, purpose)
    }

    /// The same with one signature more. Throws `keyIDRefused`, `alreadySigned`, `envelope`, `tooLarge`.
    func signed(as id: String, with key: borrowing SigningKey) throws(CosignError) -> CosignedFile {
        let keyID = try Self.keyID(id)
        guard !message.keyIDs.contains(keyID) else { throw .alreadySigned }
        return try CosignedFile(
            Self.cose { () throws(COSEError) in
                try message.adding(keyID: keyID, key: key, externalAAD: purpose.words)
            }, purpose)
    }

    private static func keyID(_ id: String) throws(CosignError) -> [UInt8] {
        guard 1...TrustRoot.longestID ~= id.utf8.count else { throw .keyIDRefused }
        return Array(id.utf8)
    }

    /// The payload, if enough of the root's signers signed it.
    func verify(_ root: TrustRoot) throws(CosignError) -> [UInt8] {
        do throws(COSEError) {
            _ = try message.verify(threshold: root.threshold, signers: root.coseSigners, externalAAD: purpose.words)
        } catch {
            throw error == .thresholdNotMet ? .thresholdNotMet : .envelope(error)
        }
        return message.payload
    }

    // MARK: For people

    /// What it holds, whoever signed it. To be shown, never to be used.
    var unverified: [UInt8] { message.payload }

    /// The names of the signers, as they say.
    var signerIDs: [String] { message.keyIDs.map { String(decoding: $0 ?? [], as: UTF8.self) } }

    /// What each signature is worth under a root.
    func signatures(_ root: TrustRoot) throws(CosignError) -> [SignatureReport] {
        let standings = try Self.cose { () throws(COSEError) in
            try message.standings(signers: root.coseSigners, externalAAD: purpose.words)
        }
        return zip(signerIDs, standings).map { id, standing in
            switch standing {
            case .valid: SignatureReport(id: id, standing: .valid)
            case .invalid: SignatureReport(id: id, standing: .invalid)
            case .unknown: SignatureReport(id: id, standing: .unknown)
            }
        }
    }

    private static func cose<Result>(_ body: () throws(COSEError) -> Result) throws(CosignError) -> Result {
        do throws(COSEError) {
            return try body()
        } catch {
            throw error == .notASignature ? .notSigned : .envelope(error)
        }
    }
}

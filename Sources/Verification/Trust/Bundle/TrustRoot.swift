import Cryptography
import Envelopes

/// Who decides what a gate believes: a number of people with Ed25519 keys, and how many of them have to agree.
///
/// `{"gatehouse-root":1,"threshold":2,"signers":[{"kid":"alice","jwk":{...}},{"kid":"bob","pem":"-----BEGIN PUBLIC KEY-----..."}]}`
public struct TrustRoot: Sendable {
    public struct Signer: Sendable {
        /// The `kid` of this signer's signatures, as UTF-8.
        public let id: String
        public let key: PublicKey
    }

    public static let mostSigners = COSESign.mostSignatures
    /// UTF-8 octets of a signer's id.
    public static let longestID = 64
    private static let version: Int64 = 1

    /// How many of the signers have to sign; at least 1, at most all.
    public let threshold: Int
    public let signers: [Signer]

    /// - Parameters:
    ///   - name: of the file, for messages about faults.
    ///   - bytes: UTF-8 octets of the JSON text. An unknown member, a key or id that occurs twice and a key of another kind are faults.
    public init(name: String, bytes: [UInt8]) throws(TrustError) {
        let file = try TrustMember(file: name, bytes: bytes)
        guard let version = file.value["gatehouse-root"] else {
            throw TrustError(file: name, member: "gatehouse-root", reason: file.value.members == nil ? .wrongType : .missing)
        }
        guard version.int64 == Self.version else { throw TrustError(file: name, member: "gatehouse-root", reason: .unsupportedVersion) }
        let found = try file.object(known: ["gatehouse-root", "threshold", "signers"])
        let list = try found.required("signers", of: file)
        var signers: [Signer] = []
        for member in try list.list() {
            guard signers.count < Self.mostSigners else { throw list.fault(.tooLarge) }
            let signer = try Self.signer(member)
            // The same key under two names would be one person who counts twice.
            guard !signers.contains(where: { $0.id.isExactly(signer.id) || $0.key == signer.key }) else { throw member.fault(.duplicate) }
            signers.append(signer)
        }
        let threshold = try found.required("threshold", of: file)
        guard let number = threshold.value.int64 else { throw threshold.fault(.wrongType) }
        guard 1...Int64(signers.count) ~= number else {
            throw threshold.fault(.wrongValue, allowed: "1 to \(signers.count), the number of signers")
        }
        self.threshold = Int(number)
        self.signers = signers
    }

    private static func signer(_ member: TrustMember) throws(TrustError) -> Signer {
        let found = try member.object(known: ["kid", "jwk", "pem"])
        let kid = try found.required("kid", of: member)
        let id = try kid.text()
        guard id.utf8.count <= longestID else { throw kid.fault(.tooLarge) }
        let key: PublicKey
        let source: TrustMember
        switch (found["jwk"], found["pem"]) {
        case (let jwk?, nil): (key, source) = (try publicKey(jwk: jwk, id), jwk)
        case (nil, let pem?): (key, source) = (try publicKey(pem: pem), pem)
        default: throw member.fault(.wrongValue, allowed: "one of jwk and pem")
        }
        guard key.kind == .ed25519 else { throw source.fault(.wrongValue, allowed: "an Ed25519 key") }
        return Signer(id: id, key: key)
    }

    private static func publicKey(jwk member: TrustMember, _ id: String) throws(TrustError) -> PublicKey {
        let found = try member.object(known: JSONWebKey.publicMembers.union(JSONWebKey.secretMembers))
        for name in JSONWebKey.secretMembers {
            if let secret = found[name] { throw secret.fault(.secretKey) }
        }
        if let kid = found["kid"], !kid.value.isString(id) { throw kid.fault(.wrongValue) }
        guard let parsed = JSONWebKey(member.value) else { throw member.fault(.malformedKey) }
        return parsed.key
    }

    private static func publicKey(pem member: TrustMember) throws(TrustError) -> PublicKey {
        let text = Array(try member.text().utf8)
        do throws(CryptographyError) {
            return try PublicKey(pem: text.span)
        } catch {
            throw member.fault(.malformedKey)
        }
    }

    /// The same for COSE, in the same order.
    var coseSigners: [COSESign.Signer] { signers.map { COSESign.Signer(keyID: Array($0.id.utf8), key: $0.key) } }
}

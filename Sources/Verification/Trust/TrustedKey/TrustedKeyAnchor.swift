import Envelopes
import TrustedKeyWallet

/// `trustedkey` of a trust file: what a gate asks of the wallet, and which list says what is revoked (trustedkey.md section 5).
public struct TrustedKeyAnchor: Hashable, Sendable {
    public let question: TrustedKeyBelief.Question
    /// The URL of a list of revoked addresses; nil where there is none.
    public let revoked: String?

    /// UTF-8 octets of the gate's name at the wallets.
    private static let longestName = 256
    /// Characters of the wallet's link: the code has room for the rest of the request beside it.
    private static let longestLink = 200

    init(_ member: TrustMember) throws(TrustError) {
        let found = try member.object(known: ["clientId", "wallet", "objects", "revoked"])
        let name = try found.required("clientId", of: member), link = try found.required("wallet", of: member)
        let clientID = try name.text(), wallet = try link.text()
        guard clientID.utf8.count <= Self.longestName else { throw name.fault(.tooLarge, allowed: "\(Self.longestName) octets at most") }
        guard wallet.utf8.count <= Self.longestLink else { throw link.fault(.tooLarge, allowed: "\(Self.longestLink) octets at most") }
        guard TrustedKeyRequest.isWallet(wallet) else { throw link.fault(.wrongValue, allowed: "an http or https address without a query") }
        question = TrustedKeyBelief.Question(
            clientID: clientID, wallet: wallet, objects: try Self.objects(found.required("objects", of: member)))
        revoked = try found["revoked"].map { (member) throws(TrustError) in try member.text() }
    }

    private static func objects(_ member: TrustMember) throws(TrustError) -> [TrustedKeyObject] {
        var objects: [TrustedKeyObject] = []
        for element in try member.list() {
            guard objects.count < TrustedKeyRequest.mostObjects else {
                throw member.fault(.tooLarge, allowed: "\(TrustedKeyRequest.mostObjects) at most")
            }
            let object = try object(element)
            // It says where the value is to be fetched, and a gate fetches nothing.
            guard object != .endpoint else { throw element.fault(.wrongValue, allowed: "an object that can be judged offline") }
            // Two arcs are one.
            guard !objects.contains(object) else { throw element.fault(.duplicate) }
            objects.append(object)
        }
        // The key alone answers for itself: nobody would have issued anything to whoever holds it.
        guard objects.contains(where: { $0 != .publicKey }) else {
            throw member.fault(.wrongValue, allowed: "at least one object that an issuer vouches for")
        }
        return objects
    }

    static func object(_ member: TrustMember) throws(TrustError) -> TrustedKeyObject {
        guard let object = TrustedKeyObject(try member.text()) else {
            throw member.fault(.wrongValue, allowed: "an object identifier such as 2.5.4.3")
        }
        return object
    }
}

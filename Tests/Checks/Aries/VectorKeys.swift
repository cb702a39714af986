import Cryptography
import DIDComm
import JSON
import ProofVectors
import TestSupport

/// The key pairs of `envelopes.json`, by their names there.
struct VectorKeys {
    struct Pair {
        let name: String
        let seed: [UInt8]
        let kid: String
        /// What the file says of it.
        let facts: [String]
    }

    let all: [Pair]

    init(_ file: JSONValue) throws(UnusableVector) {
        var all: [Pair] = []
        for name in ["gate", "wallet", "other"] {
            let key = try file.member(name)
            let kid = try key.text("kid")
            all.append(
                Pair(
                    name: name, seed: try key.octets("ed25519_seed"), kid: kid,
                    facts: [
                        "\(name) kid \(kid)", "\(name) did:key \(try key.text("did_key"))",
                        "\(name) X25519 \(try key.text("x25519_public"))",
                        "\(name) has the secret \(try key.text("x25519_secret"))",
                    ]))
        }
        self.all = all
    }

    /// What is made of each seed here, in the words of `Pair.facts`.
    func found(_ file: JSONValue) throws(UnusableVector) -> [String] {
        var found: [String] = []
        for pair in all {
            let key = try envelopeKey(pair), secret = try file.member(pair.name).octets("x25519_secret")
            let box = key.recipient.box.octets
            found += [
                "\(pair.name) kid \(key.kid)", "\(pair.name) did:key \(key.didKey)",
                "\(pair.name) X25519 \(Hex.text(box.indices.map { box[$0] }))",
                "\(pair.name) has \(key.hasSecret(secret.span) ? "" : "not ")the secret \(Hex.text(secret))",
            ]
        }
        return found
    }

    func pair(_ kid: String) throws(UnusableVector) -> Pair {
        guard let pair = all.first(where: { $0.kid == kid }) else { throw UnusableVector(what: "no key \(kid)") }
        return pair
    }

    func named(_ name: String) throws(UnusableVector) -> EnvelopeKey {
        guard let pair = all.first(where: { $0.name == name }) else { throw UnusableVector(what: name) }
        return try envelopeKey(pair)
    }

    func envelopeKey(_ pair: Pair) throws(UnusableVector) -> EnvelopeKey {
        do throws(CryptographyError) {
            let seed = try Secret(copying: pair.seed.span)
            return try EnvelopeKey(seed: seed)
        } catch {
            throw UnusableVector(what: "the seed of \(pair.name)")
        }
    }
}

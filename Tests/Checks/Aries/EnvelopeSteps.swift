import Cryptography
import DIDComm
import Envelopes
import JSON
import ProofVectors
import TestSupport

/// The intermediate values of an envelope that opens: what the file says they are, and whether the same are found here. The envelope is
/// also made again from them.
struct EnvelopeSteps {
    private let keys: VectorKeys
    private let vector: JSONValue
    private let steps: JSONValue
    /// The recipients in the order of the envelope.
    private let kids: [String]

    init(_ vector: JSONValue, _ keys: VectorKeys) throws(UnusableVector) {
        self.keys = keys
        self.vector = vector
        steps = try vector.member("steps")
        guard let protected = vector["envelope"]?["protected"]?.stringBytes, let text = Base64Reading.decode(protected[...]),
            let entries = (try? JSONDocument(parsing: text))?.root["recipients"]?.elements
        else { throw UnusableVector(what: "protected") }
        kids = entries.map { $0["header"]?["kid"]?.string ?? "" }
    }

    /// Padded as libindy writes it: the gate reads that and writes none, so that it cannot be made again.
    private var isPadded: Bool { vector["envelope"]?["tag"]?.string?.hasSuffix("=") == true }

    var expected: [String] { kids.flatMap { ["\($0) seal", "\($0) box"] } + ["packed: octets as given"] }

    func found() throws(UnusableVector) -> [String] {
        var found: [String] = []
        for kid in kids {
            let step = try steps.member("recipients").member(kid)
            let seal = try step.member(step["sender_seal"] == nil ? "key_seal" : "sender_seal")
            found += try sealed(seal, for: kid)
            found += try boxed(step, for: kid)
        }
        return found + [try packed()]
    }

    // MARK: each value

    private func sealed(_ seal: JSONValue, for kid: String) throws(UnusableVector) -> [String] {
        let recipient = try keys.envelopeKey(keys.pair(kid)).recipient
        let scalar = seal.given("ephemeral_secret")
        do throws(CryptographyError) {
            let ephemeral = try BoxKeyPair(Secret(copying: scalar.span))
            let nonce = try SealedBox.nonce(ephemeral: ephemeral.publicKey, recipient: recipient.box)
            let shared = seal.given("shared"), own = ephemeral.publicKey.octets
            let agreement = try BoxAgreement(ephemeral, with: recipient.box)
            guard own.indices.map({ own[$0] }) == seal.given("ephemeral_public") else { return ["\(kid) ephemeral key"] }
            guard nonce.indices.map({ nonce[$0] }) == seal.given("nonce") else { return ["\(kid) nonce of the seal"] }
            return agreement.hasKey(shared.span) ? ["\(kid) seal"] : ["\(kid) shared key of the seal"]
        } catch {
            return ["\(kid) seal: \(error)"]
        }
    }

    /// The box under the sender's key: both sides find the same key, and the recipient finds the content's key in it.
    private func boxed(_ step: JSONValue, for kid: String) throws(UnusableVector) -> [String] {
        guard let sender = vector["sender"]?.string else { return ["\(kid) box"] }
        let wallet = try keys.envelopeKey(keys.pair(sender)), recipient = try keys.envelopeKey(keys.pair(kid))
        let shared = step.given("box_shared")
        do throws(CryptographyError) {
            let there = try BoxAgreement(wallet.pair, with: recipient.recipient.box)
            let here = try BoxAgreement(recipient.pair, with: wallet.recipient.box)
            return there.hasKey(shared.span) && here.hasKey(shared.span) ? ["\(kid) box"] : ["\(kid) shared key of the box"]
        } catch {
            return ["\(kid) box: \(error)"]
        }
    }

    // MARK: the whole

    private func packed() throws(UnusableVector) -> String {
        guard !isPadded else { return "packed: octets as given" }
        let message = try vector.octets("message"), envelope = try vector.member("envelope").compact
        var recipients: [EnvelopeRecipient] = []
        for kid in kids { recipients.append(try keys.envelopeKey(keys.pair(kid)).recipient) }
        do throws(CryptographyError) {
            let found: [UInt8]
            if let sender = vector["sender"]?.string, let pair = try? keys.pair(sender), let key = try? keys.envelopeKey(pair) {
                found = try Envelope.authcrypt(message.span, for: recipients, from: key, drawing: draw)
            } else {
                found = try Envelope.anoncrypt(message.span, for: recipients, drawing: draw)
            }
            return "packed: \(Tally.difference(envelope, found))"
        } catch {
            return "packed: \(error)"
        }
    }

    private func draw(_ draw: EnvelopeDraw) throws(CryptographyError) -> Secret {
        let octets = octets(of: draw)
        return try Secret(copying: octets.span)
    }

    private func octets(of draw: EnvelopeDraw) -> [UInt8] {
        switch draw {
        case .contentKey: return steps.given("content_key")
        case .contentNonce: return steps.given("content_nonce")
        case .keyNonce(let index): return step(index)?.given("box_nonce") ?? []
        case .ephemeral(let index):
            let step = step(index)
            return (step?["sender_seal"] ?? step?["key_seal"])?.given("ephemeral_secret") ?? []
        }
    }

    private func step(_ index: Int) -> JSONValue? { kids.indices.contains(index) ? steps["recipients"]?[kids[index]] : nil }
}

extension JSONValue {
    /// Octets of a hexadecimal member; none where it is not there, which no comparison takes for a match.
    fileprivate func given(_ name: String) -> [UInt8] { self[name]?.stringBytes.flatMap { Hex.decode($0) } ?? [] }
}

import Cryptography
import DIDComm
import JSON
import ProofVectors
import TestSupport

/// Envelopes made and opened line by line, for comparison with another implementation: `Tests/Peers/oracles/test_aries.py`.
///
/// `{"open": text of an envelope, "seed": hexadecimal}` has `{"message": hexadecimal, "sender": kid or null}` or `{"fault": code}` for its
/// answer; `{"pack": hexadecimal, "to": [kid], "seed": hexadecimal or null}` has `{"envelope": text}`.
enum EnvelopeLines {
    static func answer(_ line: String) throws(UnusableVector) -> String {
        guard let request = (try? JSONDocument(parsing: Array(line.utf8), limits: JSONLimits(bytes: 16 << 20)))?.root else {
            throw UnusableVector(what: "no JSON: \(line.prefix(80))")
        }
        var writer = JSONWriter()
        if let envelope = request["open"]?.stringBytes {
            try open(envelope, by: key(request.octets("seed")), &writer)
        } else {
            let envelope = try packed(request)
            writer.object { $0.member("envelope", String(decoding: envelope, as: UTF8.self)) }
        }
        return writer.text
    }

    private static func open(_ envelope: [UInt8], by key: borrowing EnvelopeKey, _ writer: inout JSONWriter) {
        do throws(EnvelopeFault) {
            let opened = try Envelope(parsing: envelope.span).open(by: key)
            let message = opened.message.withOctets { octets in octets.indices.map { octets[$0] } }, sender = opened.sender?.kid
            writer.object { writer in
                writer.member("message", Hex.text(message))
                if let sender { writer.member("sender", sender) }
            }
        } catch {
            writer.object { $0.member("fault", error.code.rawValue) }
        }
    }

    private static func packed(_ request: JSONValue) throws(UnusableVector) -> [UInt8] {
        let message = try request.octets("pack")
        var recipients: [EnvelopeRecipient] = []
        for kid in request["to"]?.elements.map({ Array($0) }) ?? [] {
            guard let recipient = kid.string.flatMap({ EnvelopeRecipient(reference: $0) }) else { throw UnusableVector(what: "to") }
            recipients.append(recipient)
        }
        let hasSender = request["seed"]?.string != nil
        do throws(CryptographyError) {
            guard hasSender, let seed = try? request.octets("seed"), let sender = try? key(seed) else {
                return try Envelope.anoncrypt(message.span, for: recipients)
            }
            return try Envelope.authcrypt(message.span, for: recipients, from: sender)
        } catch {
            throw UnusableVector(what: "pack: \(error)")
        }
    }

    private static func key(_ seed: [UInt8]) throws(UnusableVector) -> EnvelopeKey {
        do throws(CryptographyError) {
            let seed = try Secret(copying: seed.span)
            return try EnvelopeKey(seed: seed)
        } catch {
            throw UnusableVector(what: "seed: \(error)")
        }
    }
}

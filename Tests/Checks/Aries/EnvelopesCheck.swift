import DIDComm
import JSON
import ProofVectors
import TestSupport

/// `envelopes.json`: envelopes that open for `gate`, with every intermediate value, and envelopes that do not.
enum EnvelopesCheck {
    static func run(_ file: JSONValue, _ keys: VectorKeys) throws(UnusableVector) -> Tally {
        guard let vectors = file["vectors"]?.elements else { throw UnusableVector(what: "vectors") }
        let expectedKeys = keys.all.flatMap { $0.facts }, foundKeys = try keys.found(file)
        var tally = Tally()
        for vector in vectors {
            let name = try vector.text("name")
            guard let text = vector["text"]?.stringBytes ?? vector["envelope"]?.compact else {
                throw UnusableVector(what: "\(name): envelope")
            }
            let outcome = try open(text, keys)
            switch (try vector.text("expect"), outcome) {
            case ("open", .opened(let message, let sender)):
                let expected = ["sender \(vector["sender"]?.string ?? "nobody")", "octets as given"]
                let found = ["sender \(sender ?? "nobody")", Tally.difference(try vector.octets("message"), message)]
                // Keys are what everything stands on: where one is wrong, no vector agrees.
                let steps = try EnvelopeSteps(vector, keys), stepsFound = try steps.found()
                tally.compare(name, expected + expectedKeys + steps.expected, found + foundKeys + stepsFound)
            case ("reject", .refused(let fault)):
                let reason = vector["reason"]?.string ?? KnownReasons.byName[name]
                // A vector may have the reason for the log or the exact one.
                tally.compare(name, [reason ?? fault.rawValue], [reason == fault.code.rawValue ? fault.code.rawValue : fault.rawValue])
            case ("open", .refused(let fault)):
                tally.compare(name, ["opens"], ["\(fault.rawValue) (\(fault.code.rawValue))"])
            case ("reject", .opened):
                tally.compare(name, [vector["reason"]?.string ?? "refused"], ["opens"])
            default:
                throw UnusableVector(what: "\(name): expect")
            }
        }
        return tally
    }

    enum Outcome {
        case opened([UInt8], sender: String?)
        case refused(EnvelopeFault)
    }

    /// What becomes of an envelope that the gate gets.
    static func open(_ text: [UInt8], _ keys: VectorKeys) throws(UnusableVector) -> Outcome {
        let gate = try keys.named("gate")
        do throws(EnvelopeFault) {
            let opened = try Envelope(parsing: text.span).open(by: gate)
            return .opened(opened.message.withOctets { octets in octets.indices.map { octets[$0] } }, sender: opened.sender?.kid)
        } catch {
            return .refused(error)
        }
    }
}

/// Why the envelopes that do not open do not: their makers only say that. Every one for the one thing that is wrong with it.
enum KnownReasons {
    static let byName: [String: String] = [
        "r01_other_recipient": "envelope-not-for-us", "r02_iv_changed": "envelope-content", "r02_ciphertext_changed": "envelope-content",
        "r02_tag_changed": "envelope-content", "r03_protected_changed": "envelope-content", "r04_enc": "envelope-enc",
        "r05_alg": "envelope-alg", "r06_typ": "envelope-typ", "r07_authcrypt_without_sender": "envelope-entry",
        "r08_authcrypt_without_iv": "envelope-entry", "r09_no_recipients": "envelope-recipients",
        "r10_33_recipients": "envelope-recipients", "r11_anoncrypt_with_sender": "envelope-entry",
        "r12_other_sender": "envelope-content-key", "r13_sender_not_base58": "envelope-sender", "r14_key_short": "envelope-wrapped-key",
        "r15_no_protected": "envelope-missing", "r15_no_iv": "envelope-member", "r15_no_ciphertext": "envelope-member",
        "r15_no_tag": "envelope-member", "r16_nonce_of_24": "envelope-nonce", "r17_tag_of_8": "envelope-tag",
        "r18_member_twice": "message-malformed", "r19_not_base64": "envelope-header", "r20_low_order": "envelope-sender",
    ]
}

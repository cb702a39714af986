import Cryptography
import Envelopes
import JSON

/// An attachment of a presentation: found by its name, and its octets (RFC 0017; aries.md section 3).
enum Attachment {
    /// The octets of the attachment of that name, for the verifier. Other attachments are not looked at.
    static func octets(of message: JSONValue, named name: String) throws(WalletMessageFault) -> MessageOctets {
        guard let attachments = message["presentations~attach"]?.elements, attachments.count <= MessageLimits.attachments else {
            throw .attachmentMissing
        }
        var found: JSONValue?
        for attachment in attachments where attachment["@id"]?.isString(name) == true {
            // Of two with one name nobody knows which is meant.
            guard found == nil else { throw .attachmentMissing }
            found = attachment
        }
        guard let found else { throw .attachmentMissing }
        return try octets(found["data"])
    }

    /// `base64` or `json` of `data`. Links are not followed, and a signature or a digest without the octets is of no use.
    private static func octets(_ data: JSONValue?) throws(WalletMessageFault) -> MessageOctets {
        switch (data?["base64"], data?["json"]) {
        case (let text?, nil):
            guard var encoded = text.stringBytes, !encoded.isEmpty else { throw .attachment }
            defer { wipe(&encoded) }
            guard var octets = Base64Reading.decode(encoded[...], allowsStandard: true), !octets.isEmpty else { throw .attachment }
            return MessageOctets(taking: &octets)
        case (nil, let value?):
            guard value.kind == .object else { throw .attachment }
            var octets = value.source
            return MessageOctets(taking: &octets)
        default:
            throw .attachment
        }
    }
}

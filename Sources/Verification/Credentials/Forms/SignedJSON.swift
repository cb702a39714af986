import Envelopes
import JSON

/// What forms whose claims are JSON have in common.
enum SignedJSON {
    /// The document that was signed, or a part of it.
    ///
    /// - Parameter malformed: what octets are that are no JSON; too long or too deep has its own word.
    static func document(
        _ octets: [UInt8], limits: JSONLimits = ReceivedCredential.limits, malformed: RejectReason = .payloadMalformed
    ) throws(RejectReason) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument(parsing: octets, limits: limits)
        } catch {
            throw error.rejectReason == .messageMalformed ? malformed : error.rejectReason
        }
    }

    /// `aud`, one name or several (RFC 7519 section 4.1.3); nil where there is none.
    static func audience(_ value: JSONValue?) throws(RejectReason) -> [String]? {
        guard let value else { return nil }
        if let one = value.string { return [one] }
        guard let elements = value.elements else { throw .payloadMalformed }
        var names: [String] = []
        for element in elements {
            guard let name = element.string else { throw .payloadMalformed }
            names.append(name)
        }
        return names
    }
}

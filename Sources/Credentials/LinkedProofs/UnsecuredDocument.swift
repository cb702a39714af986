import JSON
import LinkedData

/// The document without its proof: what the other half of the hash data is made of (Data Integrity 1.0 section 4.3).
struct UnsecuredDocument {
    /// The received document, its proof still in it: portraits are large, so it is not copied. Read it without the member `omitted`.
    let received: JSONValue
    static let omitted = "proof"
    let context: JSONValue

    init(_ document: JSONValue) throws(LinkedProofError) {
        guard document.kind == .object, let context = document["@context"] else { throw .documentMalformed }
        self.context = context
        received = document
    }

    /// RFC 8785.
    func canonicalJSON() throws(LinkedDataError) -> [UInt8] { try CanonicalJSON.bytes(of: received, omitting: Self.omitted) }

    /// The options of `proof`: all of it but the signature, under `context` where one is given.
    static func options(of proof: LinkedProof, under context: JSONValue?, limits: JSONLimits = .standard) throws(LinkedProofError) -> JSONDocument {
        try object(reserving: proof.value.sourceRange.count, limits) { writer in
            if let context {
                writer.name("@context")
                writer.copy(context)
            }
            guard let members = proof.value.members else { return }
            for member in members where !(LinkedProof.signatureMembers + ["@context"]).contains(where: { member.key.isString($0) }) {
                writer.name(copying: member.key)
                writer.copy(member.value)
            }
        }
    }

    private static func object(
        reserving capacity: Int, _ limits: JSONLimits, _ body: (inout JSONWriter) -> Void
    ) throws(LinkedProofError) -> JSONDocument {
        var writer = JSONWriter(reserving: capacity)
        writer.object(body)
        // The parts were checked when they were parsed; only their sum can exceed a limit.
        do throws(JSONError) { return try JSONDocument(parsing: writer.bytes, limits: limits) } catch { throw .tooComplex }
    }
}

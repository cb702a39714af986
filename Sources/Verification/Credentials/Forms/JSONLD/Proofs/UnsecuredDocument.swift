import JSON
import LinkedData

/// The document without its proof: what the other half of the hash data is made of (Data Integrity 1.0 section 4.3).
struct UnsecuredDocument {
    /// The received document, its proof still in it: portraits are large, so it is not copied. Pointers into it are pointers into what was
    /// received.
    let root: JSONValue
    /// The member of `root` that has to be read as if it were not there.
    let omitted: String?
    let context: JSONValue

    /// - Parameter previous: the proofs that a proof in a chain was made over too. They come last, so that they change no label of what is
    ///   before.
    init(_ document: JSONValue, previous: [JSONValue] = [], limits: JSONLimits = .standard) throws(LinkedProofError) {
        guard let members = document.members, let context = document["@context"] else { throw .documentMalformed }
        self.context = context
        guard !previous.isEmpty else {
            root = document
            omitted = "proof"
            return
        }
        omitted = nil
        root = try Self.object(reserving: document.sourceRange.count, limits) { writer in
            for member in members where !member.key.isString("proof") {
                writer.name(copying: member.key)
                writer.copy(member.value)
            }
            writer.name("proof")
            writer.array { writer in for proof in previous { writer.copy(proof) } }
        }.root
    }

    /// The options of a proof: all of it but the signature, under `context` where one is given.
    static func options(of proof: JSONValue, under context: JSONValue?, limits: JSONLimits = .standard) throws(LinkedProofError)
        -> JSONDocument
    {
        try object(reserving: proof.sourceRange.count, limits) { writer in
            if let context {
                writer.name("@context")
                writer.copy(context)
            }
            guard let members = proof.members else { return }
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

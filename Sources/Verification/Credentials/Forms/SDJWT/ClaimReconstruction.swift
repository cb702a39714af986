import JSON

/// Puts disclosures in the place of their digests (RFC 9901 section 7.1 step 3) and so makes the text of the covered claims.
struct ClaimReconstruction {
    private var disclosures: Disclosures
    private var writer: JSONWriter
    private let limits: JSONLimits

    /// Claims a verifier's decision rests on: never selectively disclosable (SD-JWT VC, section "Registered JWT Claims");
    /// a disclosed `_sd_alg` would name its own hash, and a disclosed `aud` could be kept back (RFC 9901 section 9.7). `credentialStatus`
    /// is what `status` is, in the words of the W3C: a holder whose credential was revoked would keep it back. So are the W3C's dates what
    /// `exp` and `nbf` are. Digests do not say what they hide, so an issuer that makes one of these disclosable is found out by the first
    /// presentation that discloses it, and not by one that does not.
    private static let undisclosable = [
        "iss", "aud", "nbf", "exp", "cnf", "vct", "vct#integrity", "status", "credentialStatus", "issuanceDate", "expirationDate",
        "validFrom", "validUntil",
        "_sd_alg",
    ]
    /// Never names of claims, at any level (RFC 9901 section 7.1 step 3.2.2).
    private static let reserved = ["_sd", "..."]

    private init(payload: JSONValue, disclosures: Disclosures, limits: JSONLimits) {
        self.disclosures = disclosures
        // Substitution only shortens, so the text never moves and leaves no copy of the claims behind.
        writer = JSONWriter(reserving: payload.sourceRange.count + disclosures.byteCount)
        self.limits = limits
    }

    /// - Parameters:
    ///   - payload: the signed object.
    ///   - disclosures: what the holder sent with it.
    /// - Returns: the covered claims, every disclosure used exactly once.
    static func claims(
        of payload: JSONValue, with disclosures: Disclosures, limits: JSONLimits
    ) throws(RejectReason) -> JSONDocument {
        var reconstruction = ClaimReconstruction(payload: payload, disclosures: disclosures, limits: limits)
        defer { reconstruction.writer.erase() }
        try reconstruction.write(payload, depth: 0)
        guard reconstruction.disclosures.areAllReferenced else { throw .disclosureUnreferenced }
        do throws(JSONError) {
            return try JSONDocument(parsing: reconstruction.writer.bytes, limits: limits)
        } catch {
            // Depth and nodes are counted once more over the whole; syntax cannot fail, and duplicate names were looked for.
            throw error.reason == .duplicateName ? .claimNameRepeated : .tooComplex
        }
    }

    private mutating func write(_ value: JSONValue, depth: Int) throws(RejectReason) {
        guard depth <= limits.depth else { throw .tooComplex }
        switch value.kind {
        case .object: try writeObject(value, depth: depth)
        case .array: try writeArray(value, depth: depth)
        case .string, .number, .yes, .no, .null: writer.copy(value)
        }
    }

    private mutating func writeObject(_ object: JSONValue, depth: Int) throws(RejectReason) {
        guard let members = object.members else { return }
        writer.beginObject()
        var names: Set<[UInt8]> = []
        var digests: JSONElements?
        for member in members {
            if member.key.isString("_sd") {
                guard let elements = member.value.elements else { throw .digestMalformed }
                digests = elements
                continue
            }
            // An array element's placeholder anywhere else would be a claim named "...".
            guard !member.key.isString("...") else { throw .digestMalformed }
            if member.key.isString("_sd_alg") {
                guard depth == 0 else { throw .digestMalformed }
                continue
            }
            if let name = member.key.stringBytes { names.insert(name) }
            writer.name(copying: member.key)
            try write(member.value, depth: depth + 1)
        }
        if let digests { try writeDisclosed(digests, besides: &names, depth: depth) }
        writer.endObject()
    }

    private mutating func writeDisclosed(_ digests: JSONElements, besides names: inout Set<[UInt8]>, depth: Int) throws(RejectReason) {
        for digest in digests {
            guard let disclosure = try disclosures.take(digest) else { continue }
            guard let key = disclosure.name, let name = key.stringBytes else { throw .disclosureMisplaced }
            // `_sd_alg` is refused at every level, the registered claims only where they would be the credential's own.
            let refused = depth == 0 ? Self.reserved + Self.undisclosable : Self.reserved + ["_sd_alg"]
            guard !refused.contains(where: { key.isString($0) }) else { throw .claimNameRefused }
            guard names.insert(name).inserted else { throw .claimNameRepeated }
            writer.name(copying: key)
            try write(disclosure.value, depth: depth + 1)
        }
    }

    private mutating func writeArray(_ array: JSONValue, depth: Int) throws(RejectReason) {
        guard let elements = array.elements else { return }
        writer.beginArray()
        for element in elements {
            guard element.members != nil, let digest = element["..."] else {
                try write(element, depth: depth + 1)
                continue
            }
            guard element.members?.count == 1 else { throw .digestMalformed }
            guard let disclosure = try disclosures.take(digest) else { continue }
            guard disclosure.name == nil else { throw .disclosureMisplaced }
            try write(disclosure.value, depth: depth + 1)
        }
        writer.endArray()
    }
}

import Envelopes
import JSON
import Trust

/// One `proof` of a JSON-LD credential taken apart (Data Integrity 1.0 section 2.1): nothing in it is believed yet.
package struct LinkedProof: Sendable {
    /// What the signer signed for (Controlled Documents 1.0 section 2.3). The others have no business on a credential.
    package enum Purpose: String, Hashable, Sendable, CaseIterable {
        case assertionMethod, authentication

        /// The name the security vocabulary has for it.
        var iri: String {
            switch self {
            case .assertionMethod: SecurityTerms.vocabulary + "assertionMethod"
            case .authentication: SecurityTerms.vocabulary + "authenticationMethod"
            }
        }
    }

    /// A moment, and the text that is signed for it.
    struct Time: Sendable {
        let text: String
        let seconds: Seconds
    }

    let suite: LinkedProofSuite
    /// Nil only where Data Integrity lets it be absent.
    let created: Time?
    /// Whoever looks up the key must do so by exactly this text.
    package let verificationMethod: String
    let purpose: Purpose
    /// What other proofs of the document call this one.
    let id: String?
    /// The ids of the proofs this one was made after, and over; only Data Integrity has chains.
    let previous: [String]
    /// From then on the proof is none.
    let expires: Time?
    /// `jws` or `proofValue` as written.
    let signature: [UInt8]
    /// The whole proof object.
    let value: JSONValue

    /// Proofs of one document worth looking at.
    static let most = 8
    /// The members that carry the signature are no options.
    static let signatureMembers = ["jws", "proofValue"]
    private static let otherMembers = [
        "@context", "id", "type", "cryptosuite", "created", "expires", "verificationMethod", "proofPurpose", "domain", "challenge", "nonce",
    ]
    private static let chainMember = "previousProof"

    /// The proofs of `document`, one object or an array of them, every one well-formed.
    package static func proofs(of document: JSONValue) throws(LinkedProofError) -> [LinkedProof] {
        var proofs: [LinkedProof] = []
        for value in try values(of: document) { proofs.append(try LinkedProof(value)) }
        return proofs
    }

    /// The value of each proof of `document`: at least one, at most `most`.
    static func values(of document: JSONValue) throws(LinkedProofError) -> [JSONValue] {
        guard document.kind == .object else { throw .documentMalformed }
        guard let value = document["proof"] else { throw .proofMissing }
        guard let elements = value.elements else { return [value] }
        let values = Array(elements.prefix(most + 1))
        guard values.count <= most else { throw .tooComplex }
        guard !values.isEmpty else { throw .proofMissing }
        return values
    }

    init(_ value: JSONValue) throws(LinkedProofError) {
        guard let members = value.members else { throw .proofMalformed }
        // The suite first: what members a proof of another one has is not known here.
        suite = try Self.suite(of: value)
        for member in members {
            guard (Self.signatureMembers + Self.otherMembers + [Self.chainMember]).contains(where: { member.key.isString($0) })
            else { throw .memberRefused }
        }
        self.value = value
        previous = try Self.previous(value[Self.chainMember], suite)
        id = try Self.id(value["id"])
        guard let method = value["verificationMethod"]?.string, !method.isEmpty else { throw .proofMalformed }
        verificationMethod = method
        guard let purpose = Purpose.allCases.first(where: { value["proofPurpose"]?.isString($0.rawValue) == true }) else {
            throw .purposeRefused
        }
        self.purpose = purpose
        created = try Self.time(value["created"], isZoneOptional: !suite.isDataIntegrity)
        expires = try Self.time(value["expires"])
        guard created != nil || suite.isDataIntegrity else { throw .createdMalformed }
        let names = suite.notation == .detachedJWS ? Self.signatureMembers : Self.signatureMembers.reversed()
        guard let signature = value[names[0]]?.stringBytes, value[names[1]] == nil else { throw .signatureMalformed }
        self.signature = signature
    }

    private static func suite(of value: JSONValue) throws(LinkedProofError) -> LinkedProofSuite {
        guard let type = value["type"], type.kind == .string else { throw .typeRefused }
        let known = LinkedProofSuite.allCases.filter { type.isString($0.typeName) }
        guard let first = known.first else { throw .typeRefused }
        guard first.isDataIntegrity else {
            guard value["cryptosuite"] == nil else { throw .cryptosuiteRefused }
            return first
        }
        let named = known.first { suite in suite.cryptosuiteName.map { value["cryptosuite"]?.isString($0) == true } ?? false }
        guard let named else { throw .cryptosuiteRefused }
        return named
    }

    private static func id(_ value: JSONValue?) throws(LinkedProofError) -> String? {
        guard let value else { return nil }
        guard let id = value.string, !id.isEmpty else { throw .proofMalformed }
        return id
    }

    private static func previous(_ value: JSONValue?, _ suite: LinkedProofSuite) throws(LinkedProofError) -> [String] {
        guard let value else { return [] }
        guard suite.isDataIntegrity else { throw .memberRefused }
        let names = value.elements.map(Array.init) ?? [value]
        guard !names.isEmpty, names.count <= most else { throw .proofMalformed }
        var previous: [String] = []
        for name in names {
            guard let id = try id(name), !previous.contains(where: { $0.isExactly(id) }) else { throw .proofMalformed }
            previous.append(id)
        }
        return previous
    }

    /// - Parameter isZoneOptional: the suites before Data Integrity have `xsd:dateTime`, and signers that leave the zone away mean UTC. The
    ///   text is what is signed, so nothing rests on which zone it is.
    private static func time(_ value: JSONValue?, isZoneOptional: Bool = false) throws(LinkedProofError) -> Time? {
        guard let value else { return nil }
        guard let text = value.string, let seconds = Timestamp.seconds(text) ?? (isZoneOptional ? Timestamp.seconds(text + "Z") : nil)
        else { throw .createdMalformed }
        return Time(text: text, seconds: seconds)
    }
}

/// Why a proof, or what it covers, is not believed.
package enum LinkedProofError: Error, Hashable, Sendable, CaseIterable {
    // The document
    /// No object, no `@context`, or no `credentialSubject`.
    case documentMalformed
    case proofMissing
    /// A context that is not pinned: nothing is ever fetched.
    case contextUnknown
    /// No JSON-LD, for example a protected term that is defined again.
    case documentInvalid
    case tooComplex

    // The proof
    case proofMalformed
    /// A member this verifier gives no meaning to: an older signature, a chain of proofs that cannot have one, anything unknown.
    case memberRefused
    case typeRefused
    case cryptosuiteRefused
    case purposeRefused
    case createdMalformed
    case expired
    /// A proof's own `@context` where it must be absent, or is not the document's.
    case contextMismatch
    /// The graph of the proof options lacks something the proof says: the signature would not cover it.
    case optionsUncovered
    /// A proof says it was made after another, and that one is missing, unknown, not unmistakable, made after it, or not among what was
    /// signed.
    case previousProofRefused
    /// No key is known for any proof.
    case keyUnknown

    // The signature
    /// Neither `header..signature` nor base58btc with its `z`, or both at once, or the one the type does not have.
    case signatureMalformed
    /// Something between the dots: the payload of a detached JWS is the hash data and nothing else.
    case payloadNotDetached
    case headerMalformed
    /// Not exactly `"b64": false` and `"crit": ["b64"]` (RFC 7797).
    case criticalHeaderRefused
    /// `alg` is unknown or not one of the proof type's.
    case algorithmRefused
    /// The key is not of the kind the proof type asks for.
    case keyMismatch
    case signatureInvalid
    case digestUnavailable

    // What is covered
    /// Something under a member that decisions rest on makes no statement: not signed.
    case claimsUncovered
    /// The graph does not have exactly one credential.
    case credentialAmbiguous
}

extension LinkedProofError {
    /// The same refusal in the words of a verdict.
    var rejectReason: RejectReason {
        switch self {
        case .documentMalformed, .documentInvalid: .linkedDataInvalid
        case .proofMissing: .proofMissing
        case .contextUnknown: .contextUnknown
        // A digest that cannot be computed is a fault of the gate; the credential is refused all the same.
        case .tooComplex, .digestUnavailable: .tooComplex
        case .proofMalformed, .memberRefused, .createdMalformed, .contextMismatch, .optionsUncovered, .previousProofRefused,
            .signatureMalformed:
            .proofMalformed
        case .typeRefused, .cryptosuiteRefused: .proofTypeRefused
        case .purposeRefused: .proofPurposeRefused
        case .expired: .proofExpired
        case .payloadNotDetached: .payloadNotDetached
        case .headerMalformed: .headerMalformed
        case .criticalHeaderRefused: .criticalHeaderRefused
        case .algorithmRefused: .algorithmRefused
        case .keyUnknown: .keyUnknown
        case .keyMismatch: .keyMismatch
        case .signatureInvalid: .signatureInvalid
        case .claimsUncovered: .claimsUncovered
        case .credentialAmbiguous: .credentialAmbiguous
        }
    }
}

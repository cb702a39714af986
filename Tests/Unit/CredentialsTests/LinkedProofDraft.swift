import Cryptography
import JSON
import LinkedData

@testable import Credentials

/// A credential with every context written out: nothing outside is needed.
struct LinkedDraft {
    var context = LinkedDraft.terms
    var subject = #"{"id":"urn:subject","face":"data:,x","age":40}"#
    var members = #""id":"urn:credential","type":["VerifiableCredential"],"issuer":"https://issuer.example","#
    var proof = [
        "type": #""Ed25519Signature2018""#, "created": #""2026-01-01T00:00:00Z""#, "verificationMethod": #""did:example:issuer#key""#,
        "proofPurpose": #""assertionMethod""#,
    ]
    var header = #"{"alg":"EdDSA","b64":false,"crit":["b64"]}"#
    var key = TestKey.ed25519
    var optionsContext = ProofHashData.OptionsContext.securityV3

    static let terms = #"""
        {"id":"@id","type":"@type","cred":"https://www.w3.org/2018/credentials#","sec":"https://w3id.org/security#",
        "VerifiableCredential":"cred:VerifiableCredential","issuer":{"@id":"cred:issuer","@type":"@id"},"credentialSubject":"cred:credentialSubject",
        "face":"urn:face","age":"urn:age","DataIntegrityProof":"sec:DataIntegrityProof","cryptosuite":"sec:cryptosuite",
        "created":{"@id":"http://purl.org/dc/terms/created","@type":"http://www.w3.org/2001/XMLSchema#dateTime"},
        "verificationMethod":{"@id":"sec:verificationMethod","@type":"@id"},"proofPurpose":{"@id":"sec:proofPurpose","@type":"@vocab"},
        "assertionMethod":"sec:assertionMethod","authentication":"sec:authenticationMethod"}
        """#

    func text(_ signature: [String: String] = [:]) -> String {
        let members = proof.merging(signature) { $1 }.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        return "{\"@context\":\(context),\(self.members)\"credentialSubject\":\(subject),\"proof\":{\(members)}}"
    }

    func document(_ signature: [String: String] = [:]) throws -> JSONValue { try JSONDocument(parsing: Array(text(signature).utf8)).root }

    var publicKey: PublicKey {
        get throws { try PublicKey(pem: Array(key.pem.utf8).span) }
    }

    /// What the signature is over, whatever the options say.
    private func hashData() throws -> [UInt8] {
        let processor = LinkedDataProcessor(store: ContextStore([:]))
        let document = try document(["jws": #""""#, "proofValue": #""""#])
        var data = ProofHashData(digest: .sha256, processor: processor)
        let context = optionsContext == .document ? try JSONDocument(parsing: Array(self.context.utf8)).root : SecurityTerms.context
        var writer = JSONWriter()
        writer.object {
            $0.name("@context")
            $0.copy(context!)
            for member in document["proof"]!.members! where member.name != "jws" && member.name != "proofValue" {
                $0.name(copying: member.key)
                $0.copy(member.value)
            }
        }
        let options = try data.processor.dataset(of: try JSONDocument(parsing: writer.bytes).root).dataset
        return try data.toBeSigned(
            options: try Canonicalization.canonicalize(options).nquads,
            document: try data.document(try UnsecuredDocument(document)).canonical.nquads)
    }

    func jws() throws -> String {
        let header = base64URL(self.header)
        let signature = key.sign(Array("\(header).".utf8) + (try hashData()), algorithm: header.contains("RS256") ? "RS256" : nil)
        return "\(header)..\(base64URL(signature))"
    }

    func signed() throws -> JSONValue { try document(["jws": "\"\(try jws())\""]) }

    /// The same credential as others might write it, under the signature of this one.
    func forged(_ changes: (inout LinkedDraft) -> Void) throws -> JSONValue {
        var other = self
        changes(&other)
        return try other.document(["jws": "\"\(try jws())\""])
    }

    func result(_ document: JSONValue) throws -> Result<VerifiedLinkedDocument, LinkedProofError> {
        var verification = LinkedProofVerification(contexts: ContextStore([:]))
        return linkedResult(&verification, document, try publicKey)
    }

    func reason(_ document: JSONValue? = nil) throws -> LinkedProofError? {
        try result(try document ?? signed()).reason
    }
}

import Cryptography
import Envelopes
import JSON
import Mdoc

/// The gate's session of a case, which cannot be copied.
private final class HeldSession {
    let session: ReaderSession

    init(_ session: consuming ReaderSession) {
        self.session = session
    }
}

/// A response that is accepted, and what it says.
struct MutantSample {
    let input: CaseInput
    let response: [UInt8]
    let result: DeviceResponseResult
    /// Where the documents' parts lie; as many as `result.documents`.
    let parts: [DocumentParts]
    private let held: HeldSession
    private let accepted: [Set<String>]

    init?(_ input: CaseInput, _ response: [UInt8]) {
        self.input = input
        self.response = response
        guard let session = input.session() else { return nil }
        held = HeldSession(session)
        guard case .response(let result, _) = input.verify(response, held.session), !result.verified.isEmpty else { return nil }
        self.result = result
        accepted = result.verified.map(Self.claims)
        parts = DocumentParts.all(in: response)
        guard parts.count == result.documents.count else { return nil }
    }

    /// The responses of `cases.json` that are accepted.
    static func all(of file: JSONValue) -> [MutantSample] {
        guard let cases = file[CasesCheck.member]?.elements else { return [] }
        return cases.compactMap { each in
            guard let input = try? CaseInput(each), let response = try? each["derived"]?.octets("device_response") else { return nil }
            return MutantSample(input, response)
        }
    }

    /// The places of the documents that are accepted.
    var verified: [Int] { result.documents.indices.filter { result.documents[$0].fault == nil } }

    func outcome(_ octets: [UInt8]) -> CaseOutcome { input.verify(octets, held.session) }

    /// Whether the document at a place is accepted in these octets.
    ///
    /// - Parameters:
    ///   - input: where it is not the sample's own.
    ///   - other: in whose session, where it is not the sample's own.
    func isAccepted(_ place: Int, in octets: [UInt8], _ input: CaseInput? = nil, session other: MutantSample? = nil) -> Bool {
        guard case .response(let result, _) = (input ?? self.input).verify(octets, (other ?? self).held.session) else { return false }
        return result.documents.indices.contains(place) && result.documents[place].fault == nil
    }

    /// Counts what became of a mutant: whoever is accepted says nothing that the sample does not say.
    func judge(_ mutant: [UInt8], _ tally: inout MutantsCheck.Tally) {
        tally.mutants += 1
        guard case .response(let result, _) = outcome(mutant) else {
            tally.undecodable += 1
            return
        }
        if result.documents.contains(where: { $0.fault != nil && !$0.claims.isEmpty }) {
            print("\(input.name): claims beside a fault")
            tally.changed += 1
        }
        guard !result.verified.isEmpty else {
            tally.faults += 1
            return
        }
        for document in result.verified {
            let claims = Self.claims(document)
            if accepted.contains(where: { claims.isSubset(of: $0) }) { continue }
            print("\(input.name): accepted with something changed: \(Hexadecimal.text(mutant))")
            tally.changed += 1
            return
        }
        tally.accepted += 1
    }

    /// What the document says, octet for octet.
    private static func claims(_ document: DocumentResult) -> Set<String> {
        var claims: Set<String> = ["docType \(document.docType ?? "")", "dates \(String(describing: document.validity))"]
        for (kind, found) in [("issuer", document.claims), ("device", document.deviceClaims)] {
            for nameSpace in found.nameSpaces {
                for element in nameSpace.elements {
                    claims.insert("\(kind) \(nameSpace.name) \(element.identifier) \(Hexadecimal.text(element.value.source))")
                }
            }
        }
        return claims
    }
}

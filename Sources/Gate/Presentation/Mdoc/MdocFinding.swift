import Envelopes
import Mdoc

/// What a gate makes of a phone's answer: a document that is enough, or every reason why none is.
public struct MdocFinding: Sendable {
    public enum Verdict: Sendable {
        case accept(MdocDocument)
        /// At least one reason, in the order of the steps (mdoc.md section 6.4).
        case reject([MdocReason])
    }

    public let verdict: Verdict
    /// Of the document that decided, one of the site's own list; nil where none did.
    public let docType: String?
    /// SHA-256 of the root that vouches for that document, in hexadecimal; nil where none does.
    public let issuer: String?
    /// What other verifiers of mdocs say of each document that is not verified, in the order of the steps, each once.
    public let results: [MdocFault]

    init(refused reasons: [MdocReason]) {
        (verdict, docType, issuer, results) = (.reject(reasons), nil, nil, [])
    }

    fileprivate init(_ verdict: Verdict, of document: DocumentResult?, asked docType: String?, results: [MdocFault]) {
        self.verdict = verdict
        self.docType = docType
        issuer = document?.issuer.map { Hexadecimal.text($0.fingerprint) }
        self.results = results
    }
}

/// A document that proved genuine, in the hands of the phone it was issued to, with all that the site asks for.
public struct MdocDocument: Sendable {
    /// One of the site's own list.
    public let docType: String
    /// SHA-256 of the root that vouches for it, in hexadecimal.
    public let issuer: String
    public let portrait: MdocPortrait?
    /// How the device took part in this session.
    public let device: DeviceAuthentication
    /// Whether the issuer said that it can be revoked, and has not revoked it.
    public let hasStatus: Bool
    /// What is not as the standard wants it, as words of the record's.
    public let notes: [String]
}

extension MdocDocument {
    fileprivate init?(_ document: DocumentResult, _ question: MdocQuestion, isAlone: Bool) {
        guard document.fault == nil, let issuer = document.issuer, let device = document.deviceAuthentication else { return nil }
        docType = question.request.docType
        self.issuer = Hexadecimal.text(issuer.fingerprint)
        portrait = question.portrait(of: document)
        self.device = device
        hasStatus = document.statusAge != nil
        var notes: [String] = []
        for note in document.warnings.map(\.note) where !notes.contains(note) { notes.append(note) }
        if !isAlone { notes.append(MdocNote.otherRefused) }
        self.notes = notes.sorted()
    }
}

/// What the record of an accepted document says besides.
enum MdocNote {
    /// Another document of the same answer was not believed.
    static let otherRefused = "other-document-refused"
}

extension MdocWarning {
    fileprivate var note: String {
        switch self {
        case .shortRandom: "short-random"
        case .devicePayloadEmbedded: "device-payload-embedded"
        case .signer: "signer-profile"
        case .revocationListMissing: "revocation-list-missing"
        case .revocationListStale: "revocation-list-stale"
        case .statusStale: "status-stale"
        }
    }
}

/// Judges an answer by what was asked.
struct MdocJudgement {
    let questions: [MdocQuestion]
    /// Seconds since 1970.
    let now: Seconds

    func finding(_ response: DeviceResponseResult) -> MdocFinding {
        guard response.status == 0 else { return MdocFinding(refused: [.responseRefused(response.status)]) }
        let results = Self.results(response.documents)
        var shortcoming: (reason: MdocReason, document: DocumentResult, docType: String)?
        for question in questions {
            let docType = question.request.docType
            guard let document = response.verified.first(where: { $0.docType?.isExactly(docType) == true }) else { continue }
            if let reason = question.shortcoming(of: document, at: now) {
                if shortcoming == nil { shortcoming = (reason, document, docType) }
                continue
            }
            guard let believed = MdocDocument(document, question, isAlone: results.isEmpty) else { continue }
            return MdocFinding(.accept(believed), of: document, asked: docType, results: results)
        }
        let reasons = Self.reasons(response.documents) + (shortcoming.map { [$0.reason] } ?? [])
        let first = shortcoming?.document ?? Self.faulty(response.documents).first
        let asked = questions.first { question in first?.docType?.isExactly(question.request.docType) == true }
        let docType = shortcoming?.docType ?? asked?.request.docType
        return MdocFinding(.reject(reasons.isEmpty ? [.documentMissing] : reasons), of: first, asked: docType, results: results)
    }

    /// Documents with a fault, in the order of the steps; those of one step in the order in which they came.
    private static func faulty(_ documents: [DocumentResult]) -> [DocumentResult] {
        documents.enumerated().filter { $0.element.fault != nil }
            .sorted { ($0.element.fault?.step ?? 0, $0.offset) < ($1.element.fault?.step ?? 0, $1.offset) }
            .map(\.element)
    }

    private static func reasons(_ documents: [DocumentResult]) -> [MdocReason] {
        var reasons: [MdocReason] = []
        for document in faulty(documents) {
            guard let fault = document.fault else { continue }
            let reason = MdocReason.document(fault, document.detail)
            if !reasons.contains(reason) { reasons.append(reason) }
        }
        return reasons
    }

    private static func results(_ documents: [DocumentResult]) -> [MdocFault] {
        var results: [MdocFault] = []
        for document in faulty(documents) {
            if let fault = document.fault, !results.contains(fault) { results.append(fault) }
        }
        return results
    }
}

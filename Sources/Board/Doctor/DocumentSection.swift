import Appliance
import Cryptography
import Envelopes
import Mdoc
import Trust

/// Whom the gate believes about documents in phones (ISO/IEC 18013-5), and by what name it asks for them.
public enum DocumentSection {
    private static let name = "documents"

    /// - Parameters:
    ///   - asked: the kinds of documents that the gate asks for.
    ///   - reader: what is known of the gate's own key.
    ///   - now: seconds since 1970, as late as is certain.
    public static func examine(_ belief: MdocBelief, asked: [String], reader: ReaderState, at now: Seconds) -> DoctorReport.Section {
        var section = DoctorReport.Section(name)
        guard !belief.trust.roots.isEmpty else {
            section.summary = "nobody is believed about documents in phones"
            add(reader, belief, now, to: &section)
            return section
        }
        let docTypes = kinds(belief.trust.roots)
        section.summary = "\(Sentence.count(belief.trust.roots.count, "root")) for \(Sentence.count(docTypes.count, "kind")) of documents"
        for docType in docTypes { add(docType, belief.trust.roots, now, to: &section) }
        addAsked(asked, belief.trust.roots, to: &section)
        for vical in belief.contents.vicals { add(vical, now, to: &section) }
        addRevocations(belief, now, to: &section)
        for token in belief.contents.tokens { add(token, belief, now, to: &section) }
        add(reader, belief, now, to: &section)
        return section
    }

    /// Where the trust folder cannot be used, which is told already.
    public static var unknown: DoctorReport.Section { DoctorReport.Section(name, summary: "not known: the trust folder cannot be used") }

    private static func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds)" }

    /// Kinds of documents in the order in which roots name them.
    private static func kinds(_ roots: [IssuerRoot]) -> [String] {
        var kinds: [String] = []
        for docType in roots.flatMap({ $0.docTypes ?? [] }) where !kinds.contains(where: { $0.utf8.elementsEqual(docType.utf8) }) {
            kinds.append(docType)
        }
        return kinds
    }

    private static let renew = DoctorReport.Remedy(
        "Take a newer list, or pin another root, and make a new bundle", "gatehouse trust vical FILE")

    private static func add(_ docType: String, _ roots: [IssuerRoot], _ now: Seconds, to section: inout DoctorReport.Section) {
        let all = roots.filter { $0.vouches(for: docType) }, valid = all.filter { $0.validity.contains(now) }
        let countries = Set(valid.map(\.country)).sorted().joined(separator: " ")
        guard !valid.isEmpty else {
            return section.trouble(
                docType, "documents-ended", "none of its \(Sentence.count(all.count, "root")) is valid: no such document is accepted", renew
            )
        }
        let over = all.count - valid.count
        let text = "\(Sentence.count(valid.count, "root")) of \(countries)"
        if over == 0 { section.add(docType, text) } else { section.note(docType, "\(text); \(over) more not valid at this time", renew) }
    }

    /// A gate that asks for nothing that anybody vouches for rejects every phone. Of several kinds one is enough.
    private static func addAsked(_ asked: [String], _ roots: [IssuerRoot], to section: inout DoctorReport.Section) {
        guard !asked.isEmpty, !asked.contains(where: { docType in roots.contains { $0.vouches(for: docType) } }) else { return }
        section.trouble(
            "asked for", "documents-in-vain", "no root vouches for \(asked.joined(separator: ", ")): every phone is rejected",
            .init("Ask for a kind that is vouched for, or pin a root for one that is asked for", "gatehouse trust add-root FILE"))
    }

    private static func add(_ vical: MdocContents.Vical, _ now: Seconds, to section: inout DoctorReport.Section) {
        let text = "\(vical.issue.map { "number \($0)" } ?? "without a number"), of \(time(vical.date))"
        var doubts: [String] = []
        for warning in vical.warnings(at: now) {
            // Some providers write a new one every day: that alone says nothing.
            if case .past = warning { continue }
            doubts.append("\(warning)")
        }
        if doubts.isEmpty {
            section.add("list of \(vical.provider)", text)
        } else {
            section.note("list of \(vical.provider)", "\(text): \(doubts.joined(separator: "; "))", renew)
        }
    }

    private static func addRevocations(_ belief: MdocBelief, _ now: Seconds, to section: inout DoctorReport.Section) {
        let lists = belief.trust.revocationLists
        guard !lists.isEmpty else { return section.add("revocation lists", "none: no document signer is known to be revoked") }
        let covered = belief.trust.roots.count { root in lists.contains { $0.isIssued(by: root.certificate) } }
        let stale = lists.count { list in list.next.map { $0 < now } ?? false }
        let text = "\(lists.count), of \(covered) of \(Sentence.count(belief.trust.roots.count, "root"))"
        if stale == 0 {
            section.add("revocation lists", text)
        } else {
            section.note(
                "revocation lists", "\(text); \(stale) past their time: whoever was revoked since is not known to be",
                .init("Fetch them anew and make a new bundle", "gatehouse trust build"))
        }
    }

    private static func add(_ token: MdocContents.Token, _ belief: MdocBelief, _ now: Seconds, to section: inout DoctorReport.Section) {
        let name = "document status \(token.uri)", text = "fetched \(max(0, now - token.fetched) / 3600) hours ago"
        let renew = DoctorReport.Remedy("Fetch it anew and make a new bundle", "gatehouse trust build")
        guard let facts = StatusTokenFacts(token.bytes) else { return }
        if let expires = facts.expires, expires <= now {
            section.trouble(
                name, "document-status-ended", "\(text), ended at \(time(expires)): a document that names it is rejected", renew)
        } else if !facts.isUnder(belief.trust.roots) {
            section.note(
                name, "\(text), its signer is under none of the roots: only a document that names its certificate is served", renew)
        } else if facts.isDue(at: now) {
            section.note(name, "\(text), a newer one is due", renew)
        } else {
            section.add(name, text)
        }
    }

    // MARK: who asks

    private static func add(_ reader: ReaderState, _ belief: MdocBelief, _ now: Seconds, to section: inout DoctorReport.Section) {
        let certify = DoctorReport.Remedy(
            "Make a key, have it certified, and bring the certificates in a bundle", "gatehouse trust reader-key")
        switch reader {
        case .none:
            let more =
                belief.readers.isEmpty ? "" : ", though the bundle has certificates for \(Sentence.count(belief.readers.count, "reader"))"
            section.add("reader key", "none: phones are asked without a name\(more)")
        case .unusable(let sentence):
            section.trouble("reader key", "reader-key-unusable", "\(sentence): phones are asked without a name", certify)
        case .certified(let certificate):
            let name = "\(certificate.commonName ?? "without a name"), SHA-256 \(Hexadecimal.text(certificate.fingerprint))"
            guard let validity = certificate.validity, validity.contains(now) else {
                let end = certificate.validity.map { now > $0.upperBound ? "ended at \(time($0.upperBound))" : "is not valid yet" }
                return section.trouble(
                    "reader key", "reader-ended",
                    "\(name): the certificate \(end ?? "is never valid together with those above it"), and phones do not know who asks",
                    certify)
            }
            let doubts = certificate.warnings.map { "\($0)" }
            if doubts.isEmpty {
                section.add("reader key", "\(name), until \(time(validity.upperBound))")
            } else {
                section.note("reader key", "\(name): \(doubts.joined(separator: "; ")): phones may not show it", certify)
            }
        }
    }
}

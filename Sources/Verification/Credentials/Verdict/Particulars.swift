import Cryptography
import Envelopes
import JSON
import Trust

/// What a refused credential says of itself, read once more and believed nowhere: for the sentence beside the refusal.
struct Particulars {
    private(set) var all: [Particular] = []
    /// As stated.
    private(set) var issuer: String?

    init(octets count: Int) { see(.octets, ["\(count)"]) }

    /// - Parameters:
    ///   - reasons: why it was refused.
    ///   - status: what the lists said, where that was come to.
    ///   - time: that it was judged at, in seconds since 1970.
    init(
        of received: ReceivedCredential, _ reasons: [RejectReason], trust: TrustStore, witness: Witness, status: StatusFinding?,
        at time: Seconds
    ) {
        self.init(octets: received.bytes.count)
        switch received.form {
        case .sdJWT, .jwtVC: readToken(received.bytes)
        case .ldpVC: readDocument(received.bytes, reasons, trust, witness)
        case .cwt: readCWT(received.bytes)
        case .mdoc, .anoncreds, .trustedKey, .unknown: break
        }
        if let error = witness.proofError { see(.proof, ["\(error)"]) }
        let entry = issuer.flatMap { trust.issuer(named: $0) }
        see(
            .issuer, issuer.map { [$0] } ?? [],
            allowed: entry == nil ? trust.issuers.flatMap(\.ids) : reasons.contains(.issuerMismatch) ? entry?.ids ?? [] : [])
        see(.form, [received.form.rawValue], allowed: entry.map { $0.forms.map(\.rawValue).sorted() } ?? [])
        if let entry { compare(with: entry, reasons, witness, status) }
        if reasons.contains(.trustExpired), let terms = trust.terms {
            seeTime("notAfter", terms.notAfter)
        }
        if reasons.contains(.clockUnsure), let terms = trust.terms { seeTime("notBefore", terms.notBefore) }
        if !reasons.filter({ $0.subjects.contains(.time) }).isEmpty { seeTime("now", time) }
    }

    /// What the trust entry says, beside what was found.
    private mutating func compare(with entry: TrustedIssuer, _ reasons: [RejectReason], _ witness: Witness, _ status: StatusFinding?) {
        allow(.algorithm, entry.algorithms.map(\.rawValue).sorted())
        allow(.key, entry.keys.map(\.id))
        allow(.suite, entry.suites.map(\.name).sorted())
        if !witness.types.isEmpty { replace(.type, witness.types) }
        allow(.type, entry.types)
        if let stated = witness.stated {
            all.removeAll { $0.subject == .list }
            see(stated)
        }
        if let fault = status?.fault { see(.list, [fault.rawValue]) }
        if entry.roots.isEmpty, all.contains(where: { $0.subject == .certificate }) { see(.certificate, ["no root is pinned"]) }
        allow(.audience, entry.audiences)
        allow(
            .certificate,
            reasons.contains(.certificateUsageRefused) ? entry.extendedKeyUsages.map { "usage \($0)" } : entry.certificateNames)
        for case .claimMissing(let role) in reasons {
            see(.claim, [], allowed: (entry.claims[role] ?? []).map { $0.joined(separator: "/") })
        }
    }

    mutating func see(_ subject: Particular.Subject, _ found: [String], allowed: [String] = []) {
        guard let index = all.firstIndex(where: { $0.subject == subject }) else {
            if let particular = Particular(subject, found, allowed: allowed) { all.append(particular) }
            return
        }
        if let both = Particular(subject, all[index].found + found, allowed: all[index].allowed + allowed) { all[index] = both }
    }

    private mutating func replace(_ subject: Particular.Subject, _ found: [String]) {
        all.removeAll { $0.subject == subject }
        see(subject, found)
    }

    /// Only beside what was found.
    private mutating func allow(_ subject: Particular.Subject, _ allowed: [String]) { see(subject, [], allowed: allowed) }

    mutating func state(issuer text: String?) { issuer = text }

    mutating func seeTime(_ name: String, _ seconds: Seconds) { see(.time, ["\(name) \(Timestamp.text(seconds) ?? "\(seconds)")"]) }

    mutating func see(_ stated: [StatedStatus]) {
        for status in stated {
            switch status {
            case .entry(let entry): see(.list, ["\(entry.list) entry \(entry.index)"])
            case .unreadable: see(.list, ["an entry that cannot be read"])
            }
        }
    }

    /// Names on the certificate that signed.
    mutating func see(certificates: [[UInt8]]?) {
        guard let leaf = certificates?.first else { return }
        guard let certificate = try? Certificate(leaf.span) else { return see(.certificate, ["not X.509 in DER, \(leaf.count) octets"]) }
        guard let names = try? certificate.alternativeNames() else { return see(.certificate, ["names that are not well-formed"]) }
        see(.certificate, names.uris + names.dns)
        if names.uris.isEmpty, names.dns.isEmpty { see(.certificate, ["no name of a kind that counts"]) }
        for each in certificates?.prefix(Particular.most).compactMap({ try? Certificate($0.span) }) ?? [] {
            if let usages = try? each.extendedKeyUsages() { see(.certificate, usages.map { "usage \($0)" }) }
        }
        if let times = try? certificate.validity() {
            see(.certificate, ["valid \(Timestamp.text(times.lowerBound) ?? "") to \(Timestamp.text(times.upperBound) ?? "")"])
        }
    }
}

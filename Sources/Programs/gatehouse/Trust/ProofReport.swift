import Appliance
import Envelopes
import JSON
import Trust

/// What a bundle says about AnonCreds credentials and keys of Trusted Key wallets, for people and for programs.
struct ProofReport {
    let contents: TrustContents
    let now: Seconds
    /// As a gate reads it; nil where it cannot.
    let store: TrustStore?
    let fault: String?

    init(_ contents: TrustContents, at now: Seconds) {
        self.contents = contents
        self.now = now
        let proofs = TrustContents(issuers: contents.issuers, anoncreds: contents.anoncreds, trustedKey: contents.trustedKey)
        guard !proofs.issuers.isEmpty else {
            (store, fault) = (nil, nil)
            return
        }
        do throws(TrustError) {
            (store, fault) = (try TrustStore(proofs), nil)
        } catch {
            (store, fault) = (nil, printable(error.description))
        }
    }

    static func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds)" }

    private func ago(_ seconds: Seconds) -> String { "\(Self.time(seconds)), \(span(of: max(0, now - seconds))) ago" }

    private var hasProofs: Bool { !contents.anoncreds.isEmpty || !contents.trustedKey.isEmpty }

    // MARK: text

    var rows: [String] {
        guard let store else { return hasProofs ? fault.map { ["! proofs: \($0)"] } ?? [] : [] }
        var rows: [String] = []
        for file in contents.anoncreds.files {
            rows.append("anoncreds \(printable(file.name)) \(file.bytes.count) octets SHA-256 \(fingerprint(file.bytes))")
        }
        for definition in store.anoncreds.definitions { rows += self.rows(definition) }
        return rows + self.rows(store.trustedKey)
    }

    private func rows(_ definition: BelievedDefinition) -> [String] {
        var rows = ["definition \(Self.words(definition))"]
        rows.append(
            "  schema \(printable(definition.schemaName)) \(printable(definition.schemaVersion)), \(printable(definition.schemaID)) of \(printable(definition.schemaIssuerID))"
        )
        rows.append("  attributes \(definition.attributes.map(printable).joined(separator: ", "))")
        let roles = ClaimRole.allCases.compactMap { role in definition.roles[role].map { "\(role.rawValue) is \(printable($0))" } }
        if !roles.isEmpty { rows.append("  " + roles.joined(separator: ", ")) }
        rows.append("  " + (definition.expiry.map { "holds until the day in \(printable($0))" } ?? "never expires"))
        if definition.canBeRevoked, definition.registries.isEmpty { rows.append("  ! no registry: nobody can prove not to be revoked") }
        for registry in definition.registries { rows += self.rows(registry, definition.status) }
        return rows
    }

    /// Who signs what for which types, in one line.
    static func words(_ definition: BelievedDefinition) -> String {
        var words = "\(printable(definition.id)) of \(printable(definition.issuerID)), \(definition.modulusBits) bits"
        words += ", for \(definition.types.map(printable).joined(separator: " "))"
        words += definition.canBeRevoked ? ", can be revoked" : ", cannot be revoked"
        if let from = definition.notBefore { words += ", from \(time(from))" }
        if let until = definition.notAfter { words += ", until \(time(until))" }
        return words
    }

    private func rows(_ registry: BelievedDefinition.Registry, _ policy: StatusPolicy) -> [String] {
        guard let newest = registry.newest else {
            return ["  registry \(printable(registry.id))", "  ! without a status list: nobody can prove not to be revoked"]
        }
        let count = Sentence.count(registry.lists.count, "list")
        var rows = [
            "  registry \(printable(registry.id)), \(count), the newest of \(Self.time(newest.timestamp)), fetched \(ago(newest.fetched))"
        ]
        if !policy.isIgnored, now - newest.fetched > policy.hardAge { rows.append("  ! too old: it says nothing any more") }
        return rows
    }

    private func rows(_ belief: TrustedKeyBelief) -> [String] {
        guard let question = belief.question else { return [] }
        var rows = [
            "trusted key client \(printable(question.clientID)), wallet \(printable(question.wallet)), asks for \(question.objects.map(\.identifier).joined(separator: " "))"
        ]
        for (place, root) in belief.trust.roots.enumerated() {
            let owner = belief.issuer(ofRoot: place)?.ids.first ?? ""
            rows.append("trusted key root SHA-256 \(Hexadecimal.text(root.fingerprint)) of \(printable(owner))")
            guard let validity = root.validity else { continue }
            rows.append("  valid \(Self.time(validity.lowerBound)) until \(Self.time(validity.upperBound))")
            if !validity.contains(now) { rows.append("  ! it is not valid at this time: no claim under it is believed") }
        }
        for issuer in belief.issuers {
            guard let list = issuer.addresses else {
                if !issuer.status.isIgnored { rows.append("! no list of revoked addresses of \(printable(issuer.ids.first ?? ""))") }
                continue
            }
            let words = list.count == 1 ? "1 revoked address" : "\(list.count) revoked addresses"
            rows.append("address list \(printable(list.url)), \(words), fetched \(ago(list.fetched))")
            if now - list.fetched > issuer.status.hardAge { rows.append("  ! too old: it says nothing any more but whom it revoked") }
        }
        return rows
    }
}

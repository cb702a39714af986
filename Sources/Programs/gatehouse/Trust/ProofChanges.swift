import Envelopes
import JSON
import Trust

/// What a new bundle changes about AnonCreds and Trusted Key, for whoever signs it.
struct ProofChanges {
    private let difference: TrustBundleDifference
    private let old: ProofReport
    private let new: ProofReport

    init(_ difference: TrustBundleDifference, from old: TrustBundle, to new: TrustBundle) {
        self.difference = difference
        // Ages are not looked at here.
        self.old = ProofReport(old.contents, at: old.created)
        self.new = ProofReport(new.contents, at: new.created)
    }

    var rows: [String] {
        let change = difference.anoncreds
        var rows: [String] = []
        for (sign, names) in [("+", change.schemas.added), ("-", change.schemas.removed), ("~", change.schemas.changed)] {
            rows += names.map { "\(sign) schema \(printable($0))" }
        }
        rows += change.definitions.added.map { "+ definition \(words($0, in: new))" }
        rows += change.definitions.removed.map { "- definition \(printable($0))" }
        rows += change.definitions.changed.map { "~ definition \(words($0, in: new))" }
        for (sign, names) in [("+", change.registries.added), ("-", change.registries.removed), ("~", change.registries.changed)] {
            rows += names.map { "\(sign) registry \(printable($0))" }
        }
        for list in change.newestLists { rows += self.rows(list) }
        if let fault = new.fault, !change.isEmpty { rows.append("! proofs: \(fault)") }
        return rows + addressLists
    }

    private func words(_ id: String, in report: ProofReport) -> String {
        report.store?.anoncreds.definition(id).map(ProofReport.words) ?? printable(id)
    }

    private func rows(_ list: AnonCredsDifference.NewestList) -> [String] {
        let name = printable(list.registry)
        switch (list.before, list.after) {
        case (nil, let after?): return ["  status list of \(name): of \(ProofReport.time(after))"]
        case (let before?, nil):
            return [
                "! status list of \(name): none, was of \(ProofReport.time(before)): nobody can prove not to be revoked"
            ]
        case (let before?, let after?):
            let row = "  status list of \(name): of \(ProofReport.time(after)), was of \(ProofReport.time(before))"
            guard after < before else { return [row] }
            return [row, "! status list of \(name): made before the one so far: whoever was revoked since is good again"]
        case (nil, nil): return []
        }
    }

    private var addressLists: [String] {
        let lists = difference.addressLists
        var rows: [String] = []
        for (sign, names) in [("+", lists.added), ("-", lists.removed)] { rows += names.map { "\(sign) address list \(printable($0))" } }
        for url in lists.changed {
            guard let before = old.list(url), let after = new.list(url) else { continue }
            let gone = Self.addresses(before).subtracting(Self.addresses(after)).count
            let come = Self.addresses(after).subtracting(Self.addresses(before)).count
            rows.append("~ address list \(printable(url)): \(come) newly revoked, \(gone) good again")
            if after.fetched < before.fetched { rows.append("! address list \(printable(url)): taken before the one so far") }
        }
        return rows
    }

    private static func addresses(_ list: TrustedKeyContents.AddressList) -> Set<[UInt8]> { Set(list.each) }

    // MARK: JSON

    /// The members `anoncreds` and `trustedkey`; none where neither bundle says anything.
    func write(to writer: inout JSONWriter) {
        if !old.contents.anoncreds.isEmpty || !new.contents.anoncreds.isEmpty {
            let change = difference.anoncreds
            writer.name("anoncreds")
            writer.object { writer in
                TrustDiff.write("schemas", change.schemas, to: &writer)
                TrustDiff.write("definitions", change.definitions, to: &writer)
                TrustDiff.write("registries", change.registries, to: &writer)
                writer.name("newestLists")
                writer.array { writer in
                    for list in change.newestLists {
                        writer.object {
                            $0.member("registry", list.registry)
                            if let before = list.before { $0.member("before", ProofReport.time(before)) }
                            if let after = list.after { $0.member("after", ProofReport.time(after)) }
                        }
                    }
                }
            }
        }
        guard !old.contents.trustedKey.isEmpty || !new.contents.trustedKey.isEmpty else { return }
        writer.name("trustedkey")
        writer.object { TrustDiff.write("lists", difference.addressLists, to: &$0) }
    }
}

extension ProofReport {
    fileprivate func list(_ url: String) -> TrustedKeyContents.AddressList? {
        contents.trustedKey.lists.first { $0.url.utf8.elementsEqual(url.utf8) }
    }
}

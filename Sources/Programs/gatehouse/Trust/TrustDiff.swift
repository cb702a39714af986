import Appliance
import ArgumentParser
import Credentials
import JSON
import Trust

struct TrustDiff: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what a new bundle changes: what a signer has to look at.",
        discussion: "Signatures are not checked here; `gatehouse trust inspect --root` does that.")

    @Argument(help: "The bundle that is in force, signed or not.")
    var old: String

    @Argument(help: "The bundle that is to replace it, signed or not.")
    var new: String

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let old = try TrustFile(old).content, new = try TrustFile(new).content
        let difference = TrustBundleDifference(from: old, to: new), changes = Self.statusChanges(old, new)
        say(json ? Self.json(old, new, difference, changes) : Self.text(old, new, difference, changes).joined(separator: "\n"), to: 1)
    }

    /// Whom the lists turn away: by far the most that a new bundle does to people. None where one of the bundles cannot be used at all.
    private static func statusChanges(_ old: TrustBundle, _ new: TrustBundle) -> [StatusListChange] {
        guard let before = try? TrustStore(old.contents), let after = try? TrustStore(new.contents) else { return [] }
        return after.statusChanges(from: before)
    }

    // MARK: text

    private static func text(
        _ old: TrustBundle, _ new: TrustBundle, _ difference: TrustBundleDifference, _ changes: [StatusListChange]
    ) -> [String] {
        let report = BundleReport(new), before = BundleReport(old)
        var rows: [String] = []
        func row(_ name: String, _ one: String, _ other: String) {
            rows.append(one == other ? "  \(name) \(one)" : "~ \(name) \(one) -> \(other)")
        }
        row("sequence", "\(old.sequence)", "\(new.sequence)")
        if new.sequence <= old.sequence, old != new {
            rows.append("! the sequence number does not grow: no gate that has the old bundle will take the new one")
        }
        row("created", report.time(old.created), report.time(new.created))
        row("valid from", report.time(old.notBefore), report.time(new.notBefore))
        row("valid until", report.time(old.notAfter), report.time(new.notAfter))
        row("while the clock is unsure", old.clock.rawValue, new.clock.rawValue)
        for issuer in new.contents.issuers where contains(difference.issuers.added, issuer.name) {
            rows += report.rows(issuer).enumerated().map { ($0.offset == 0 ? "+ " : "  ") + $0.element }
        }
        for name in difference.issuers.removed { rows.append("- issuer \(printable(name))") }
        for change in difference.issuerChanges { rows += issuer(change, old, new) }
        for context in new.contents.contexts where contains(difference.contexts.added, context.url) {
            rows.append("+ " + report.row(context))
        }
        for url in difference.contexts.removed { rows.append("- context \(printable(url))") }
        for context in new.contents.contexts where contains(difference.contexts.changed, context.url) {
            let was = old.contents.contexts.first { same($0.url, context.url) }
            rows.append("~ \(report.row(context)), was \(fingerprint(was?.bytes ?? []))")
        }
        for list in new.contents.lists where contains(difference.lists.added, list.url) { rows.append("+ " + report.row(list)) }
        for url in difference.lists.removed { rows.append("- list \(printable(url))") }
        for list in new.contents.lists where contains(difference.lists.changed, list.url) {
            let was = old.contents.lists.first { same($0.url, list.url) }
            rows.append("~ \(report.row(list))" + (was.map { ", was " + before.row($0) } ?? ""))
        }
        rows += MdocChanges(difference.mdoc, from: old, to: new).rows
        rows += ProofChanges(difference, from: old, to: new).rows
        for change in changes {
            let doubt = change.isComparable ? "" : " (all of them: the list has another shape than before)"
            rows.append(
                "  list \(printable(change.url)): \(change.revoked) newly revoked, \(change.suspended) newly suspended, \(change.restored) good again\(doubt)"
            )
        }
        for list in (try? SilentLists.found(new.contents, at: TrustSource.now)) ?? [] {
            rows.append("! list \(printable(list.url)) says nothing: \(list.fault.rawValue)")
        }
        return rows
    }

    private static func issuer(_ change: TrustBundleDifference.IssuerChange, _ old: TrustBundle, _ new: TrustBundle) -> [String] {
        var rows = ["~ issuer \(printable(change.name))"]
        func issuer(_ bundle: TrustBundle) -> TrustContents.IssuerText? { bundle.contents.issuers.first { same($0.name, change.name) } }
        func member(_ name: String, _ bundle: TrustBundle) -> String {
            if name == "contentKeys" {
                let keys = issuer(bundle).flatMap { BundleReport.read($0).issuer }?.contentKeys ?? []
                return keys.map { "\(printable($0.id)) AES-\($0.bits)" }.joined(separator: " ")
            }
            return issuer(bundle).flatMap { try? JSONDocument(parsing: $0.bytes).root[name] }.map(BundleReport.value) ?? ""
        }
        func key(_ id: String, _ bundle: TrustBundle) -> String {
            let key = issuer(bundle).flatMap { BundleReport.read($0).issuer }?.keys.first { same($0.id, id) }
            return key.map(BundleReport.row) ?? printable(id)
        }
        for name in change.members.added where name != "x509" { rows.append("  + \(printable(name)) \(member(name, new))") }
        for name in change.members.removed where name != "x509" { rows.append("  - \(printable(name)) \(member(name, old))") }
        rows += certificates(change.members, issuer(old), issuer(new))
        for name in change.members.changed where name != "keys" && name != "x509" {
            rows.append("  ~ \(printable(name)) \(member(name, old)) -> \(member(name, new))")
        }
        for id in change.keys.added { rows.append("  + key \(key(id, new))") }
        for id in change.keys.removed { rows.append("  - key \(key(id, old))") }
        for id in change.keys.changed { rows.append("  ~ key \(key(id, old)) -> \(key(id, new))") }
        return rows
    }

    /// What an issuer's certificates may come from and be for: the member as it is written is long, and says nothing to people.
    private static func certificates(
        _ members: TrustBundleDifference.Names, _ old: TrustContents.IssuerText?, _ new: TrustContents.IssuerText?
    ) -> [String] {
        let isNew = contains(members.added, "x509"), isGone = contains(members.removed, "x509")
        guard isNew || isGone || contains(members.changed, "x509") else { return [] }
        func terms(_ issuer: TrustContents.IssuerText?) -> String {
            issuer.flatMap { BundleReport.read($0).issuer }.map(BundleReport.certificates) ?? ""
        }
        let before = old.map(BundleReport.roots) ?? [], after = new.map(BundleReport.roots) ?? []
        let change =
            isNew
            ? "  + certificates \(terms(new))"
            : isGone ? "  - certificates \(terms(old))" : "  ~ certificates \(terms(old)) -> \(terms(new))"
        return [change] + after.filter { !before.contains($0) }.map { "  + root \($0)" }
            + before.filter { !after.contains($0) }.map { "  - root \($0)" }
    }

    private static func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
    private static func contains(_ names: [String], _ name: String) -> Bool { names.contains { same($0, name) } }

    // MARK: JSON

    private static func json(
        _ old: TrustBundle, _ new: TrustBundle, _ difference: TrustBundleDifference, _ changes: [StatusListChange]
    ) -> String {
        let report = BundleReport(new)
        var writer = JSONWriter()
        writer.object { writer in
            func pair(_ name: String, _ one: String, _ other: String) {
                writer.name(name)
                writer.array {
                    $0.string(one)
                    $0.string(other)
                }
            }
            writer.name("sequence")
            writer.array {
                $0.integer(old.sequence)
                $0.integer(new.sequence)
            }
            pair("created", report.time(old.created), report.time(new.created))
            pair("notBefore", report.time(old.notBefore), report.time(new.notBefore))
            pair("notAfter", report.time(old.notAfter), report.time(new.notAfter))
            pair("clock", old.clock.rawValue, new.clock.rawValue)
            write("issuers", difference.issuers, to: &writer)
            writer.name("issuerChanges")
            writer.array { writer in
                for change in difference.issuerChanges {
                    writer.object {
                        $0.member("name", change.name)
                        write("members", change.members, to: &$0)
                        write("keys", change.keys, to: &$0)
                    }
                }
            }
            write("contexts", difference.contexts, to: &writer)
            write("lists", difference.lists, to: &writer)
            MdocChanges(difference.mdoc, from: old, to: new).write(to: &writer)
            ProofChanges(difference, from: old, to: new).write(to: &writer)
            writer.name("statusChanges")
            writer.array { writer in
                for change in changes {
                    writer.object {
                        $0.member("url", change.url)
                        $0.member("revoked", change.revoked)
                        $0.member("suspended", change.suspended)
                        $0.member("restored", change.restored)
                        $0.member("comparable", change.isComparable)
                    }
                }
            }
        }
        return escaped(writer.text)
    }

    static func write(_ name: String, _ names: TrustBundleDifference.Names, to writer: inout JSONWriter) {
        writer.name(name)
        writer.object { writer in
            for (kind, list) in [("added", names.added), ("removed", names.removed), ("changed", names.changed)] {
                writer.name(kind)
                writer.array { for name in list { $0.string(name) } }
            }
        }
    }
}

import Cryptography
import Envelopes
import JSON
import Mdoc
import Trust

/// What a bundle says about documents in phones, for people and for programs.
struct MdocReport {
    let contents: MdocContents
    let now: Seconds
    /// As a gate reads it; nil where it cannot.
    private let belief: MdocBelief?
    private let fault: String?

    init(_ contents: MdocContents, at now: Seconds) {
        self.contents = contents
        self.now = now
        do throws(TrustError) {
            (belief, fault) = (try MdocBelief(contents), nil)
        } catch {
            (belief, fault) = (nil, printable(error.description))
        }
    }

    private static func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds)" }

    // MARK: text

    var rows: [String] {
        guard let belief else { return fault.map { ["! documents in phones: \($0)"] } ?? [] }
        var all: [String] = []
        for (root, source) in zip(belief.trust.roots, contents.roots) { all += rows(root, source) }
        for vical in contents.vicals { all += rows(vical) }
        for list in contents.revocations { all.append(row(list)) }
        for token in contents.tokens { all.append(row(token)) }
        for reader in belief.readers { all += rows(reader) }
        return all
    }

    private func rows(_ root: IssuerRoot, _ source: MdocContents.Root) -> [String] {
        let row = "document root " + Self.words(root, source)
        let end = RootWords.end(root, at: now).map { ["  ! \($0)"] } ?? []
        return [row, "  valid \(Self.time(root.validity.lowerBound)) until \(Self.time(root.validity.upperBound))"] + end
    }

    static func words(_ root: IssuerRoot, _ source: MdocContents.Root) -> String {
        let origin = source.provider.map { "from the list of \(printable($0))" } ?? "pinned by hand"
        // With another usage other certificates of the authority's sign documents: whoever signs the bundle has to see it.
        let usage = source.signerUsage.map { ", its signers have \(printable($0))" } ?? ""
        return "\(RootWords.name(root)) for \(source.docTypes.map(printable).joined(separator: " ")), \(origin)\(usage)"
    }

    func rows(_ vical: MdocContents.Vical) -> [String] {
        let doubts = vical.warnings(at: now).map { "  ! \($0)" }
        return ["list of document roots of " + Self.words(vical)] + doubts
    }

    static func words(_ vical: MdocContents.Vical) -> String {
        let number = vical.issue.map { "number \($0)" } ?? "without a number"
        let digests = "SHA-256 \(Hexadecimal.text(vical.digest)), signed with SHA-256 \(Hexadecimal.text(vical.signer))"
        return "\(printable(vical.provider)) \(number) of \(time(vical.date)), \(digests)"
    }

    private func row(_ revocations: MdocContents.Revocations) -> String {
        let size = "\(revocations.bytes.count) octets SHA-256 \(fingerprint(revocations.bytes))"
        var row = "revocation list \(size) fetched \(Self.time(revocations.fetched))"
        guard let list = try? RevocationList(revocations.bytes.span) else { return row }
        if let root = belief?.trust.roots.first(where: { list.isIssued(by: $0.certificate) }) { row += ", of \(RootWords.name(root))" }
        if let next = list.next {
            row += next < now ? ", was to be renewed at \(Self.time(next))" : ", to be renewed at \(Self.time(next))"
        }
        return row
    }

    private func row(_ token: MdocContents.Token) -> String {
        let size = "\(token.bytes.count) octets SHA-256 \(fingerprint(token.bytes))", age = span(of: max(0, now - token.fetched))
        var row = "document status \(printable(token.uri)) \(size) fetched \(Self.time(token.fetched)), \(age) ago"
        if let end = StatusTokenFacts(token.bytes)?.expires { row += ", \(end <= now ? "ended" : "ends") at \(Self.time(end))" }
        return row
    }

    private func rows(_ reader: ReaderCertificate) -> [String] {
        let count = reader.chain.count - 1, above = count == 0 ? "" : ", \(count) above it"
        let end = reader.validity.map { " until \(Self.time($0.upperBound))" } ?? ", never valid together with those above it"
        var rows = [
            "reader \(printable(reader.commonName ?? "without a name")) SHA-256 \(Hexadecimal.text(reader.fingerprint))\(end)\(above)"
        ]
        if let validity = reader.validity, !validity.contains(now) {
            rows.append("  ! it is not valid at this time: phones do not know who asks")
        }
        return rows + reader.warnings.map { "  ! \($0)" }
    }

    // MARK: JSON

    /// The member `mdoc`; none where there is nothing.
    func write(to writer: inout JSONWriter) {
        guard !contents.isEmpty else { return }
        writer.name("mdoc")
        writer.object { writer in
            if let fault { writer.member("fault", fault) }
            writer.name("roots")
            writer.array { writer in
                for (place, root) in contents.roots.enumerated() { write(root, belief?.trust.roots[place], to: &writer) }
            }
            writer.name("vicals")
            writer.array { writer in for vical in contents.vicals { write(vical, to: &writer) } }
            writer.name("revocationLists")
            writer.array { writer in for list in contents.revocations { write(list, to: &writer) } }
            writer.name("statusTokens")
            writer.array { writer in for token in contents.tokens { write(token, to: &writer) } }
            writer.name("readers")
            writer.array { writer in for reader in belief?.readers ?? [] { write(reader, to: &writer) } }
        }
    }

    private func write(_ root: MdocContents.Root, _ found: IssuerRoot?, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sha256", fingerprint(root.certificate))
            writer.member("country", root.country)
            writer.name("docTypes")
            writer.array { writer in for docType in root.docTypes { writer.string(docType) } }
            if let usage = root.signerUsage { writer.member("signerUsage", usage) }
            if let provider = root.provider { writer.member("vical", provider) }
            guard let found else { return }
            if let name = found.commonName { writer.member("name", name) }
            writer.member("notBefore", Self.time(found.validity.lowerBound))
            writer.member("notAfter", Self.time(found.validity.upperBound))
        }
    }

    private func write(_ vical: MdocContents.Vical, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("provider", vical.provider)
            if let issue = vical.issue { writer.member("issue", issue) }
            writer.member("date", Self.time(vical.date))
            if let next = vical.nextUpdate { writer.member("nextUpdate", Self.time(next)) }
            writer.member("sha256", Hexadecimal.text(vical.digest))
            writer.member("signer", Hexadecimal.text(vical.signer))
        }
    }

    private func write(_ revocations: MdocContents.Revocations, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("octets", revocations.bytes.count)
            writer.member("sha256", fingerprint(revocations.bytes))
            writer.member("fetched", Self.time(revocations.fetched))
            writer.member("age", max(0, now - revocations.fetched))
            guard let next = (try? RevocationList(revocations.bytes.span))?.next else { return }
            writer.member("nextUpdate", Self.time(next))
        }
    }

    private func write(_ token: MdocContents.Token, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("url", token.uri)
            writer.member("octets", token.bytes.count)
            writer.member("sha256", fingerprint(token.bytes))
            writer.member("fetched", Self.time(token.fetched))
            writer.member("age", max(0, now - token.fetched))
            if let expires = StatusTokenFacts(token.bytes)?.expires { writer.member("notAfter", Self.time(expires)) }
        }
    }

    private func write(_ reader: ReaderCertificate, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sha256", Hexadecimal.text(reader.fingerprint))
            if let name = reader.commonName { writer.member("name", name) }
            if let validity = reader.validity {
                writer.member("notBefore", Self.time(validity.lowerBound))
                writer.member("notAfter", Self.time(validity.upperBound))
            }
            writer.name("warnings")
            writer.array { writer in for warning in reader.warnings { writer.string(warning.rawValue) } }
        }
    }
}

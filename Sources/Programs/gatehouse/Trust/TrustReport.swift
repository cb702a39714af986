import Appliance
import Cryptography
import Envelopes
import JSON
import Trust

/// A bundle's contents for people and for programs.
struct BundleReport {
    let bundle: TrustBundle
    /// SHA-256 of the payload.
    let digest: String

    init(_ bundle: TrustBundle) {
        self.bundle = bundle
        digest = fingerprint((try? bundle.encoded()) ?? [])
    }

    func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds)" }

    // MARK: text

    func rows(_ issuer: TrustContents.IssuerText) -> [String] {
        var rows = ["issuer \(printable(issuer.name)) SHA-256 \(fingerprint(issuer.bytes))"]
        guard let members = try? JSONDocument(parsing: issuer.bytes).root.members else { return rows + ["  not readable"] }
        for member in members where !["gatehouse-trust", "keys", "x509", "contentKeys"].contains(member.name) {
            rows.append("  \(printable(member.name)) \(Self.value(member.value))")
        }
        let (found, fault) = Self.read(issuer)
        if let fault { rows.append("  ! " + fault) }
        for key in found?.keys ?? [] { rows.append("  key \(Self.row(key))") }
        for key in found?.contentKeys ?? [] { rows.append("  content key \(Self.row(key))") }
        if let found, !found.roots.isEmpty {
            rows.append("  certificates " + Self.certificates(found))
            rows += Self.roots(issuer).map { "    root \($0)" }
        }
        return rows
    }

    /// For whom and for what certificates may be made: all that a signer has to look at but the roots.
    static func certificates(_ issuer: TrustedIssuer) -> String {
        if issuer.trustedKey != nil { return "under \(Sentence.count(issuer.roots.count, "root")), for claims over wallets' keys" }
        let names = issuer.certificateNames.isEmpty ? "its ids" : issuer.certificateNames.map(printable).joined(separator: " ")
        return
            "under \(Sentence.count(issuer.roots.count, "root")), for \(names), with the extended key usages \(issuer.extendedKeyUsages.map(printable).joined(separator: " "))"
    }

    /// The digest of each root's DER, as `openssl x509 -fingerprint -sha256` has it.
    static func roots(_ issuer: TrustContents.IssuerText) -> [String] {
        guard let roots = try? JSONDocument(parsing: issuer.bytes).root["x509"]?["roots"]?.elements.map(Array.init) else { return [] }
        return roots.map { root in
            root.string.flatMap { PEMCertificate.decode($0) }.map { "SHA-256 \(fingerprint($0))" } ?? "that is no certificate in PEM"
        }
    }

    func row(_ context: TrustContents.ContextDocument) -> String {
        "context \(printable(context.url)) \(context.bytes.count) octets SHA-256 \(fingerprint(context.bytes))"
    }

    func row(_ list: PinnedStatusList) -> String {
        "list \(printable(list.url)) \(list.bytes.count) octets SHA-256 \(fingerprint(list.bytes)) fetched \(time(list.fetched))"
    }

    /// A key's id, kind, digest and times, in one line.
    static func row(_ key: TrustedKey) -> String {
        var row = "\(printable(key.id)) \(kind(key.key)) SHA-256 \(fingerprint((try? key.key.subjectPublicKeyInfo()) ?? []))"
        if let algorithm = key.algorithm { row += " only \(algorithm.rawValue)" }
        if let from = key.notBefore { row += " from \(Timestamp.text(from) ?? "\(from)")" }
        if let until = key.notAfter { row += " until \(Timestamp.text(until) ?? "\(until)")" }
        return row
    }

    /// Nothing of the key itself, not even its digest: it is a secret.
    static func row(_ key: TrustedContentKey) -> String { "\(printable(key.id)) AES-\(key.bits), a secret that every gate has" }

    static func kind(_ key: PublicKey) -> String {
        switch key.kind {
        case .p256: "P-256"
        case .p384: "P-384"
        case .secp256k1: "secp256k1"
        case .ed25519: "Ed25519"
        case .rsa(let bits): "RSA-\(bits)"
        }
    }

    /// Strings without their quotes and brackets, everything else as JSON. What is in a trust file is never long, except what nobody reads.
    static func value(_ value: JSONValue) -> String {
        if let text = value.string { return printable(text) }
        if let elements = value.elements, elements.allSatisfy({ $0.kind == .string }) {
            return elements.map { Self.value($0) }.joined(separator: " ")
        }
        let source = value.source
        return source.count <= 2000 ? printable(String(decoding: source, as: UTF8.self)) : "(\(source.count) octets)"
    }

    /// The issuer as a gate reads it, or what is wrong with it.
    static func read(_ issuer: TrustContents.IssuerText) -> (issuer: TrustedIssuer?, fault: String?) {
        do throws(TrustError) {
            return (try TrustedIssuer(issuer), nil)
        } catch {
            return (nil, printable(error.description))
        }
    }

    // MARK: JSON

    func write(to writer: inout JSONWriter, now: Seconds) {
        writer.member("sequence", bundle.sequence)
        writer.member("sha256", digest)
        writer.member("created", time(bundle.created))
        writer.member("notBefore", time(bundle.notBefore))
        writer.member("notAfter", time(bundle.notAfter))
        writer.member("clock", bundle.clock.rawValue)
        writer.name("issuers")
        writer.array { writer in for issuer in bundle.contents.issuers { write(issuer, to: &writer) } }
        writer.name("contexts")
        writer.array { writer in
            for context in bundle.contents.contexts {
                writer.object {
                    $0.member("url", context.url)
                    $0.member("octets", context.bytes.count)
                    $0.member("sha256", fingerprint(context.bytes))
                }
            }
        }
        writer.name("lists")
        writer.array { writer in
            let faults = (try? SilentLists.found(bundle.contents, at: now)) ?? []
            for list in bundle.contents.lists {
                writer.object {
                    $0.member("url", list.url)
                    $0.member("octets", list.bytes.count)
                    $0.member("sha256", fingerprint(list.bytes))
                    $0.member("fetched", time(list.fetched))
                    $0.member("age", max(0, now - list.fetched))
                    if let fault = faults.first(where: { Array($0.url.utf8) == Array(list.url.utf8) })?.fault {
                        $0.member("fault", fault.rawValue)
                    }
                }
            }
        }
        MdocReport(bundle.contents.mdoc, at: now).write(to: &writer)
        ProofReport(bundle.contents, at: now).write(to: &writer)
    }

    private func write(_ issuer: TrustContents.IssuerText, to writer: inout JSONWriter) {
        let (found, fault) = Self.read(issuer)
        writer.object { writer in
            writer.member("name", issuer.name)
            writer.member("sha256", fingerprint(issuer.bytes))
            if let fault { writer.member("fault", fault) }
            writer.name("keys")
            writer.array { writer in
                for key in found?.keys ?? [] {
                    writer.object {
                        $0.member("kid", key.id)
                        $0.member("kind", Self.kind(key.key))
                        $0.member("sha256", fingerprint((try? key.key.subjectPublicKeyInfo()) ?? []))
                    }
                }
            }
            guard let entry = try? JSONDocument(parsing: issuer.bytes).root else { return }
            writer.name("entry")
            Self.write(entry: entry, to: &writer)
        }
    }

    /// The entry as it is, but for keys that are secrets: of those only the ids.
    private static func write(entry: JSONValue, to writer: inout JSONWriter) {
        guard entry["contentKeys"] != nil, let members = entry.members else { return writer.copy(entry) }
        writer.object { writer in
            for member in members {
                writer.name(copying: member.key)
                guard member.key.isString("contentKeys") else {
                    writer.copy(member.value)
                    continue
                }
                writer.array { writer in
                    for key in member.value.elements.map(Array.init) ?? [] {
                        writer.object { if let id = key["kid"]?.string { $0.member("kid", id) } }
                    }
                }
            }
        }
    }
}

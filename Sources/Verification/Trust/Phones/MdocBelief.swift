import Cryptography
import Envelopes
import Mdoc

/// What a gate believes about documents in phones: `MdocContents` looked at, whole or not at all.
public struct MdocBelief: Sendable {
    /// What a response is verified by.
    public let trust: MdocTrust
    /// In the order of the contents, as `trust.roots` is.
    public let contents: MdocContents
    /// Who may ask: a gate takes the chain of its own key.
    public let readers: [ReaderCertificate]

    /// Nobody is believed about any document.
    public static let nobody = MdocBelief()

    private init() {
        trust = MdocTrust(roots: [])
        contents = MdocContents()
        readers = []
    }

    /// The name of the file in a trust folder, for messages about faults: the members are those of its rows.
    static let file = "mdoc.json"

    public init(_ contents: MdocContents) throws(TrustError) {
        try Self.checkCounts(contents)
        try Self.checkVicals(contents)
        let roots = try Self.roots(contents)
        let revocations = try Self.revocations(contents, roots)
        try Self.checkTokens(contents)
        var readers: [ReaderCertificate] = []
        for (place, chain) in contents.readers.enumerated() {
            do throws(ReaderKeyError) {
                readers.append(try ReaderCertificate(chain))
            } catch {
                throw Self.fault("readers", place, .unusableReader(error))
            }
        }
        for (place, reader) in readers.enumerated() where readers[..<place].contains(where: { $0.fingerprint == reader.fingerprint }) {
            throw Self.fault("readers", place, .duplicate)
        }
        self.readers = readers
        self.contents = contents
        trust = MdocTrust(
            roots: roots, revocationLists: revocations,
            statusTokens: contents.tokens.map { MdocTrust.StatusToken(uri: $0.uri, octets: $0.bytes) })
    }

    static func fault(
        _ array: String, _ place: Int, _ reason: TrustError.Reason, at member: String = "", found: String? = nil, allowed: String? = nil
    ) -> TrustError {
        TrustError(
            file: file, member: "\(array)[\(place)]" + (member.isEmpty ? "" : "." + member), reason: reason, found: found, allowed: allowed)
    }

    private static func checkCounts(_ contents: MdocContents) throws(TrustError) {
        let counts: [(String, Int, Int)] = [
            ("roots", contents.roots.count, MdocContents.mostRoots), ("vicals", contents.vicals.count, MdocContents.mostVicals),
            ("revocationLists", contents.revocations.count, MdocContents.mostRevocations),
            ("statusTokens", contents.tokens.count, MdocContents.mostTokens),
            ("readers", contents.readers.count, MdocContents.mostReaders),
        ]
        for (name, count, most) in counts where count > most {
            throw TrustError(file: file, member: name, reason: .tooLarge, found: "\(count)", allowed: "\(most) at most")
        }
    }

    // MARK: roots

    private static func roots(_ contents: MdocContents) throws(TrustError) -> [IssuerRoot] {
        var roots: [IssuerRoot] = []
        // The same root may be pinned by hand and stand in several lists: each says what it vouches for.
        var known: Set<[[UInt8]]> = []
        for (place, root) in contents.roots.enumerated() {
            try checkDocTypes(root.docTypes, place)
            if let provider = root.provider, !contents.vicals.contains(where: { $0.provider.isExactly(provider) }) {
                throw fault("roots", place, .wrongValue, at: "vical", found: provider, allowed: "the provider of one of vicals")
            }
            if let usage = root.signerUsage, !IssuerCertificates.isIdentifier(usage) {
                throw fault(
                    "roots", place, .wrongValue, at: "signerUsage", found: usage, allowed: "a dotted identifier such as 1.0.18013.5.1.2")
            }
            let found: IssuerRoot
            do throws(RootFault) {
                found = try IssuerRoot(
                    root.certificate.span, docTypes: root.docTypes, signerUsage: root.signerUsage ?? IssuerRoot.documentSigning)
            } catch {
                throw fault("roots", place, .unusableRoot(error))
            }
            guard found.country.isExactly(root.country) else {
                throw fault(
                    "roots", place, .wrongValue, at: "country", found: root.country, allowed: "that of the certificate, \(found.country)")
            }
            guard known.insert([found.fingerprint, Array((root.provider ?? "").utf8)]).inserted else {
                throw fault("roots", place, .duplicate, found: Hexadecimal.text(found.fingerprint))
            }
            roots.append(found)
        }
        return roots
    }

    private static func checkDocTypes(_ docTypes: [String], _ place: Int) throws(TrustError) {
        guard 1...VICALLimits.docTypes ~= docTypes.count else {
            throw fault(
                "roots", place, docTypes.isEmpty ? .wrongType : .tooLarge, at: "docTypes", found: "\(docTypes.count)",
                allowed: "1 to \(VICALLimits.docTypes)")
        }
        for (position, docType) in docTypes.enumerated() {
            guard 1...MdocContents.longestText ~= docType.utf8.count else {
                throw fault("roots", place, docType.isEmpty ? .wrongType : .tooLarge, at: "docTypes[\(position)]")
            }
            if docTypes[..<position].contains(where: { $0.isExactly(docType) }) {
                throw fault("roots", place, .duplicate, at: "docTypes[\(position)]", found: docType)
            }
        }
    }

    // MARK: lists

    private static func checkVicals(_ contents: MdocContents) throws(TrustError) {
        for (place, vical) in contents.vicals.enumerated() {
            guard 1...MdocContents.longestText ~= vical.provider.utf8.count else {
                throw fault("vicals", place, vical.provider.isEmpty ? .wrongType : .tooLarge, at: "provider")
            }
            if contents.vicals[..<place].contains(where: { $0.provider.isExactly(vical.provider) }) {
                throw fault("vicals", place, .duplicate, at: "provider", found: vical.provider)
            }
            for (name, digest) in [("sha256", vical.digest), ("signer", vical.signer)] where digest.count != digestLength {
                throw fault("vicals", place, .wrongValue, at: name, allowed: "a SHA-256: 64 hexadecimal digits")
            }
        }
    }

    /// Octets of a SHA-256.
    private static let digestLength = 32

    private static func revocations(_ contents: MdocContents, _ roots: [IssuerRoot]) throws(TrustError) -> [RevocationList] {
        var lists: [RevocationList] = []
        for (place, revocations) in contents.revocations.enumerated() {
            let list: RevocationList
            do throws(CryptographyError) {
                list = try RevocationList(revocations.bytes.span)
            } catch {
                throw fault("revocationLists", place, .malformedRevocations)
            }
            // It would revoke nobody, and nobody would be told.
            guard roots.contains(where: { list.isIssued(by: $0.certificate) }) else {
                throw fault("revocationLists", place, .ofNoRoot)
            }
            if contents.revocations[..<place].contains(where: { $0.bytes == revocations.bytes }) {
                throw fault("revocationLists", place, .duplicate)
            }
            lists.append(list)
        }
        return lists
    }

    private static func checkTokens(_ contents: MdocContents) throws(TrustError) {
        for (place, token) in contents.tokens.enumerated() {
            guard 1...TrustBundle.longestName ~= token.uri.utf8.count else {
                throw fault("statusTokens", place, token.uri.isEmpty ? .wrongType : .tooLarge, at: "uri")
            }
            guard token.bytes.count <= TrustStore.largestFile else { throw fault("statusTokens", place, .tooLarge) }
            guard let facts = StatusTokenFacts(token.bytes) else { throw fault("statusTokens", place, .malformedToken) }
            guard facts.subject.isExactly(token.uri) else {
                throw fault("statusTokens", place, .wrongValue, at: "uri", found: token.uri, allowed: "its `sub`, \(facts.subject)")
            }
            if contents.tokens[..<place].contains(where: { $0.uri.isExactly(token.uri) }) {
                throw fault("statusTokens", place, .duplicate, at: "uri", found: token.uri)
            }
        }
    }
}

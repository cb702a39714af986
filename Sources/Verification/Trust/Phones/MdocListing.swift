import Cryptography
import Envelopes
import JSON
import Mdoc

/// `mdoc.json` of a trust folder: whom to believe about documents in phones, and which files say so (trust-format.md section 5). What the
/// files hold is looked at when the folder is read.
package struct MdocListing: Hashable, Sendable {
    package static let file = MdocBelief.file
    /// The sub-folder into which commands put certificates.
    package static let folder = "mdoc"

    /// A row of `roots`.
    package struct Root: Hashable, Sendable {
        /// A certificate in PEM or DER, relative to the trust folder.
        package var file: String
        /// SHA-256 of its DER, whichever form the file has.
        package var digest: [UInt8]
        package var country: String
        package var docTypes: [String]
        package var signerUsage: String?
        /// The provider of the list it was taken from; nil where it was pinned by hand.
        package var provider: String?

        package init(
            file: String, digest: [UInt8], country: String, docTypes: [String], signerUsage: String? = nil, provider: String? = nil
        ) {
            self.file = file
            self.digest = digest
            self.country = country
            self.docTypes = docTypes
            self.signerUsage = signerUsage
            self.provider = provider
        }

        /// Whether both are the same certificate from the same place: there is one row for it.
        package func isAbout(_ other: Root) -> Bool {
            digest == other.digest && (provider ?? "").isExactly(other.provider ?? "") && (provider == nil) == (other.provider == nil)
        }
    }

    /// A row of `revocationLists`, and of `statusTokens`, which have an address too.
    package struct Fetched: Hashable, Sendable {
        package var file: String
        package var fetched: Seconds
        package var uri: String?
    }

    package var roots: [Root] = []
    package var vicals: [MdocContents.Vical] = []
    package private(set) var revocations: [Fetched] = []
    package private(set) var tokens: [Fetched] = []
    /// Files of certificates in PEM, a reader's own first.
    package private(set) var readers: [String] = []

    /// One without rows.
    package init() {}

    /// - Parameter bytes: UTF-8 octets of the file.
    package init(bytes: [UInt8]) throws(TrustError) {
        let file = try TrustMember(file: Self.file, bytes: bytes, nodes: Self.nodes)
        // The version first: a file of another version may well have members this one does not know.
        guard let version = file.value[Self.versionMember] else {
            throw TrustError(file: Self.file, member: Self.versionMember, reason: file.value.members == nil ? .wrongType : .missing)
        }
        guard version.int64 == 1 else { throw TrustError(file: Self.file, member: Self.versionMember, reason: .unsupportedVersion) }
        let found = try file.object(
            known: [Self.versionMember, "roots", "vicals", "revocationLists", "statusTokens", "readers"])
        roots = try Self.rows(found["roots"], MdocContents.mostRoots, Self.root)
        vicals = try Self.rows(found["vicals"], MdocContents.mostVicals, Self.vical)
        revocations = try Self.rows(found["revocationLists"], MdocContents.mostRevocations) { (row) throws(TrustError) in
            try Self.fetched(row, hasAddress: false)
        }
        tokens = try Self.rows(found["statusTokens"], MdocContents.mostTokens) { (row) throws(TrustError) in
            try Self.fetched(row, hasAddress: true)
        }
        readers = try Self.rows(found["readers"], MdocContents.mostReaders) { (row) throws(TrustError) in
            try row.object(known: ["file"]).required("file", of: row).text()
        }
    }

    private static let versionMember = "gatehouse-mdoc"
    /// A root has eleven and its kinds of documents: more than the usual number are there long before `MdocContents.mostRoots`.
    private static let nodes = 100_000

    // MARK: Reading

    private static func rows<Row>(
        _ member: TrustMember?, _ most: Int, _ read: (TrustMember) throws(TrustError) -> Row
    ) throws(TrustError) -> [Row] {
        guard let member else { return [] }
        // An empty list is a list.
        guard let elements = member.value.elements else { throw member.fault(.wrongType) }
        var rows: [Row] = []
        for (position, value) in elements.enumerated() {
            guard position < most else { throw member.fault(.tooLarge, allowed: "\(most) at most") }
            rows.append(try read(TrustMember(file: member.file, path: "\(member.path)[\(position)]", value: value)))
        }
        return rows
    }

    private static func root(_ row: TrustMember) throws(TrustError) -> Root {
        let found = try row.object(known: ["file", "sha256", "country", "docTypes", "signerUsage", "vical"])
        return Root(
            file: try found.required("file", of: row).text(), digest: try digest(found.required("sha256", of: row)),
            country: try found.required("country", of: row).text(), docTypes: try found.required("docTypes", of: row).texts(),
            signerUsage: try found["signerUsage"].map { (member) throws(TrustError) in try member.text() },
            provider: try found["vical"].map { (member) throws(TrustError) in try member.text() })
    }

    private static func vical(_ row: TrustMember) throws(TrustError) -> MdocContents.Vical {
        let found = try row.object(known: ["provider", "issue", "date", "nextUpdate", "sha256", "signer"])
        return MdocContents.Vical(
            provider: try found.required("provider", of: row).text(),
            issue: try found["issue"].map { (member) throws(TrustError) in
                // The largest integer every JSON reader keeps exactly.
                guard let number = member.value.int64 else { throw member.fault(.wrongType) }
                guard 0...TrustBundle.largestSequence ~= number else {
                    throw member.fault(.wrongValue, allowed: "0 to \(TrustBundle.largestSequence)")
                }
                return UInt64(number)
            },
            date: try found.required("date", of: row).time(),
            nextUpdate: try found["nextUpdate"].map { (member) throws(TrustError) in try member.time() },
            digest: try digest(found.required("sha256", of: row)), signer: try digest(found.required("signer", of: row)))
    }

    private static func fetched(_ row: TrustMember, hasAddress: Bool) throws(TrustError) -> Fetched {
        let found = try row.object(known: hasAddress ? ["file", "fetched", "uri"] : ["file", "fetched"])
        return Fetched(
            file: try found.required("file", of: row).text(), fetched: try found.required("fetched", of: row).time(),
            uri: hasAddress ? try found.required("uri", of: row).text() : nil)
    }

    private static func digest(_ member: TrustMember) throws(TrustError) -> [UInt8] {
        guard let digest = Hexadecimal.decode(Array(try member.text().utf8)[...]), digest.count == 32 else {
            throw member.fault(.wrongValue, allowed: "a SHA-256: 64 hexadecimal digits")
        }
        return digest
    }

    // MARK: Files

    /// What the rows and their files come to.
    ///
    /// - Parameter read: the octets of a file of the folder; the second parameter is the member that names it.
    package func contents(
        _ read: (_ file: String, _ member: String) throws(TrustError) -> [UInt8]
    ) throws(TrustError) -> MdocContents {
        var contents = MdocContents()
        contents.vicals = vicals
        for (place, row) in roots.enumerated() { contents.roots.append(try Self.root(row, place, read(row.file, "roots[\(place)].file"))) }
        for (place, row) in revocations.enumerated() {
            let bytes = try read(row.file, "revocationLists[\(place)].file")
            guard let der = Self.der(bytes, label: "X509 CRL") else {
                throw MdocBelief.fault("revocationLists", place, .malformedRevocations)
            }
            contents.revocations.append(MdocContents.Revocations(bytes: der, fetched: row.fetched))
        }
        for (place, row) in tokens.enumerated() {
            let bytes = try read(row.file, "statusTokens[\(place)].file")
            contents.tokens.append(MdocContents.Token(uri: row.uri ?? "", fetched: row.fetched, bytes: bytes))
        }
        for (place, file) in readers.enumerated() {
            let bytes = try read(file, "readers[\(place)].file")
            do throws(CryptographyError) {
                contents.readers.append(
                    try Certificate.all(inPEM: bytes).map { (certificate) throws(CryptographyError) in try certificate.der() })
            } catch {
                throw MdocBelief.fault("readers", place, .unusableReader(.certificatesMalformed))
            }
        }
        return contents
    }

    private static func root(_ row: Root, _ place: Int, _ bytes: [UInt8]) throws(TrustError) -> MdocContents.Root {
        guard let der = certificate(bytes) else { throw MdocBelief.fault("roots", place, .unusableRoot(.malformed)) }
        guard let digest = try? Digest.hash(der.span, .sha256), digest == row.digest else {
            throw MdocBelief.fault(
                "roots", place, .wrongValue, at: "sha256", found: Hexadecimal.text(row.digest),
                allowed: "the SHA-256 of the certificate in \(row.file)")
        }
        return MdocContents.Root(
            certificate: der, country: row.country, docTypes: row.docTypes, signerUsage: row.signerUsage, provider: row.provider)
    }

    /// DER of the one certificate of a file in PEM or DER; nil for anything else in PEM.
    package static func certificate(_ bytes: [UInt8]) -> [UInt8]? { der(bytes, label: "CERTIFICATE") }

    private static func der(_ bytes: [UInt8], label: String) -> [UInt8]? {
        // A certificate and a list are sequences in DER: neither begins with a dash or white space.
        guard let first = bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }), first == UInt8(ascii: "-") else { return bytes }
        return PEMCertificate.decode(String(decoding: bytes, as: UTF8.self), label: label)
    }
}

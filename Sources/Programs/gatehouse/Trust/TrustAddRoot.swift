import Appliance
import ArgumentParser
import Envelopes
import Mdoc
import Trust

struct TrustAddRoot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-root", abstract: "Pin the root certificate of an authority that issues documents in phones (ISO/IEC 18013-5).",
        discussion: """
            The certificate is put into the trust folder, and its row into mdoc.json: which documents it vouches for, and for no other. How \
            you come by a certificate that you may believe is for you to say; compare its SHA-256. Refused is one that breaks a hard rule of \
            the standard, or whose country is another. Without --folder it is only looked at.
            """)

    @Argument(help: "The certificate, in PEM or DER.")
    var file: String

    @Option(help: ArgumentHelp("Whose it is: the one country of its name, UT.", valueName: "code"))
    var country: String

    @Option(
        help: ArgumentHelp(
            "A kind of document that it vouches for, org.iso.18013.5.1.mDL; may be repeated.", valueName: "type"))
    var docType: [String] = []

    @Option(
        help: ArgumentHelp(
            "The extended key usage of its document signers, where it is not that of the standard.  (default: \(IssuerRoot.documentSigning))",
            valueName: "identifier"))
    var signerUsage: String?

    @Option(help: ArgumentHelp("The trust folder it is put into.", valueName: "folder"))
    var folder: String?

    @Flag(help: "Change what a root that is pinned already vouches for.")
    var replace = false

    func run() throws {
        let bytes = try NamedFile.read(file, most: TrustStore.largestFile), docTypes = try docTypes()
        guard let der = MdocListing.certificate(bytes) else {
            throw TrustCommand.refuse("\(file): is not the one certificate in PEM, or one in DER, that it has to be")
        }
        let root = try Self.root(der, docTypes, signerUsage, file)
        guard root.country.utf8.elementsEqual(country.utf8) else {
            throw TrustCommand.refuse("--country \(country): the certificate in \(file) is of \(root.country)")
        }
        let row = MdocListing.Root(
            file: MdocFolder.file(of: root.fingerprint), digest: root.fingerprint, country: root.country, docTypes: docTypes,
            signerUsage: signerUsage)
        var rows = ["root \(RootWords.name(root))", "  vouches for \(docTypes.map(printable).joined(separator: " "))"]
        rows.append("  valid \(Self.time(root.validity.lowerBound)) until \(Self.time(root.validity.upperBound))")
        rows += (RootWords.doubts(root, at: TrustSource.now) + RootWords.doubts(docTypes)).map { "! " + $0 }
        if let folder { rows.append(try put(row, der, folder)) }
        for row in rows { say(row, to: 1) }
    }

    private static func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds)" }

    private func docTypes() throws -> [String] {
        guard 1...VICALLimits.docTypes ~= docType.count else {
            throw ValidationError("--doc-type: name the documents it vouches for, 1 to \(VICALLimits.docTypes)")
        }
        for (place, one) in docType.enumerated() {
            guard 1...MdocContents.longestText ~= one.utf8.count, printable(one) == one else {
                throw ValidationError("--doc-type \(printable(one)): use 1 to \(MdocContents.longestText) characters that can be read")
            }
            guard !docType[..<place].contains(where: { $0.utf8.elementsEqual(one.utf8) }) else {
                throw ValidationError("--doc-type \(one): is named twice")
            }
        }
        return docType
    }

    private static func root(_ der: [UInt8], _ docTypes: [String], _ usage: String?, _ file: String) throws -> IssuerRoot {
        if let usage, !MdocContents.isIdentifier(usage) {
            throw ValidationError("--signer-usage \(printable(usage)): not a dotted identifier such as \(IssuerRoot.documentSigning)")
        }
        do throws(RootFault) {
            return try IssuerRoot(der.span, docTypes: docTypes, signerUsage: usage ?? IssuerRoot.documentSigning)
        } catch {
            throw TrustCommand.refuse("\(file): cannot be an issuing authority's root (\(error.rawValue)): \(error)")
        }
    }

    /// - Returns: what was done.
    private func put(_ row: MdocListing.Root, _ der: [UInt8], _ folder: String) throws -> String {
        var target = try MdocFolder(folder)
        let place = "\(printable(folder))/\(MdocListing.file)"
        if let known = target.listing.roots.firstIndex(where: { $0.isAbout(row) }) {
            let there = target.listing.roots[known]
            guard Set(there.docTypes) != Set(row.docTypes) || there.signerUsage != row.signerUsage else {
                return "\(place): it is pinned already, for the same documents"
            }
            guard replace else {
                throw TrustCommand.refuse(
                    "\(place): it is pinned already, for \(there.docTypes.joined(separator: " ")); with --replace that is changed")
            }
            target.listing.roots[known] = row
        } else {
            target.listing.roots.append(row)
        }
        try target.save([der])
        if let obstacle = target.obstacle() { return "! \(printable(folder)): no bundle can be built yet: \(printable(obstacle))" }
        return "\(place): \(RootWords.count(target.listing.roots.count))"
    }
}

import Appliance
import ArgumentParser
import Cryptography
import Envelopes
import Mdoc
import Trust

struct TrustVical: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vical", abstract: "Take the roots of a provider's list (VICAL, ISO/IEC 18013-5 Annex C) into a trust folder.",
        discussion: """
            The list's signature is checked against a certificate of the provider's that you have by another way. Each root is bound to the \
            documents that the list names for it; the roots of this provider's earlier list go. An entry that gives no root is passed over, \
            and said. Refused is a list with a lower number than the one in the folder. No gate trusts a list: what is in the folder is \
            signed as a bundle by its signers. Without --folder the list is only looked at.
            """)

    @Argument(help: "The list, as its provider publishes it.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "A certificate of the provider's in PEM or DER, its root or its signer's own; may be repeated.", valueName: "file"))
    var provider: [String] = []

    @Option(help: ArgumentHelp("The trust folder that the roots are put into.", valueName: "folder"))
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "Take roots for this kind of document only; may be repeated.  (default: all that the list names)", valueName: "type"))
    var docType: [String] = []

    @Option(help: ArgumentHelp("Take roots of this country only; may be repeated.  (default: all)", valueName: "code"))
    var country: [String] = []

    @Option(help: ArgumentHelp("Judge as of this time, RFC 3339.  (default: now)", valueName: "time"))
    var at: String?

    func run() throws {
        guard !provider.isEmpty else { throw ValidationError("--provider: name a certificate of the provider's, to check the list with") }
        let now = try TrustCommand.time("--at", at), pinned = try provider.flatMap { try Self.certificates($0) }
        let bytes = try NamedFile.read(file, most: VICALLimits.octets)
        let target = try folder.map { try MdocFolder($0) }
        let list = try read(bytes, pinned, now)
        try checkNumbers(list)
        let known = target?.listing.vicals.first { $0.provider.utf8.elementsEqual(list.provider.utf8) }
        if let known { try compare(list, known, bytes, pinned, now) }
        let taken = wanted(list.roots)
        var rows = Self.rows(list)
        if let known, known.signer != list.signer {
            // A provider's name is what a list says: another provider's takes the place of its roots.
            let signer = Hexadecimal.text(known.signer)
            rows.append("! the list: that in the folder was signed with another certificate, SHA-256 \(signer): is it the same provider?")
        }
        guard !taken.isEmpty else {
            let code = TrustCommand.refuse("\(file): the list gives no root\(list.roots.isEmpty ? "" : " of those that are wanted")")
            for row in rows { say(row) }
            if let target { warn(of: list.provider, in: target) }
            throw code
        }
        guard let digest = try? Digest.hash(bytes.span, .sha256) else { throw TrustCommand.refuse("SHA-256 is not to be had") }
        let vical = MdocContents.Vical(
            provider: list.provider, issue: list.issue, date: list.date, nextUpdate: list.nextUpdate, digest: digest, signer: list.signer)
        rows += try target.map { try put(vical, taken, into: $0, now) } ?? taken.flatMap { Self.rows($0, "  ", now) }
        for row in rows { say(row, to: 1) }
    }

    // MARK: The list

    private static func certificates(_ path: String) throws -> [Certificate] {
        let bytes = try NamedFile.read(path, most: TrustStore.largestFile, named: "--provider")
        do throws(CryptographyError) {
            if bytes.first == 0x30 { return [try Certificate(bytes.span)] }
            return try Certificate.all(inPEM: bytes)
        } catch {
            throw ValidationError("--provider \(path): no certificate in PEM or DER, or one that cannot be read")
        }
    }

    private func read(_ bytes: [UInt8], _ pinned: [Certificate], _ now: Seconds) throws -> VICAL {
        do throws(VICALError) {
            return try VICAL(bytes.span, pinned: pinned, inForce: nil, at: now)
        } catch {
            throw TrustCommand.refuse("\(file): the list cannot be taken (\(error.rawValue)): \(error)")
        }
    }

    /// Refuses what `mdoc.json` and a bundle cannot say.
    private func checkNumbers(_ list: VICAL) throws {
        if let issue = list.issue, issue > UInt64(TrustBundle.largestSequence) {
            throw TrustCommand.refuse(
                "\(file): the list cannot be taken: its number is \(issue), and \(TrustBundle.largestSequence) is the highest known here")
        }
        for time in [list.date] + (list.nextUpdate.map { [$0] } ?? []) where !(0...Timestamp.latest ~= time) {
            throw TrustCommand.refuse("\(file): the list cannot be taken: one of its times lies outside the years 1970 to 9999")
        }
    }

    /// Refuses a list that was made before the one in the folder: whoever was taken off it since would be believed again.
    private func compare(
        _ list: VICAL, _ known: MdocContents.Vical, _ bytes: [UInt8], _ pinned: [Certificate], _ now: Seconds
    ) throws {
        let found = "found \(Self.words(list.issue, list.date)), in the folder \(Self.words(known.issue, known.date))"
        do throws(VICALError) {
            if let issue = known.issue { _ = try VICAL(bytes.span, pinned: pinned, inForce: issue, at: now) }
        } catch {
            throw TrustCommand.refuse("\(file): the list cannot be taken (\(error.rawValue)): \(error); \(found)")
        }
        // Numbers say which is older where both have one, and not the same: a provider may use one twice, or begin with them late.
        let isTold = known.issue != nil && list.issue != known.issue
        guard isTold || list.date >= known.date else {
            throw TrustCommand.refuse("\(file): the list cannot be taken: it was made before the one in force; \(found)")
        }
    }

    private static func words(_ issue: UInt64?, _ date: Seconds) -> String {
        "\(issue.map { "number \($0)" } ?? "no number") of \(Timestamp.text(date) ?? "\(date)")"
    }

    /// The roots that are wanted, bound to the documents that are wanted of them.
    private func wanted(_ roots: [IssuerRoot]) -> [MdocContents.Root] {
        var taken: [MdocContents.Root] = []
        for root in roots {
            guard country.isEmpty || country.contains(where: { $0.utf8.elementsEqual(root.country.utf8) }) else { continue }
            let docTypes = (root.docTypes ?? []).filter { one in docType.isEmpty || docType.contains { $0.utf8.elementsEqual(one.utf8) } }
            guard !docTypes.isEmpty, let der = try? root.certificate.der() else { continue }
            taken.append(MdocContents.Root(certificate: der, country: root.country, docTypes: docTypes))
        }
        return taken
    }

    /// Says that nothing was taken off, where the provider may have meant that.
    private func warn(of provider: String, in target: MdocFolder) {
        let staying = target.listing.roots.filter { $0.provider?.utf8.elementsEqual(provider.utf8) == true }.count
        guard staying > 0 else { return }
        let place = "\(printable(target.folder))/\(MdocListing.file)"
        say("! \(place): still has \(RootWords.count(staying)) of its earlier list: take the rows out where they are to go")
    }

    // MARK: The folder

    /// - Returns: what changed.
    private func put(
        _ vical: MdocContents.Vical, _ taken: [MdocContents.Root], into target: MdocFolder, _ now: Seconds
    ) throws -> [String] {
        var folder = target
        let before = folder.listing.roots.filter { $0.provider?.utf8.elementsEqual(vical.provider.utf8) == true }
        var after: [MdocListing.Root] = [], rows: [String] = []
        for root in taken {
            guard let digest = try? Digest.hash(root.certificate.span, .sha256) else {
                throw TrustCommand.refuse("SHA-256 is not to be had")
            }
            let row = MdocListing.Root(
                file: MdocFolder.file(of: digest), digest: digest, country: root.country, docTypes: root.docTypes, provider: vical.provider)
            after.append(row)
            if let old = before.first(where: { $0.digest == digest }) {
                rows += Self.rows(root, old.docTypes == root.docTypes ? "  " : "~ ", now, was: old.docTypes)
            } else {
                rows += Self.rows(root, "+ ", now)
            }
        }
        for old in before where !after.contains(where: { $0.digest == old.digest }) {
            rows.append("- root \(printable(old.country)), SHA-256 \(Hexadecimal.text(old.digest))")
        }
        folder.listing.roots.removeAll { $0.provider?.utf8.elementsEqual(vical.provider.utf8) == true }
        folder.listing.roots += after
        if let place = folder.listing.vicals.firstIndex(where: { $0.provider.utf8.elementsEqual(vical.provider.utf8) }) {
            folder.listing.vicals[place] = vical
        } else {
            folder.listing.vicals.append(vical)
        }
        try folder.save(taken.map(\.certificate))
        rows.append("\(printable(folder.folder))/\(MdocListing.file): \(RootWords.count(after.count)) of this list")
        if let obstacle = folder.obstacle() {
            rows.append("! \(printable(folder.folder)): no bundle can be built yet: \(printable(obstacle))")
        }
        return rows
    }

    // MARK: For people

    private static func rows(_ list: VICAL) -> [String] {
        func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds)" }
        var rows = ["list of \(printable(list.provider)), \(words(list.issue, list.date))"]
        rows.append("  signed with the certificate SHA-256 \(Hexadecimal.text(list.signer))")
        if let next = list.nextUpdate { rows.append("  its provider means to have another one at \(time(next))") }
        rows += list.warnings.map { "! the list: \($0)" }
        for skipped in list.skipped {
            let fingerprint = skipped.fingerprint.map { ", SHA-256 \(Hexadecimal.text($0))" } ?? ""
            rows.append("! entry \(skipped.entry) is passed over (\(skipped.fault.name)): \(skipped.fault)\(fingerprint)")
        }
        return rows
    }

    private static func rows(_ root: MdocContents.Root, _ sign: String, _ now: Seconds, was: [String] = []) -> [String] {
        guard let found = try? IssuerRoot(root.certificate.span, docTypes: root.docTypes) else { return [] }
        let documents = root.docTypes.map(printable).joined(separator: " ")
        let before = sign == "~ " ? ", was \(was.map(printable).joined(separator: " "))" : ""
        // Soft rules are the provider's to judge: of a list only what ends is told.
        let end = RootWords.end(found, at: now).map { ["! the root \(RootWords.name(found)): \($0)"] } ?? []
        return ["\(sign)root \(RootWords.name(found)): \(documents)\(before)"] + end
    }
}

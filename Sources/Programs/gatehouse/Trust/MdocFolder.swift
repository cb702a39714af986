import Appliance
import ArgumentParser
import Cryptography
import Envelopes
import Glibc
import Mdoc
import Trust

/// `mdoc.json` of a trust folder, with the certificates that commands put beside it.
struct MdocFolder {
    let folder: String
    var listing: MdocListing
    private let before: MdocListing

    init(_ folder: String) throws {
        self.folder = folder
        let path = folder + "/" + MdocListing.file
        do {
            before = try NamedFile.exists(path) ? MdocListing(bytes: NamedFile.read(path, most: TrustStore.largestFile)) : MdocListing()
        } catch let error as TrustError {
            throw TrustCommand.refuse(error)
        }
        listing = before
    }

    /// Where a certificate lies that a command put there: by its digest, so that what is there already is the same.
    static func file(of digest: [UInt8]) -> String { "\(MdocListing.folder)/\(Hexadecimal.text(digest)).der" }

    /// Writes it all: the certificates first, so that a cut in between leaves what was there.
    ///
    /// - Parameter certificates: DER, for the files that new rows name.
    func save(_ certificates: [[UInt8]]) throws {
        guard listing.roots.count <= MdocContents.mostRoots else {
            throw TrustCommand.refuse(
                "\(folder)/\(MdocListing.file): \(listing.roots.count) roots are more than it may have, \(MdocContents.mostRoots)")
        }
        guard listing.vicals.count <= MdocContents.mostVicals else {
            throw TrustCommand.refuse(
                "\(folder)/\(MdocListing.file): \(listing.vicals.count) lists are more than it may have, \(MdocContents.mostVicals): "
                    + "take the row of one that is not needed out of it, and those of its roots")
        }
        let text = listing.bytes
        guard text.count <= TrustStore.largestFile else {
            throw TrustCommand.refuse("\(folder)/\(MdocListing.file): would be larger than \(TrustStore.largestFile >> 20) MiB")
        }
        try check(text)
        for der in certificates {
            guard let digest = try? Digest.hash(der.span, .sha256) else { throw TrustCommand.refuse("SHA-256 is not to be had") }
            let name = Self.file(of: digest), path = folder + "/" + name
            if try NamedFile.exists(path), try NamedFile.read(path, most: TrustStore.largestFile) == der { continue }
            try FolderListing.write(der, toFile: name, in: folder, namedBy: MdocListing.file)
        }
        try gatehouse.write(text, to: folder + "/" + MdocListing.file, isShared: true)
        sweep()
    }

    /// Refuses what could not be read again: no command would take anything out of it any more.
    private func check(_ text: [UInt8]) throws {
        do throws(TrustError) {
            _ = try MdocListing(bytes: text)
        } catch {
            throw TrustCommand.refuse("\(folder): the file would not be one that can be read: \(error)")
        }
    }

    /// Takes away what commands put there and no row names any more.
    private func sweep() {
        let named = Set(listing.roots.map(\.file))
        for row in before.roots where !named.contains(row.file) && row.file == Self.file(of: row.digest) {
            unlink(folder + "/" + row.file)
        }
    }

    /// What keeps the folder's file from going into a bundle, apart from what was just written; nil where nothing does.
    func obstacle() -> String? {
        do throws(TrustError) {
            _ = try MdocBelief(TrustContents.mdoc(folder))
            return nil
        } catch {
            return error.description
        }
    }
}

/// Roots for people.
enum RootWords {
    static func count(_ roots: Int) -> String { roots == 1 ? "1 root" : "\(roots) roots" }

    static func name(_ root: IssuerRoot) -> String {
        "\(printable(root.country)) \(printable(root.commonName ?? "without a name")), SHA-256 \(Hexadecimal.text(root.fingerprint))"
    }

    /// What of a root that is taken is not as it should be.
    static func doubts(_ root: IssuerRoot, at now: Seconds) -> [String] {
        root.warnings.map { "\($0)" } + (end(root, at: now).map { [$0] } ?? [])
    }

    /// Nil for a root that is valid.
    static func end(_ root: IssuerRoot, at now: Seconds) -> String? {
        func time(_ seconds: Seconds) -> String { Timestamp.text(seconds) ?? "\(seconds)" }
        if root.validity.upperBound < now { return "it ended at \(time(root.validity.upperBound)): no document under it is believed" }
        if root.validity.lowerBound > now { return "it is valid from \(time(root.validity.lowerBound)) on, and not yet" }
        return nil
    }

    /// A kind of document that nobody has heard of may be a slip, and would match nothing.
    static func doubts(_ docTypes: [String]) -> [String] {
        docTypes.filter { DocumentType(named: $0) == nil }.map { "\(printable($0)) is none of the kinds known here: is it spelled right?" }
    }
}

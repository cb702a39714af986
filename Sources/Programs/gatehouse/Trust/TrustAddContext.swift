import Appliance
import ArgumentParser
import Glibc
import JSON
import LinkedData
import Trust

struct TrustAddContext: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-context", abstract: "Pin a JSON-LD context: put it into a trust folder, with its digest.",
        discussion: """
            The context is tried as `gatehouse trust build` tries it: one that no credential could be read under is refused, and so is one that \
            names others before those are in the folder. The folder's contexts.json gets a row and stays as it is otherwise. Without --folder \
            the row is printed.
            """)

    @Argument(help: "The document, as it is to be pinned.")
    var file: String

    @Option(help: ArgumentHelp("What credentials call it.  (default: known by the digest, for a few common ones)", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The trust folder it is put into.", valueName: "folder"))
    var folder: String?

    @Flag(help: "Take the place of another document that is pinned under this URL.")
    var replace = false

    func run() throws {
        let bytes = try NamedFile.read(file, most: TrustStore.largestFile), digest = fingerprint(bytes)
        let url = try url ?? Self.known(digest)
        guard 1...TrustBundle.longestName ~= url.utf8.count, url.contains(":"), printable(url) == url else {
            throw ValidationError("--url \(printable(url)): not an absolute URL")
        }
        try Self.compare(url, digest)
        var listing = try folder.map { try FolderListing(.contexts, in: $0) }
        if let pinned = try listing?.member("sha256", of: url) {
            if pinned.lowercased() == digest { return say("\(url): pinned already, SHA-256 \(digest)", to: 1) }
            guard replace else {
                throw TrustCommand.refuse("\(url): another document is pinned, SHA-256 \(pinned); with --replace this one takes its place")
            }
        }
        try check(url, bytes)
        guard listing != nil, let folder else {
            say("\(url): \(bytes.count) octets, SHA-256 \(digest); for contexts.json, with the file's name in the folder:", to: 1)
            return say(escaped(String(decoding: TrustListing.row(url, [("file", file), ("sha256", digest)]), as: UTF8.self)), to: 1)
        }
        let name = try placed(bytes, url, folder, &listing)
        try listing?.put(url, [("file", name), ("sha256", digest)])
        say("\(url): \(bytes.count) octets, SHA-256 \(digest); \(printable(folder))/\(printable(name)), named in contexts.json", to: 1)
    }

    /// As a bundle's builder does, and names what is missing.
    private func check(_ url: String, _ bytes: [UInt8]) throws {
        do throws(TrustError) {
            var contents = TrustContents(contexts: [TrustContents.ContextDocument(url: url, bytes: bytes)])
            if let folder { contents.contexts += try TrustContents.contexts(folder, without: url) }
            do throws(TrustError) {
                try contents.checkContext(at: url)
            } catch {
                guard error.reason == .unusableContext(.loadingDocumentFailed) else { throw error }
                let known = contents.contexts.map(\.url)
                let missing = NamedContexts.all(in: bytes).filter { name in !known.contains { Array($0.utf8) == Array(name.utf8) } }
                throw TrustError(file: error.file, reason: error.reason, found: missing.joined(separator: ", "))
            }
        } catch {
            throw TrustCommand.refuse(error)
        }
    }

    /// The document's name in the folder: its own where it lies there already, else that of a copy.
    private func placed(_ bytes: [UInt8], _ url: String, _ folder: String, _ listing: inout FolderListing?) throws -> String {
        if let inside = Self.name(of: file, in: folder) { return inside }
        let last = file.split(separator: "/").last.map(String.init) ?? ""
        let plain = String(last.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "-" }.drop { $0 == "." })
        let name = try listing?.file(for: url, in: "contexts", plain) { path in
            // What lies there and is something else stays: it may be what was pinned until now.
            guard try NamedFile.exists(path) else { return true }
            return try NamedFile.read(path, most: TrustStore.largestFile) == bytes
        }
        guard let name else { return "" }
        try listing?.write(bytes, toFile: name)
        return name
    }

    /// The path of a file relative to a folder that it lies in, at whatever depth; nil where it does not.
    private static func name(of file: String, in folder: String) -> String? {
        func real(_ path: String) -> String? {
            guard let found = realpath(path, nil) else { return nil }
            defer { free(found) }
            return String(cString: found)
        }
        guard let file = real(file), let folder = real(folder), file.hasPrefix(folder + "/") else { return nil }
        return String(file.dropFirst(folder.count + 1))
    }

    // MARK: Common ones

    private static func known(_ digest: String) throws -> String {
        guard let known = NamedContexts.common.first(where: { $0.digest == digest }) else {
            throw ValidationError("--url: say what credentials call this context; its SHA-256 \(digest) is none of the common ones")
        }
        return known.url
    }

    private static func compare(_ url: String, _ digest: String) throws {
        guard let known = NamedContexts.common.first(where: { $0.url == url }), known.digest != digest else { return }
        let words = "\(url): known by everybody with the SHA-256 \(known.digest), and this document has \(digest)"
        if known.isFixed { throw TrustCommand.refuse(words + ": fetch it again") }
        say("gatehouse: " + words)
    }
}

/// The names of contexts: those that everybody knows, and those that a document leans on.
enum NamedContexts {
    /// Contexts whose documents do not change any more, by the SHA-256 of their octets; the same as `tools/contexts.sh` pins. Of the one
    /// that is fixed the recommendation itself prints the digest (Verifiable Credentials Data Model 2.0, appendix B.1).
    static let common: [(url: String, digest: String, isFixed: Bool)] = [
        ("https://www.w3.org/ns/credentials/v2", "59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734", true),
        ("https://www.w3.org/2018/credentials/v1", "ab4ddd9a531758807a79a5b450510d61ae8d147eab966cc9a200c07095b0cdcc", false),
        ("https://w3id.org/security/suites/ed25519-2020/v1", "b9e1ab971fd8bf2c7553e0c4a9438e0b9450afde1ea1ca5b2492368b9f549588", false),
        ("https://w3id.org/vc/status-list/2021/v1", "6dd06a52bedb771e059c1083ba8ba7848dce22f6b4a8cfa0b98ba3fc188870e4", false),
        ("https://w3id.org/security/v1", "abaf97e107d1925503c433dcaf3ffd2831697cacc1ed2a293e1bc8030d5bcb47", false),
        ("https://w3id.org/security/v2", "611bd81151d5efe53ec9aed78f5a813e577287bc9451ee26d6879b1b8b46bc3b", false),
    ]

    /// Every URL that stands behind `@context` or `@import` in a document, at whatever depth, once.
    static func all(in bytes: [UInt8]) -> [String] {
        guard let root = try? JSONDocument(parsing: bytes, limits: ContextStore.limits).root else { return [] }
        var found: [String] = []
        collect(root, isNamed: false, &found)
        return found
    }

    /// The reader of JSON bounds the depth.
    private static func collect(_ value: JSONValue, isNamed: Bool, _ found: inout [String]) {
        if isNamed, let url = value.string, !found.contains(url) { found.append(url) }
        if let elements = value.elements {
            for element in elements { collect(element, isNamed: isNamed, &found) }
        }
        if let members = value.members {
            for member in members { collect(member.value, isNamed: ["@context", "@import"].contains(member.name), &found) }
        }
    }
}

import Credentials
import Cryptography
import Envelopes
import Glibc
import Trust

extension TrustStore {
    /// Reads a trust folder, see trust-format.md section 1.
    public init(folder: String) throws(TrustError) {
        try self.init(TrustContents(folder: folder))
    }
}

extension TrustContents {
    /// Files at the top of a trust folder that describe no issuer.
    static let reservedNames = ["contexts.json", "lists.json", MdocListing.file, "bundle.json", "root.json"]

    /// Reads every `*.json` of a folder, in the order of their names, and what `contexts.json`, `lists.json` and `mdoc.json` name. Other
    /// files are not looked at; sub-folders are entered only where one of those three, or an issuer's entry, names a file in them.
    public init(folder: String) throws(TrustError) {
        try self.init(withoutLists: folder)
        for entry in try Self.entries("lists", folder, known: ["url", "file", "fetched", "kind"]) {
            let url = try entry.member("url").text(), file = try entry.member("file"), fetched = try entry.member("fetched").time()
            guard let kind = entry.members["kind"] else {
                lists.append(PinnedStatusList(url: url, fetched: fetched, bytes: try Self.read(file, folder)))
                continue
            }
            guard kind.value.isString(TrustedKeyContents.listKind) else {
                throw kind.fault(.wrongValue, allowed: "\(TrustedKeyContents.listKind), or no kind for a status list")
            }
            trustedKey.lists.append(
                try TrustedKeyContents.AddressList(
                    url: url, fetched: fetched, text: try Self.read(file, folder), file: try file.text()))
        }
    }

    /// The same but for the status lists: for whoever has one to put in, and finds those that are there missing or broken.
    package init(withoutLists folder: String) throws(TrustError) {
        self.init()
        for name in try TrustFolder.names(folder) where !Self.reservedNames.contains(name) {
            issuers.append(IssuerText(name: name, bytes: try TrustFolder.read(folder + "/" + name, as: name)))
        }
        anoncreds = try Self.anoncreds(folder, issuers)
        mdoc = try Self.mdoc(folder)
        guard !issuers.isEmpty || !mdoc.roots.isEmpty else { throw TrustError(file: folder, reason: .empty) }
        contexts = try Self.contexts(folder)
    }

    /// What `mdoc.json` names; nothing where there is no such file.
    package static func mdoc(_ folder: String) throws(TrustError) -> MdocContents {
        guard let listing = try MdocListing(folder: folder) else { return MdocContents() }
        return try listing.contents { (file, member) throws(TrustError) in
            guard isInside(file) else {
                throw TrustError(file: MdocListing.file, member: member, reason: .wrongValue, found: file, allowed: insideWords)
            }
            return try TrustFolder.read(folder + "/" + file, as: file)
        }
    }

    /// The files of AnonCreds objects that issuers' entries name. What is wrong with an entry is told when it is looked at.
    private static func anoncreds(_ folder: String, _ issuers: [IssuerText]) throws(TrustError) -> AnonCredsContents {
        var contents = AnonCredsContents()
        for issuer in issuers {
            guard let file = (try? TrustMember(file: issuer.name, bytes: issuer.bytes))?.value["anoncreds"]?["file"]?.string else {
                continue
            }
            guard isInside(file) else {
                throw TrustError(file: issuer.name, member: "anoncreds.file", reason: .wrongValue, found: file, allowed: insideWords)
            }
            guard !contents.files.contains(where: { $0.name.utf8.elementsEqual(file.utf8) }) else { continue }
            contents.files.append(AnonCredsContents.File(name: file, bytes: try TrustFolder.read(folder + "/" + file, as: file)))
        }
        return contents
    }

    private static let insideWords = "the path of a file in the trust folder, without . and .."

    /// The contexts alone: a folder may have them before it has an issuer.
    ///
    /// - Parameter left: the URL of one that is left out.
    package static func contexts(_ folder: String, without left: String? = nil) throws(TrustError) -> [ContextDocument] {
        var contexts: [ContextDocument] = []
        for entry in try Self.entries("contexts", folder, known: ["url", "file", "sha256"]) {
            let url = try entry.member("url"), file = try entry.member("file"), digest = try entry.member("sha256")
            if let left, url.value.isString(left) { continue }
            let bytes = try Self.read(file, folder)
            guard let found = try? Digest.hash(bytes.span, .sha256) else { throw digest.fault(.wrongValue) }
            guard Hexadecimal.decode(Array(try digest.text().utf8)[...]) == found else {
                throw digest.fault(.wrongValue, allowed: "the SHA-256 of \(try file.text()): \(Hexadecimal.text(found))")
            }
            contexts.append(ContextDocument(url: try url.text(), bytes: bytes))
        }
        return contexts
    }

    private struct Entry {
        let owner: TrustMember
        let members: [String: TrustMember]

        func member(_ name: String) throws(TrustError) -> TrustMember { try members.required(name, of: owner) }
    }

    /// The entries of `contexts.json` or `lists.json`; none where there is no such file.
    private static func entries(_ kind: String, _ folder: String, known: Set<String>) throws(TrustError) -> [Entry] {
        let name = kind + ".json", path = folder + "/" + name
        if access(path, F_OK) != 0, errno == ENOENT { return [] }
        let file = try TrustMember(file: name, bytes: try TrustFolder.read(path, as: name))
        let found = try file.object(known: ["gatehouse-" + kind, kind])
        guard try found.required("gatehouse-" + kind, of: file).value.int64 == 1 else {
            throw TrustError(file: name, member: "gatehouse-" + kind, reason: .unsupportedVersion)
        }
        let list = try found.required(kind, of: file)
        // An empty list is a list: nothing is withheld by it.
        guard let elements = list.value.elements else { throw list.fault(.wrongType) }
        var entries: [Entry] = []
        for (position, value) in elements.enumerated() {
            guard position < TrustStore.mostFiles else { throw list.fault(.tooLarge) }
            let element = TrustMember(file: name, path: "\(kind)[\(position)]", value: value)
            entries.append(Entry(owner: element, members: try element.object(known: known)))
        }
        return entries
    }

    /// A file of the folder or one of its sub-folders, by a relative path without `.` and `..`.
    private static func read(_ member: TrustMember, _ folder: String) throws(TrustError) -> [UInt8] {
        let path = try member.text()
        guard isInside(path) else {
            throw member.fault(.wrongValue, allowed: insideWords)
        }
        return try TrustFolder.read(folder + "/" + path, as: path)
    }

    /// Whether a path that a row names stays in the folder.
    package static func isInside(_ path: String) -> Bool {
        // In octets: as characters, a slash and a combining mark after it are one.
        let steps = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return steps.allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) && !$0.contains(0) }
    }
}

extension MdocListing {
    /// Nil where the folder has none.
    package init?(folder: String) throws(TrustError) {
        let path = folder + "/" + Self.file
        if access(path, F_OK) != 0, errno == ENOENT { return nil }
        try self.init(bytes: try TrustFolder.read(path, as: Self.file))
    }
}

/// The few system calls a trust folder needs.
private enum TrustFolder {
    /// With the system's own words for why.
    private static func unreadable(_ name: String) -> TrustError {
        TrustError(file: name, reason: .unreadable, found: strerror(errno).map { String(cString: $0) })
    }

    static func names(_ folder: String) throws(TrustError) -> [String] {
        guard let stream = opendir(folder) else { throw unreadable(folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: field.pointee)) { String(cString: $0) }
            }
            guard name.hasSuffix(".json"), !name.hasPrefix(".") else { continue }
            guard names.count < TrustStore.mostFiles else { throw TrustError(file: folder, reason: .tooLarge) }
            names.append(name)
        }
        // A folder read only in part would silently trust fewer issuers.
        guard errno == 0 else { throw unreadable(folder) }
        return names.sorted()
    }

    static func read(_ path: String, as name: String) throws(TrustError) -> [UInt8] {
        // Non-blocking, so that a FIFO in the folder cannot hold the gate up; anything but a regular file is refused.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(name) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw TrustError(file: name, reason: .unreadable, found: "no regular file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= TrustStore.largestFile else { throw TrustError(file: name, reason: .tooLarge) }
        }
    }
}

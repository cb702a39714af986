import Glibc

extension TrustStore {
    /// Reads every `*.json` of a folder, in the order of their names. Other files are not looked at; sub-folders are not entered.
    public init(folder: String) throws(TrustError) {
        var files: [(name: String, bytes: [UInt8])] = []
        for name in try TrustFolder.names(folder) {
            files.append((name, try TrustFolder.read(folder + "/" + name, as: name)))
        }
        guard !files.isEmpty else { throw TrustError(file: folder, reason: .empty) }
        try self.init(files: files)
    }
}

/// The few system calls a trust folder needs.
private enum TrustFolder {
    static func names(_ folder: String) throws(TrustError) -> [String] {
        guard let stream = opendir(folder) else { throw TrustError(file: folder, reason: .unreadable) }
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
        guard errno == 0 else { throw TrustError(file: folder, reason: .unreadable) }
        return names.sorted()
    }

    static func read(_ path: String, as name: String) throws(TrustError) -> [UInt8] {
        // Non-blocking, so that a FIFO in the folder cannot hold the gate up; anything but a regular file is refused.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw TrustError(file: name, reason: .unreadable) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw TrustError(file: name, reason: .unreadable) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TrustError(file: name, reason: .unreadable) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= TrustStore.largestFile else { throw TrustError(file: name, reason: .tooLarge) }
        }
    }
}

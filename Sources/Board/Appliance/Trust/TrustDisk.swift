import Linux

/// The folder in which trust bundle, orders and site file lie: what the disk refuses is why something is not installed.
struct TrustDisk: ~Copyable {
    private let folder: DurableFolder

    /// - Parameter patience: nanoseconds to wait for another program that has the folder.
    init(
        _ path: String, exclusively: Bool, patience: UInt64 = 0, watch: DurableFolder.Watch? = nil
    ) throws(TrustInstallationError) {
        folder = try Self.tried { () throws(SystemError) in
            try DurableFolder(path, exclusively: exclusively, isShared: true, patience: patience, watch: watch)
        }
    }

    func read(_ name: String, most: Int) throws(TrustInstallationError) -> [UInt8]? {
        do throws(SystemError) {
            return try folder.read(name, most: most)
        } catch {
            // The folder is open: it is the file's owner or mode.
            if error.kind == .notPermitted { throw .unreadable(name) }
            throw .disk(error)
        }
    }

    func replace(_ name: String, with octets: [UInt8]) throws(TrustInstallationError) {
        try Self.tried { () throws(SystemError) in try folder.replace(name, with: octets) }
    }

    /// What went wrong although the new file is there.
    func put(_ name: String, _ octets: [UInt8]) throws(TrustInstallationError) -> TrustInstallationError? {
        try Self.tried { () throws(SystemError) in try folder.put(name, octets) }.map { .disk($0) }
    }

    func remove(_ name: String) throws(TrustInstallationError) {
        try Self.tried { () throws(SystemError) in try folder.remove(name) }
    }

    /// Overwrites and removes.
    func erase(_ name: String) throws(TrustInstallationError) {
        try Self.tried { () throws(SystemError) in try folder.erase(name) }
    }

    private static func tried<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(TrustInstallationError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .disk(error)
        }
    }
}

import Envelopes

/// The settings of a bundle in its source folder, `bundle.json`:
/// `{"gatehouse-bundle":1,"sequence":7,"notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z","clock":"reject"}`.
public struct BundleSettings: Hashable, Sendable {
    /// The file's name in a source folder.
    public static let file = "bundle.json"
    private static let version: Int64 = 1

    /// Nil when whoever builds the bundle has to say it.
    public let sequence: Int64?
    public let notBefore: Seconds
    public let notAfter: Seconds
    public let clock: TrustBundle.ClockPolicy

    public init(sequence: Int64?, notBefore: Seconds, notAfter: Seconds, clock: TrustBundle.ClockPolicy) {
        self.sequence = sequence
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.clock = clock
    }

    /// - Parameter bytes: UTF-8 octets of the file.
    public init(_ bytes: [UInt8]) throws(TrustError) {
        let file = try TrustMember(file: Self.file, bytes: bytes)
        guard let version = file.value["gatehouse-bundle"] else {
            throw TrustError(file: Self.file, member: "gatehouse-bundle", reason: file.value.members == nil ? .wrongType : .missing)
        }
        guard version.int64 == Self.version else {
            throw TrustError(file: Self.file, member: "gatehouse-bundle", reason: .unsupportedVersion)
        }
        let found = try file.object(known: ["gatehouse-bundle", "sequence", "notBefore", "notAfter", "clock"])
        sequence = try found["sequence"].map { (member) throws(TrustError) in
            guard let number = member.value.int64 else { throw member.fault(.wrongType) }
            return number
        }
        notBefore = try found.required("notBefore", of: file).time()
        notAfter = try found.required("notAfter", of: file).time()
        clock = try found.required("clock", of: file).choice(TrustBundle.ClockPolicy.self)
    }
}

extension TrustBundle {
    /// The bundle of a source folder. The same contents, settings and `created` always give the same bundle. Throws also what `store`
    /// throws.
    ///
    /// - Parameters:
    ///   - source: as the folder has it; issuers are put into the form of RFC 8785.
    ///   - sequence: instead of the one in the settings.
    ///   - created: now, by the operator's clock.
    public init(source: TrustContents, settings: BundleSettings, sequence: Int64? = nil, created: Seconds) throws(TrustBundleError) {
        var contents = source
        let asItStands: TrustStore
        do throws(TrustError) {
            // So that a fault is reported where the operator sees it.
            asItStands = try TrustStore(source)
            try source.checkContexts()
        } catch {
            throw .contents(error)
        }
        for index in contents.issuers.indices {
            guard let canonical = Self.canonical(contents.issuers[index].bytes) else {
                throw .entryNotCanonical(name: contents.issuers[index].name)
            }
            contents.issuers[index].bytes = canonical
        }
        guard let sequence = sequence ?? settings.sequence else {
            throw .contents(TrustError(file: BundleSettings.file, member: "sequence", reason: .missing))
        }
        try self.init(
            sequence: sequence, created: created, notBefore: settings.notBefore, notAfter: settings.notAfter, clock: settings.clock,
            contents: contents)
        _ = try store(after: asItStands)
    }
}

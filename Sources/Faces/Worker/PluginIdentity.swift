/// Who the plug-in says it is, told once by each worker when its models are loaded.
public struct PluginIdentity: Hashable, Sendable {
    /// `[a-z0-9._-]{1,64}`
    public var id: String
    public var version: String
    /// SHA-256 over all its models as 64 lower-case hexadecimal digits: a threshold belongs to it.
    public var modelSHA256: String
    /// `FMP_CAP_...`
    public var capabilities: UInt32
    /// Pixels between the eyes of a reference that can be relied on; 0 where the plug-in does not know.
    public var referenceMinimum: UInt32

    public init(id: String, version: String, modelSHA256: String, capabilities: UInt32, referenceMinimum: UInt32) {
        self.id = id
        self.version = version
        self.modelSHA256 = modelSHA256
        self.capabilities = capabilities
        self.referenceMinimum = referenceMinimum
    }

    /// `FMP_CAP_PAD_PASSIVE`
    public var checksAttacks: Bool { capabilities & 1 << 2 != 0 }
}

import JSON

/// A registry of credentials that can be revoked, of one definition.
public struct RevocationRegistry: Sendable {
    public let id: String, definitionID: String
    /// How old lists of this registry may be; nil for what the context says of all.
    public var statusPolicy: AnonCredsContext.StatusPolicy?
    let z: Fp12

    /// - Parameter z: the text `value.publicKeys.accumKey.z`. It must not be 1, and its order is r.
    public init(id: String, definitionID: String, z: JSONValue) throws(ContextFault) {
        guard let text = z.stringBytes else { throw ContextFault(id, "z", .wrongType) }
        guard let value = PointText.gt(text) else { throw ContextFault(id, "z", .notInGroup) }
        self.init(id: id, definitionID: definitionID, z: value)
    }

    /// - Parameter z: an element of order r.
    init(id: String, definitionID: String, z: Fp12) { (self.id, self.definitionID, self.z) = (id, definitionID, z) }
}

/// What a registry's credentials were worth at one time. The bits are the wallet's affair (anoncreds.md section 1).
public struct RevocationStatusList: Sendable {
    public let registryID: String
    /// Seconds since 1970: which list this is, and when it was brought.
    public let timestamp: Int64, fetched: Int64
    let accumulator: G2Point

    /// - Parameters:
    ///   - accumulator: the text `currentAccumulator`.
    ///   - fetched: when provisioning last saw that this is the newest.
    public init(registryID: String, timestamp: Int64, accumulator: JSONValue, fetched: Int64) throws(ContextFault) {
        guard let text = accumulator.stringBytes else { throw ContextFault(registryID, "accumulator", .wrongType) }
        guard let point = PointText.g2(text) else { throw ContextFault(registryID, "accumulator", .notInGroup) }
        (self.registryID, self.timestamp, self.fetched) = (registryID, timestamp, fetched)
        self.accumulator = point
    }
}

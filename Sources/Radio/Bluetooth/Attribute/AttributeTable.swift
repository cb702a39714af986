/// The attributes a server offers: a value the application builds once. Handles ascend and may have gaps.
///
/// A table holds `capacity` attributes, `constantCapacity` octets of values that never change and
/// `configurationCapacity` client configurations, whatever the application builds of them; one more is refused with the
/// error that names what is full, and the table stays as it was. Values the application holds take no room here. The
/// numbers are the same for every table, because the host owns its table where it lies: 9 kB, never allocated.
public struct AttributeTable: ~Copyable {
    /// How a client may use a value. Encryption is never on, so what needs it is refused with the code of the reason.
    public enum Access: UInt8, Sendable {
        case allowed
        /// Read or Write Not Permitted.
        case denied
        case needsAuthentication, needsAuthorization, needsEncryption, needsLongerKey

        func refusal(_ denial: ATTError) -> ATTError? {
            switch self {
            case .allowed: nil
            case .denied: denial
            case .needsAuthentication: .insufficientAuthentication
            case .needsAuthorization: .insufficientAuthorization
            case .needsEncryption: .insufficientEncryption
            case .needsLongerKey: .encryptionKeySizeTooShort
            }
        }
    }

    /// Characteristic properties (Core Vol 3 Part G 3.3.1.1). Not an option set: its literals would be arrays.
    public struct Properties: Hashable, Sendable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static var none: Properties { Properties(rawValue: 0) }
        public static var broadcast: Properties { Properties(rawValue: 0x01) }
        public static var read: Properties { Properties(rawValue: 0x02) }
        public static var writeWithoutResponse: Properties { Properties(rawValue: 0x04) }
        public static var write: Properties { Properties(rawValue: 0x08) }
        public static var notify: Properties { Properties(rawValue: 0x10) }
        public static var indicate: Properties { Properties(rawValue: 0x20) }
        /// A Characteristic Extended Properties descriptor follows.
        public static var extendedProperties: Properties { Properties(rawValue: 0x80) }

        public static func | (a: Properties, b: Properties) -> Properties { Properties(rawValue: a.rawValue | b.rawValue) }
        public func contains(_ other: Properties) -> Bool { rawValue & other.rawValue == other.rawValue }
    }

    /// Where the value lives.
    public enum Storage: Sendable {
        /// In the table.
        case constant(offset: UInt16, count: UInt16)
        /// Per client: the configuration bits in this slot; others are refused by `refusal`.
        case clientConfiguration(slot: UInt8, refusal: ATTError)
        /// With the application; writes longer than `maximum` octets are refused.
        case application(maximum: UInt16)
    }

    public struct Attribute: Sendable {
        public var handle: UInt16
        public var type: UUID
        public var read: Access
        public var write: Access
        /// Write commands are taken.
        public var takesCommands: Bool
        public var storage: Storage
        /// For a value: the properties of its characteristic. For a configuration: those of the one it configures.
        public var properties: Properties
        /// A value is pushed to clients that never subscribed, as a notification.
        public var pushesUnsubscribed: Bool

        static var empty: Attribute {
            Attribute(
                handle: 0, type: UUID(0), read: .denied, write: .denied, takesCommands: false,
                storage: .application(maximum: 0), properties: .none, pushesUnsubscribed: false)
        }
    }

    /// Attributes a table holds at the most.
    public static var capacity: Int { 128 }
    /// Octets of constant values, declarations included: 2 or 16 of a service, 5 or 19 of a characteristic, 4 or 6 of an
    /// include.
    public static var constantCapacity: Int { 4096 }
    /// Configurations a client can have.
    public static var configurationCapacity: Int { 32 }

    private(set) var attributes = InlineArray<128, Attribute>(repeating: .empty)
    public private(set) var count = 0
    var constants = OctetBuffer<4096>()
    private(set) var configurations = 0

    public init() {}

    /// The index of the value of the characteristic that attributes are being added to.
    mutating func openValue() throws(AttributeTableError) -> Int {
        var index = count
        while index > 0 {
            index -= 1
            let attribute = attributes[index]
            if case .clientConfiguration = attribute.storage { throw .configurationTwice }
            if attribute.type == .characteristic {
                guard index + 1 < count else { break }
                return index + 1
            }
            if Self.isService(attribute.type) { break }
        }
        throw .noCharacteristic
    }

    /// What the last service reports as its end; 0 means its last attribute.
    public var lastGroupEnd: UInt16 = 0

    static func isService(_ type: UUID) -> Bool { type == .primaryService || type == .secondaryService }

    mutating func insert(_ attribute: Attribute) throws(AttributeTableError) {
        guard count < attributes.count else { throw .attributesFull }
        guard attribute.handle > (count == 0 ? 0 : attributes[count - 1].handle) else { throw .handleOrder }
        attributes[count] = attribute
        count += 1
    }

    /// The handle named, or the next one free.
    mutating func place(_ handle: UInt16?) throws(AttributeTableError) -> UInt16 {
        if let handle { return handle }
        let last: UInt16 = count == 0 ? 0 : attributes[count - 1].handle
        guard last < .max else { throw .handlesFull }
        return last + 1
    }

    /// How far the table is built.
    struct Mark {
        fileprivate var count: Int
        fileprivate var constants: Int
        fileprivate var configurations: Int

        init(_ table: inout AttributeTable) {
            count = table.count
            constants = table.constants.count
            configurations = table.configurations
        }
    }

    /// Takes back what was added since `mark`: what could not be added whole is not there at all.
    mutating func undo(to mark: Mark) {
        count = mark.count
        constants.truncate(to: mark.constants)
        configurations = mark.configurations
    }

    mutating func claimConfiguration() throws(AttributeTableError) -> UInt8 {
        guard configurations < Self.configurationCapacity else { throw .configurationsFull }
        configurations += 1
        return UInt8(configurations - 1)
    }
}

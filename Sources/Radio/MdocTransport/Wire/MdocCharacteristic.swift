import Bluetooth

/// The values that an mdoc's GATT service has, whichever side serves it (mdoc.md section 2).
public enum MdocCharacteristic: UInt8, Hashable, Sendable {
    /// The beginning and the end of a session, one octet: `MdocState`.
    case state
    /// Fragments from the GATT client.
    case clientToServer
    /// Fragments from the GATT server.
    case serverToClient
    /// By which a phone that connects knows that it met the reader it was looking for.
    case ident

    public static var count: Int { 4 }

    /// The UUID where the gate is the GATT server: `00000005` to `00000008` of the base.
    public var servedUUID: UUID { Self.uuid(0x05 + UInt64(rawValue)) }

    /// The UUID where the phone is the GATT server: `00000001` to `00000003` of the base; a phone has no Ident.
    public var soughtUUID: UUID? { self == .ident ? nil : Self.uuid(0x01 + UInt64(rawValue)) }

    /// What a client looks for; the index of each is its raw value.
    static var sought: CharacteristicList {
        CharacteristicList(uuid(0x01), uuid(0x01 + UInt64(clientToServer.rawValue)), uuid(0x01 + UInt64(serverToClient.rawValue)))
    }

    /// The characteristic of this index in `sought`.
    init?(soughtIndex index: Int) {
        guard let raw = UInt8(exactly: index), let characteristic = MdocCharacteristic(rawValue: raw), characteristic != .ident else {
            return nil
        }
        self = characteristic
    }

    /// `000000xx-A123-48CE-896B-4C76973373E6`.
    private static func uuid(_ code: UInt64) -> UUID { UUID(high: code << 32 | 0xA123_48CE, low: 0x896B_4C76_9733_73E6) }
}

/// What State says; every other value is none (mdoc.md section 2.1).
public enum MdocState: UInt8, Hashable, Sendable {
    case start = 0x01
    case end = 0x02

    /// Nil for anything but one octet that is known.
    public init?(_ value: borrowing Span<UInt8>) {
        guard value.count == 1, let octet = value.octet(at: 0), let state = MdocState(rawValue: octet) else { return nil }
        self = state
    }
}

extension UUID {
    /// A UUID as an engagement has it: 16 octets, most significant first. Nil for any other number.
    public init?(bigEndian octets: borrowing Span<UInt8>) {
        guard octets.count == 16, let low = octets.littleEndian64(at: 8), let high = octets.littleEndian64(at: 0) else { return nil }
        self.init(high: high.byteSwapped, low: low.byteSwapped)
    }
}

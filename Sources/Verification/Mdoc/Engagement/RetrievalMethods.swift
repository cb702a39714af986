import CBOR

/// What a phone's engagement says of the ways to reach it, collected from all its entries (mdoc.md section 1): for each mode the first that
/// is usable.
///
/// The modes have their names from the phone's side. UUIDs are big-endian here, as in RFC 4122; on the air they are turned round.
struct RetrievalMethods: Hashable, Sendable {
    /// Mdoc central client mode: the UUID the gate advertises.
    private(set) var central: [UInt8]?
    /// Mdoc peripheral server mode: the UUID the phone advertises.
    private(set) var peripheral: [UInt8]?
    /// The PSM of an L2CAP channel to the phone of peripheral server mode.
    private(set) var psm: UInt16?
    /// That phone's address when it wrote the code. It may rotate: a hint.
    private(set) var address: [UInt8]?

    private enum Option {
        static let peripheral: Int64 = 0, central: Int64 = 1, peripheralUUID: Int64 = 10, centralUUID: Int64 = 11
        static let address: Int64 = 20, psm: Int64 = 21
    }

    private static let bluetooth: Int64 = 2
    private static let version: Int64 = 1
    private static let uuidLength = 16
    private static let addressLength = 6
    /// The PSMs that a phone can be given for a protocol without a number of its own (Bluetooth Core, Vol 3 Part A 4.22).
    private static let dynamicPSMs: ClosedRange<UInt64> = 0x80...0xFF
    /// A phone has two or three ways; whoever writes more does not say which.
    private static let mostEntries = 32

    /// - Parameter list: the array of retrieval methods; nil where there is none. An entry of another kind, of another version or without
    ///   the shape of one is passed over, as the standard wants it.
    init(_ list: [CBORItem]) {
        for entry in list.prefix(Self.mostEntries) {
            guard let parts = entry.elements, parts.count >= 3, parts[0].int64 == Self.bluetooth, parts[1].int64 == Self.version,
                parts[2].kind == .map
            else { continue }
            collect(parts[2])
        }
    }

    private mutating func collect(_ options: CBORItem) {
        if central == nil { central = Self.uuid(options, Option.central, Option.centralUUID) }
        guard peripheral == nil, let uuid = Self.uuid(options, Option.peripheral, Option.peripheralUUID) else { return }
        peripheral = uuid
        psm = options[Option.psm]?.uint64.flatMap { Self.dynamicPSMs.contains($0) ? UInt16(exactly: $0) : nil }
        address = options[Option.address]?.bytes.flatMap { $0.count == Self.addressLength ? $0 : nil }
    }

    /// The UUID of a mode that is offered; nil where the flag is not true, or stands without a UUID.
    private static func uuid(_ options: CBORItem, _ flag: Int64, _ key: Int64) -> [UInt8]? {
        guard options[flag]?.bool == true, let octets = options[key]?.bytes, octets.count == uuidLength else { return nil }
        return octets
    }
}

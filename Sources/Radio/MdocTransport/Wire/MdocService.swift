import Bluetooth

/// The attribute table of a gate that is the GATT server (mdoc central client mode), and the handles of its values
/// (mdoc.md section 2).
///
/// Every engagement has a table of its own, served from an address of its own: phones keep the handles of an address.
public struct MdocService: Sendable {
    private var handles = InlineArray<4, UInt16>(repeating: 0)

    /// No table: no handle is any characteristic's.
    public init() {}

    /// Adds the service to `table`, which holds GAP and GATT already.
    ///
    /// - Parameters:
    ///   - service: what the engagement has under key 11.
    ///   - ident: what `MdocCharacteristic.ident` reads as. It must be there: a wallet that finds none leaves, or never starts.
    public mutating func add(to table: inout AttributeTable, service: UUID, ident: MdocIdent) throws(AttributeTableError) {
        try table.addService(service)
        // The properties are the standard's. A write with an answer is taken all the same: some phones ask for one.
        let state = try table.addCharacteristic(MdocCharacteristic.state.servedUUID, .notify | .writeWithoutResponse)
        try table.addClientConfiguration()
        let incoming = try table.addCharacteristic(MdocCharacteristic.clientToServer.servedUUID, .writeWithoutResponse)
        let outgoing = try table.addCharacteristic(MdocCharacteristic.serverToClient.servedUUID, .notify)
        try table.addClientConfiguration()
        let known = try ident.withOctets { (octets) throws(AttributeTableError) in
            try table.addCharacteristic(MdocCharacteristic.ident.servedUUID, constant: octets)
        }
        handles[Int(MdocCharacteristic.state.rawValue)] = state
        handles[Int(MdocCharacteristic.clientToServer.rawValue)] = incoming
        handles[Int(MdocCharacteristic.serverToClient.rawValue)] = outgoing
        handles[Int(MdocCharacteristic.ident.rawValue)] = known
    }

    /// The handle of a value; 0 before there is a table.
    public func handle(_ characteristic: MdocCharacteristic) -> UInt16 { handles[Int(characteristic.rawValue)] }

    public func characteristic(at handle: UInt16) -> MdocCharacteristic? {
        guard handle != 0 else { return nil }
        for index in 0..<handles.count where handles[index] == handle { return MdocCharacteristic(rawValue: UInt8(index)) }
        return nil
    }
}

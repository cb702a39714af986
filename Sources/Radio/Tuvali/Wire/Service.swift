import Bluetooth

/// The attribute table of a Tuvali verifier and the handles of its values (tuvali.md section 3).
public struct Service: Sendable {
    private var handles = InlineArray<9, UInt16>(repeating: 0)

    /// Where the service begins; fixed for ever, because phones cache handles.
    public static var firstHandle: UInt16 { 0x0010 }

    public init() {}

    /// Adds the service to `table`, which holds GAP and GATT already.
    public mutating func add(to table: inout AttributeTable, version: WireVersion) throws(AttributeTableError) {
        try table.addService(UUID(version.service), at: Self.firstHandle)
        var next: UInt8 = 0
        while let characteristic = Characteristic(rawValue: next) {
            handles[Int(next)] = try add(characteristic, to: &table, version)
            next += 1
        }
    }

    private func add(
        _ characteristic: Characteristic, to table: inout AttributeTable, _ version: WireVersion
    ) throws(AttributeTableError) -> UInt16 {
        let uuid = version.uuid(characteristic)
        let handle: UInt16
        switch characteristic {
        case .identifyRequest, .responseSize, .submitResponse, .transferReportRequest:
            return try table.addCharacteristic(uuid, .write | .writeWithoutResponse)
        case .requestSize, .request:
            handle = try table.addCharacteristic(uuid, .read | .indicate, pushesUnsubscribed: true)
        case .transferReportResponse, .verificationStatus, .disconnect:
            // Readable although the properties do not say so, as the reference is. The Android wallet never subscribes,
            // so what is pushed goes out as a notification unless the client asked for indications.
            handle = try table.addCharacteristic(uuid, .indicate, read: .allowed, pushesUnsubscribed: true)
        }
        try table.addClientConfiguration()
        return handle
    }

    public func handle(_ characteristic: Characteristic) -> UInt16 { handles[Int(characteristic.rawValue)] }

    public func characteristic(at handle: UInt16) -> Characteristic? {
        for index in 0..<handles.count where handles[index] == handle { return Characteristic(rawValue: UInt8(index)) }
        return nil
    }
}

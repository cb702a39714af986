import Bluetooth

/// The attributes by which a wallet is invited and answers (aries.md section 1), and the handles of their values.
///
/// The handles are the same in every table, with Tuvali's service before them or without. The service's UUID is another one for each visit,
/// and so is the address it is served from: what a phone has cached is of another gate.
public enum AriesService {
    /// Where the service begins, behind Tuvali's.
    public static var firstHandle: UInt16 { 0x0040 }
    /// The value that a wallet writes, piece by piece.
    public static var message: UInt16 { firstHandle + 2 }
    /// The value that the gate indicates, piece by piece.
    public static var indicated: UInt16 { firstHandle + 4 }
    /// The last handle of the service: the configuration of `indicated`.
    public static var lastHandle: UInt16 { firstHandle + 5 }

    /// The service of wallets that read no code: the draft's of 2021.
    public static var defaultUUID: UUID { UUID(high: 0xD2F1_95B6_2E80_4AB0, low: 0xBE24_32EB_E761_352F) }
    static var messageUUID: UUID { UUID(high: 0xC310_3DED_AFD7_477C, low: 0xB279_2AD2_64E2_0E74) }
    static var indicatedUUID: UUID { UUID(high: 0xE6E9_7879_780A_4C9B, low: 0xB4E6_DCAE_3793_A3E8) }

    /// Adds the service to `table`, which holds GAP and GATT already, and nothing from `firstHandle` on.
    ///
    /// - Parameter service: what the invitation names as `ble://` endpoint.
    public static func add(to table: inout AttributeTable, service: UUID) throws(AttributeTableError) {
        try table.addService(service, at: firstHandle)
        try table.addCharacteristic(messageUUID, .write, maximum: PieceSize.longestValue)
        try table.addCharacteristic(indicatedUUID, .indicate)
        // A wallet that asks for notifications would take the gate's pieces without confirming any.
        try table.addClientConfiguration(refusal: .valueNotAllowed)
    }

    /// Whether the handle is of this service.
    public static func owns(_ handle: UInt16) -> Bool { handle >= firstHandle && handle <= lastHandle }
}

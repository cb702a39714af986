/// The two sets of commands for advertising, scanning and initiating. A controller is spoken to in one of them, chosen once in each
/// bring-up: after one Reset they must not be mixed (Core Vol 4 Part E 3.1.1).
enum CommandSet {
    case legacy, extended
}

/// A command waiting to be sent. Parameters that belong to the host's state are read when it is encoded.
enum Command: Equatable {
    case bringUp(BringUp.Step)
    case setRandomAddress
    case setAdvertisingParameters
    case setAdvertisingData
    case setScanResponse
    case setAdvertisingEnable(Bool)
    /// Other advertising data, while advertising goes on.
    case replaceAdvertisingData
    /// The address of scanning and initiating, in either command set.
    case setScanAddress
    case setScanParameters
    case setScanEnable(Bool)
    case createConnection
    case cancelConnection
    case updateConnection(handle: UInt16)
    case disconnect(handle: UInt16, reason: HCIStatus)
    case longTermKeyNegativeReply(handle: UInt16)
    case setDataLength(handle: UInt16)
    case setPHY(handle: UInt16)
    case readChannelMap(handle: UInt16)
    /// Whether the controller is still there: every one answers it.
    case readVersion

    /// How it is said in the command set the controller is spoken to in.
    func opcode(in set: CommandSet) -> Opcode {
        let isExtended = set == .extended
        return switch self {
        case .bringUp(let step): BringUp.row(step).opcode
        case .setRandomAddress: isExtended ? .leSetAdvertisingSetRandomAddress : .leSetRandomAddress
        case .setAdvertisingParameters: isExtended ? .leSetExtendedAdvertisingParameters : .leSetAdvertisingParameters
        case .setAdvertisingData, .replaceAdvertisingData: isExtended ? .leSetExtendedAdvertisingData : .leSetAdvertisingData
        case .setScanResponse: isExtended ? .leSetExtendedScanResponseData : .leSetScanResponseData
        case .setAdvertisingEnable: isExtended ? .leSetExtendedAdvertisingEnable : .leSetAdvertisingEnable
        case .setScanAddress: .leSetRandomAddress
        case .setScanParameters: isExtended ? .leSetExtendedScanParameters : .leSetScanParameters
        case .setScanEnable: isExtended ? .leSetExtendedScanEnable : .leSetScanEnable
        case .createConnection: isExtended ? .leExtendedCreateConnection : .leCreateConnection
        case .cancelConnection: .leCreateConnectionCancel
        case .updateConnection: .leConnectionUpdate
        case .disconnect: .disconnect
        case .longTermKeyNegativeReply: .leLongTermKeyNegativeReply
        case .setDataLength: .leSetDataLength
        case .setPHY: .leSetPHY
        case .readChannelMap: .leReadChannelMap
        case .readVersion: .readLocalVersion
        }
    }

    /// Part of the sequence that sets advertising up or ends it.
    var isAdvertising: Bool {
        switch self {
        case .setRandomAddress, .setAdvertisingParameters, .setAdvertisingData, .setScanResponse, .setAdvertisingEnable: true
        default: false
        }
    }

    /// Part of the sequence that sets scanning up or ends it.
    var isScanning: Bool {
        switch self {
        case .setScanAddress, .setScanParameters, .setScanEnable: true
        default: false
        }
    }

    /// Part of the sequence that asks for a connection or gives it up.
    var isInitiating: Bool { self == .setScanAddress || self == .createConnection || self == .cancelConnection }

    /// The handle of the link it is about.
    var link: UInt16? {
        switch self {
        case .disconnect(let handle, _), .longTermKeyNegativeReply(let handle), .setDataLength(let handle), .setPHY(let handle),
            .readChannelMap(let handle), .updateConnection(let handle):
            handle
        default: nil
        }
    }

    /// The controller answers with Command Status and tells the outcome in a later event.
    var answersWithStatus: Bool {
        switch self {
        case .disconnect, .setPHY, .createConnection, .updateConnection: true
        default: false
        }
    }

    /// The link, or what is advertised, works without it: an unanswered one is not worth a reset.
    var isOptional: Bool {
        switch self {
        case .setDataLength, .setPHY, .readChannelMap, .updateConnection, .replaceAdvertisingData: true
        default: false
        }
    }
}

/// A command waiting to be sent. Parameters that belong to the host's state are read when it is encoded.
enum Command: Equatable {
    case bringUp(BringUp.Step)
    case setRandomAddress
    case setAdvertisingParameters
    case setAdvertisingData
    case setScanResponse
    case setAdvertisingEnable(Bool)
    case disconnect(handle: UInt16, reason: HCIStatus)
    case longTermKeyNegativeReply(handle: UInt16)
    case setDataLength(handle: UInt16)
    case setPHY(handle: UInt16)
    case readChannelMap(handle: UInt16)

    /// How it is said to a controller of the legacy or of the extended advertising commands; never both after one Reset.
    func opcode(isExtended: Bool) -> Opcode {
        switch self {
        case .bringUp(let step): BringUp.row(step).opcode
        case .setRandomAddress: isExtended ? .leSetAdvertisingSetRandomAddress : .leSetRandomAddress
        case .setAdvertisingParameters: isExtended ? .leSetExtendedAdvertisingParameters : .leSetAdvertisingParameters
        case .setAdvertisingData: isExtended ? .leSetExtendedAdvertisingData : .leSetAdvertisingData
        case .setScanResponse: isExtended ? .leSetExtendedScanResponseData : .leSetScanResponseData
        case .setAdvertisingEnable: isExtended ? .leSetExtendedAdvertisingEnable : .leSetAdvertisingEnable
        case .disconnect: .disconnect
        case .longTermKeyNegativeReply: .leLongTermKeyNegativeReply
        case .setDataLength: .leSetDataLength
        case .setPHY: .leSetPHY
        case .readChannelMap: .leReadChannelMap
        }
    }

    /// Part of the sequence that sets advertising up or ends it.
    var isAdvertising: Bool {
        switch self {
        case .setRandomAddress, .setAdvertisingParameters, .setAdvertisingData, .setScanResponse, .setAdvertisingEnable: true
        default: false
        }
    }

    /// The handle of the link it is about.
    var link: UInt16? {
        switch self {
        case .disconnect(let handle, _), .longTermKeyNegativeReply(let handle), .setDataLength(let handle), .setPHY(let handle),
            .readChannelMap(let handle):
            handle
        default: nil
        }
    }

    /// The controller answers with Command Status and tells the outcome in a later event.
    var answersWithStatus: Bool {
        switch self {
        case .disconnect, .setPHY: true
        default: false
        }
    }

    /// The link works without it: an unanswered one is not worth a reset.
    var isOptional: Bool {
        switch self {
        case .setDataLength, .setPHY, .readChannelMap: true
        default: false
        }
    }
}

/// Commands in the order they will be sent; the same command is never queued twice.
struct CommandQueue: ~Copyable {
    private var waiting = Ring<16, Command>()

    var count: Int { waiting.count }

    /// False when the queue is full.
    @discardableResult
    mutating func append(_ command: Command) -> Bool {
        waiting.contains { $0 == command } || waiting.append(command)
    }

    mutating func next() -> Command? { waiting.next() }

    mutating func removeAll() { waiting.removeAll() }

    /// Drops an advertising sequence that another one replaces.
    mutating func removeAdvertising() { waiting.removeAll { $0.isAdvertising } }

    /// Drops what a link does without.
    mutating func removeOptional(_ handle: UInt16) { waiting.removeAll { $0.isOptional && $0.link == handle } }

    /// Drops what waits for a link that is gone: its handle may soon be another link's.
    mutating func removeLink(_ handle: UInt16) { waiting.removeAll { $0.link == handle } }
}

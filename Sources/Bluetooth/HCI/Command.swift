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

    var opcode: Opcode {
        switch self {
        case .bringUp(let step): BringUp.row(step).opcode
        case .setRandomAddress: .leSetRandomAddress
        case .setAdvertisingParameters: .leSetAdvertisingParameters
        case .setAdvertisingData: .leSetAdvertisingData
        case .setScanResponse: .leSetScanResponseData
        case .setAdvertisingEnable: .leSetAdvertisingEnable
        case .disconnect: .disconnect
        case .longTermKeyNegativeReply: .leLongTermKeyNegativeReply
        case .setDataLength: .leSetDataLength
        case .setPHY: .leSetPHY
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
        case .disconnect(let handle, _), .longTermKeyNegativeReply(let handle), .setDataLength(let handle), .setPHY(let handle):
            handle
        default: nil
        }
    }

    /// The link works without it: an unanswered one is not worth a reset.
    var isOptional: Bool {
        switch self {
        case .setDataLength, .setPHY: true
        default: false
        }
    }
}

/// Commands in the order they will be sent; the same command is never queued twice.
struct CommandQueue: ~Copyable {
    private var ring = InlineArray<16, Command>(repeating: .setRandomAddress)
    private var first = 0
    private(set) var count = 0

    /// False when the queue is full.
    @discardableResult
    mutating func append(_ command: Command) -> Bool {
        for index in 0..<count where ring[(first + index) & 15] == command { return true }
        guard count < ring.count else { return false }
        ring[(first + count) & 15] = command
        count += 1
        return true
    }

    mutating func next() -> Command? {
        guard count > 0 else { return nil }
        let command = ring[first]
        first = (first + 1) & 15
        count -= 1
        return command
    }

    mutating func removeAll() {
        first = 0
        count = 0
    }

    /// Drops an advertising sequence that another one replaces.
    mutating func removeAdvertising() { remove { $0.isAdvertising } }

    /// Drops what waits for a link that is gone: its handle may soon be another link's.
    mutating func removeLink(_ handle: UInt16) { remove { $0.link == handle } }

    private mutating func remove(_ isUnwanted: (Command) -> Bool) {
        var kept = 0
        for index in 0..<count {
            let command = ring[(first + index) & 15]
            guard !isUnwanted(command) else { continue }
            ring[(first + kept) & 15] = command
            kept += 1
        }
        count = kept
    }
}

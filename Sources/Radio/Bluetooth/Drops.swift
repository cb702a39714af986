/// Why something received was dropped. Malformed input is never an error of the process: it is one of these, counted.
public enum Drop: UInt8, Sendable {
    // HCI
    case emptyPacket, unknownPacketType, packetLength
    case eventTruncated, eventUnknown, eventMalformed, commandUnexpected
    case completedPacketsMalformed, completedPacketsUnknownHandle, completedPacketsExcess
    case connectionFailed, connectionEarly, connectionDuplicate, connectionHandleInvalid, connectionRole
    case disconnectionUnknownHandle
    case hardwareError, dataBufferOverflow, keyRequest
    // ACL and L2CAP
    case dataWhileClosed, unknownHandle, dataUnclaimed, packetBoundary, broadcast
    case startWhileIncomplete, continuationWithoutStart, continuationOverrun, frameOverrun, frameTooLong
    case channelUnknown
    // Signalling and security
    case signallingMalformed, signallingIgnored, signallingBusy
    case securityMalformed, securityIgnored, securityBusy
    // ATT
    case attributeEmpty, attributeTooLong, attributeBusy, attributeUnexpectedConfirmation, attributeIgnored
    case writeCommandRefused, signedWrite
    // Scanning
    case reportMalformed, advertisementMalformed
    // The attribute client, and the credit based channel
    case attributeUnexpectedResponse, notificationUnknown, channelViolation

    /// How many there are; raw values run from 0.
    public static var count: Int { Int(Drop.channelViolation.rawValue) + 1 }

    /// The counter's name in `doctor`. An audit record has the sum of all.
    public var name: StaticString {
        switch self {
        case .emptyPacket: "emptyPacket"
        case .unknownPacketType: "unknownPacketType"
        case .packetLength: "packetLength"
        case .eventTruncated: "eventTruncated"
        case .eventUnknown: "eventUnknown"
        case .eventMalformed: "eventMalformed"
        case .commandUnexpected: "commandUnexpected"
        case .completedPacketsMalformed: "completedPacketsMalformed"
        case .completedPacketsUnknownHandle: "completedPacketsUnknownHandle"
        case .completedPacketsExcess: "completedPacketsExcess"
        case .connectionFailed: "connectionFailed"
        case .connectionEarly: "connectionEarly"
        case .connectionDuplicate: "connectionDuplicate"
        case .connectionHandleInvalid: "connectionHandleInvalid"
        case .connectionRole: "connectionRole"
        case .disconnectionUnknownHandle: "disconnectionUnknownHandle"
        case .hardwareError: "hardwareError"
        case .dataBufferOverflow: "dataBufferOverflow"
        case .keyRequest: "keyRequest"
        case .dataWhileClosed: "dataWhileClosed"
        case .unknownHandle: "unknownHandle"
        case .dataUnclaimed: "dataUnclaimed"
        case .packetBoundary: "packetBoundary"
        case .broadcast: "broadcast"
        case .startWhileIncomplete: "startWhileIncomplete"
        case .continuationWithoutStart: "continuationWithoutStart"
        case .continuationOverrun: "continuationOverrun"
        case .frameOverrun: "frameOverrun"
        case .frameTooLong: "frameTooLong"
        case .channelUnknown: "channelUnknown"
        case .signallingMalformed: "signallingMalformed"
        case .signallingIgnored: "signallingIgnored"
        case .signallingBusy: "signallingBusy"
        case .securityMalformed: "securityMalformed"
        case .securityIgnored: "securityIgnored"
        case .securityBusy: "securityBusy"
        case .attributeEmpty: "attributeEmpty"
        case .attributeTooLong: "attributeTooLong"
        case .attributeBusy: "attributeBusy"
        case .attributeUnexpectedConfirmation: "attributeUnexpectedConfirmation"
        case .attributeIgnored: "attributeIgnored"
        case .writeCommandRefused: "writeCommandRefused"
        case .signedWrite: "signedWrite"
        case .reportMalformed: "reportMalformed"
        case .advertisementMalformed: "advertisementMalformed"
        case .attributeUnexpectedResponse: "attributeUnexpectedResponse"
        case .notificationUnknown: "notificationUnknown"
        case .channelViolation: "channelViolation"
        }
    }
}

/// One counter for each `Drop`; it stays at its highest value rather than wrapping.
public struct DropCounters: Sendable {
    private var counts = InlineArray<64, UInt32>(repeating: 0)

    public init() {}

    public mutating func count(_ drop: Drop) {
        let index = Int(drop.rawValue)
        if index < counts.count, counts[index] < .max { counts[index] += 1 }
    }

    mutating func count(_ drop: Drop, _ times: UInt32) {
        let index = Int(drop.rawValue)
        guard index < counts.count else { return }
        let (sum, isTooMany) = counts[index].addingReportingOverflow(times)
        counts[index] = isTooMany ? .max : sum
    }

    public subscript(_ drop: Drop) -> UInt32 {
        let index = Int(drop.rawValue)
        return index < counts.count ? counts[index] : 0
    }

    /// All drops together.
    public var total: UInt64 {
        var sum: UInt64 = 0
        for index in 0..<counts.count { sum += UInt64(counts[index]) }
        return sum
    }
}

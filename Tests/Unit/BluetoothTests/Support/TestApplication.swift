@testable import Bluetooth

/// An application of settable values and refusals.
struct TestApplication: HostApplication {
    var values: [UInt16: [UInt8]] = [:]
    var readErrors: [UInt16: ATTError] = [:]
    var writeErrors: [UInt16: ATTError] = [:]
    var notifications: [(index: Int, value: [UInt8])] = []
    var answers: [(index: Int, value: [UInt8])] = []
    /// What came out of the channel, and how much of it is taken.
    var channel: [UInt8] = []
    var room = Int.max
    var writes: [(handle: UInt16, value: [UInt8], isCommand: Bool)] = []

    mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? {
        if let error = readErrors[handle] { return error }
        let held = values[handle] ?? []
        value.append(held.span)
        return nil
    }

    mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? {
        if let error = writeErrors[handle] { return error }
        let taken = value.indices.map { value[$0] }
        writes.append((handle, taken, isCommand))
        values[handle] = taken
        return nil
    }

    mutating func notified(_ index: Int, _ value: borrowing Span<UInt8>) { notifications.append((index, value.indices.map { value[$0] })) }

    mutating func answered(_ index: Int, _ value: borrowing Span<UInt8>) { answers.append((index, value.indices.map { value[$0] })) }

    mutating func channelReceived(_ octets: borrowing Span<UInt8>) { channel += octets.indices.map { octets[$0] } }

    var channelRoom: Int { room == .max ? .max : max(0, room - channel.count) }
}

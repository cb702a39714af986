@testable import Bluetooth

/// An application of settable values and refusals.
struct TestApplication: AttributeApplication {
    var values: [UInt16: [UInt8]] = [:]
    var readErrors: [UInt16: ATTError] = [:]
    var writeErrors: [UInt16: ATTError] = [:]
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
}

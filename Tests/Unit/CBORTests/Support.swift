import CBOR
import TestSupport

func hex(_ text: String) -> [UInt8] { Hex.bytes(text) }

func refusal(_ bytes: [UInt8], _ options: CBOROptions = .standard) -> CBORError? {
    do throws(CBORError) {
        _ = try CBORDocument(parsing: bytes, options: options)
        return nil
    } catch {
        return error
    }
}

func root(_ text: String, _ options: CBOROptions = .standard) throws -> CBORItem {
    try CBORDocument(parsing: hex(text), options: options).root
}

/// A value to compare with: floats by the bits of the double they stand for.
indirect enum Value: Hashable, Sendable {
    case integer(Int64)
    /// Beyond the range of `Int64`: the argument, and whether it is negative.
    case wide(UInt64, Bool)
    case bytes([UInt8])
    case text(String)
    case array([Value])
    case map([[Value]])
    case tag(UInt64, Value)
    case simple(UInt8)
    case float(UInt64)

    init(_ item: CBORItem) {
        switch item.kind {
        case .unsigned: self = item.int64.map { .integer($0) } ?? .wide(item.uint64 ?? 0, false)
        case .negative: self = item.int64.map { .integer($0) } ?? .wide(0, true)
        case .bytes: self = .bytes(item.bytes ?? [])
        case .text: self = .text(item.text ?? "")
        case .array: self = .array((item.elements ?? []).map(Value.init))
        case .map: self = .map((item.pairs ?? []).map { [Value($0.key), Value($0.value)] })
        case .tag: self = item.content.map { .tag(item.tag ?? 0, Value($0)) } ?? .simple(0)
        case .simple: self = .simple(item.simple ?? 0)
        case .float: self = .float(item.float?.double.bitPattern ?? 0)
        }
    }

    static func double(_ value: Double) -> Value { .float(value.bitPattern) }

    func write(to writer: inout CBORWriter) {
        switch self {
        case .integer(let value): writer.integer(value)
        case .wide(let value, _): writer.unsigned(value)
        case .bytes(let value): writer.bytes(value)
        case .text(let value): writer.text(value)
        case .array(let values): writer.array { writer in for value in values { value.write(to: &writer) } }
        case .map(let pairs):
            writer.map { writer in
                for pair in pairs {
                    switch pair[0] {
                    case .integer(let key): writer.entry(key) { pair[1].write(to: &$0) }
                    case .text(let key): writer.entry(key) { pair[1].write(to: &$0) }
                    default: break
                    }
                }
            }
        case .tag(let number, let value):
            writer.tag(number)
            value.write(to: &writer)
        case .simple(let number): writer.simple(number)
        case .float(let bits): writer.float(Double(bitPattern: bits))
        }
    }
}

import TestSupport

@testable import Credentials

/// zlib's own container (RFC 1950) around a payload.
func zlib(_ payload: [UInt8], dictionary: [UInt8] = []) -> [UInt8] {
    deflated(payload, windowBits: 15, level: 9, dictionary: dictionary)
}

func refusal<Value>(_ body: () throws(StatusListError) -> Value) -> StatusListError? {
    do throws(StatusListError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

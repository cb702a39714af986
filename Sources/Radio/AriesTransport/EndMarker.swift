import Bluetooth

/// The value that ends a message, in both directions: `EOM`, alone (aries.md section 1). No piece of the gate's can be taken for it: the
/// only one so short is the last, and a message is a JSON object, which ends with a brace.
public enum EndMarker {
    /// Octets of the value.
    public static var octets: InlineArray<3, UInt8> { [0x45, 0x4F, 0x4D] }

    /// Whether a value is the marker: if and only if it is exactly that.
    public static func matches(_ value: borrowing Span<UInt8>) -> Bool {
        let octets = octets
        guard value.count == octets.count else { return false }
        for index in octets.indices where value[index] != octets[index] { return false }
        return true
    }
}

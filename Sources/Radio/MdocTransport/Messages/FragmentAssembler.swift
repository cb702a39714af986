import Bluetooth

/// Puts values together to messages (mdoc.md section 2.2). There is no number and no checksum: what is lost shows when the message is
/// decrypted.
public enum FragmentAssembler {
    /// Takes one value; true when it was the last of a message, which then waits in `messages`.
    public static func accept(_ value: borrowing Span<UInt8>, into messages: inout MessageBuffer) throws(MessageFault) -> Bool {
        guard let header = value.octet(at: 0) else { throw .emptyValue }
        guard header == FragmentCutter.last || header == FragmentCutter.more else { throw .header }
        guard value.count <= MessageSize.longestValue else { throw .valueTooLong }
        try messages.append(value.extracting(MessageSize.valueHeader..<value.count))
        guard header == FragmentCutter.last else { return false }
        try messages.close()
        return true
    }
}

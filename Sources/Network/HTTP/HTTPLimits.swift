/// What one request may have, and for how long it may take (aries.md section 6, trustedkey.md section 2B). Whatever is beyond a limit is
/// answered with its status and closed; nothing is cut short and read on.
public enum HTTPLimits {
    /// Octets of a request line without its end: an answer in a query is the longest there is.
    public static var requestLine: Int { 16 << 10 }
    /// Octets of all header lines with their ends.
    public static var fields: Int { 8 << 10 }
    /// Header lines.
    public static var fieldLines: Int { 64 }
    /// Octets of a body for `/didcomm`.
    public static var envelope: Int { 512 << 10 }
    /// Octets of a body for `/tk/answer`.
    public static var answer: Int { 64 << 10 }
    /// Octets of what is kept of one request: the longest envelope, or target and body of an answer.
    public static var content: Int { max(envelope, requestLine + answer) }

    /// Nanoseconds from the connection to the end of the header.
    public static var headTime: UInt64 { 10_000_000_000 }
    /// Nanoseconds from there to the end of the body.
    public static var bodyTime: UInt64 { 60_000_000_000 }
    /// Nanoseconds from there to the answer: a wallet gives up after fifteen seconds.
    public static var judgeTime: UInt64 { 10_000_000_000 }
    /// Nanoseconds for which somebody may take to read an answer.
    public static var answerTime: UInt64 { 5_000_000_000 }
    /// Nanoseconds for which what is still sent is thrown away behind an answer: closed at once, the answer would be lost with it.
    public static var lingerTime: UInt64 { 1_000_000_000 }
}

/// `METHOD SP TARGET SP HTTP/1.x` (RFC 9112 section 3).
struct RequestLine {
    enum Method { case get, post }

    /// nil for one that the endpoint has not.
    let method: Method?
    let endpoint: Endpoint
    /// Where the target lies in the line.
    let target: Range<Int>
    /// HTTP/1.0, which has neither hosts nor expectations.
    let isOld: Bool

    /// Octets of the longest method that somebody may mean.
    private static let longestMethod = 32

    /// Throws `lineMalformed`, `versionUnknown`, `notFound`, in this order.
    init(_ line: borrowing Span<UInt8>) throws(RequestFault) {
        guard let first = Self.blank(line, from: 0), 1...Self.longestMethod ~= first, let second = Self.blank(line, from: first + 1),
            second > first + 1, Self.blank(line, from: second + 1) == nil
        else { throw .lineMalformed }
        for index in 0..<first where !Octets.isOfToken(line[index]) { throw .lineMalformed }
        let version = line.extracting(second + 1..<line.count)
        guard version.count == 8, Octets.equal(version.extracting(0..<7), "HTTP/1."),
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= version[7]
        else { throw .versionUnknown }
        isOld = version[7] == UInt8(ascii: "0")
        target = first + 1..<second
        // A fragment never leaves a client.
        for index in target where line[index] == UInt8(ascii: "#") { throw .lineMalformed }
        guard let endpoint = Endpoint(target: line.extracting(target)) else { throw .notFound }
        self.endpoint = endpoint
        let name = line.extracting(0..<first)
        if Octets.equal(name, "POST") {
            method = .post
        } else if Octets.equal(name, "GET"), endpoint == .answer {
            method = .get
        } else {
            method = nil
        }
    }

    private static func blank(_ line: borrowing Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < line.count {
            if line[index] == 0x20 { return index }
            index += 1
        }
        return nil
    }
}

/// A request to the listener that gives out metrics: only its first line is looked at, and that it ends.
public struct ScrapeRequest: Sendable {
    /// What is answered.
    public enum Verdict: Hashable, Sendable {
        case metrics
        /// The head of the same answer alone (RFC 9110 section 9.3.2).
        case head
        case refused(status: Int, phrase: String)
    }

    /// Octets of a request with its header: a scraper's has less than 500.
    public static let most = 4096

    private var octets: [UInt8] = []

    public init() {}

    /// Takes what came; the answer as soon as there is one.
    public mutating func take(_ more: UnsafeRawBufferPointer) -> Verdict? {
        octets.append(contentsOf: more.prefix(Self.most + 1 - octets.count))
        if let end = headEnd { return Self.verdict(octets[..<end]) }
        return octets.count > Self.most ? .refused(status: 431, phrase: "Request Header Fields Too Large") : nil
    }

    /// Where the empty line begins that ends the header.
    private var headEnd: Int? {
        guard octets.count >= 4 else { return nil }
        for index in 0...(octets.count - 4) where octets[index..<(index + 4)].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) { return index }
        return nil
    }

    private static func verdict(_ head: ArraySlice<UInt8>) -> Verdict {
        let line = head.prefix { $0 != 0x0D }, words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8) else {
            return .refused(status: 400, phrase: "Bad Request")
        }
        let isHead = words[0].elementsEqual("HEAD".utf8)
        guard isHead || words[0].elementsEqual("GET".utf8) else { return .refused(status: 405, phrase: "Method Not Allowed") }
        let path = path(of: words[1]).prefix { $0 != UInt8(ascii: "?") }
        guard path.elementsEqual("/metrics".utf8) else { return .refused(status: 404, phrase: "Not Found") }
        return isHead ? .head : .metrics
    }

    /// Of a target in origin-form, or in absolute-form, which every server has to take (RFC 9112 section 3.2.2).
    private static func path(of target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let scheme = Array("http://".utf8)
        guard target.prefix(scheme.count).elementsEqual(scheme, by: { $0 | 0x20 == $1 | 0x20 }) else { return target }
        return target.dropFirst(scheme.count).drop { $0 != UInt8(ascii: "/") }
    }

    /// The whole answer. The connection ends with it.
    public static func answer(_ verdict: Verdict, _ metrics: () -> [UInt8]) -> [UInt8] {
        let (status, body, type) =
            switch verdict {
            case .metrics, .head: ("200 OK", metrics(), MetricText.contentType)
            case .refused(let code, let phrase): ("\(code) \(phrase)", [UInt8](), "text/plain")
            }
        let allow = if case .refused(405, _) = verdict { "Allow: GET, HEAD\r\n" } else { "" }
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\(allow)Cache-Control: no-store\r\n"
            + "Connection: close\r\n\r\n"
        return Array(head.utf8) + (verdict == .head ? [] : body)
    }
}

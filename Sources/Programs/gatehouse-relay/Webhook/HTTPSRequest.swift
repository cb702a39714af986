import CCurl
import Glibc
import Linux
import Relay

/// One request at a time by HTTPS, over libcurl: no redirect is followed, no proxy asked, and what comes is bounded.
final class HTTPSRequest {
    struct Server: Hashable {
        let url: String
        /// Files in PEM; without `authorities` the system's.
        let authorities: String?
        let certificate: String?
        let key: String?
    }

    enum Answer {
        case status(Int, Body, Head)
        case trouble(OutletTrouble)
    }

    /// What of an answer's head somebody asks for.
    struct Head {
        let tag: String
        /// Seconds that the server wants to be left alone, an hour at most; nil where it says nothing.
        let retryAfter: UInt64?
    }

    /// An answer's octets where libcurl's reader has them: no copy of megabytes. Good until the next request begins.
    struct Body {
        let octets: UnsafeBufferPointer<UInt8>
    }

    private let server: Server
    /// Octets of the longest answer, and seconds for all of it.
    private let most: Int
    private let seconds: Int
    private let isCut: Bool
    private let fetch: OpaquePointer
    /// What libcurl reads while the request runs.
    private var body: UnsafeMutableBufferPointer<UInt8>?
    private(set) var isRunning = false

    /// Seconds for which a server can keep us away.
    private static let longestRetry: Int64 = 3600

    /// Nil where libcurl does not start. Reads what libcurl and its TLS read when they begin.
    ///
    /// - Parameter isCut: of a longer answer the status is enough.
    init?(_ server: Server, most: Int, seconds: Int, isCut: Bool = false) {
        guard let fetch = gatehouse_fetch_new() else { return nil }
        (self.server, self.most, self.seconds, self.isCut, self.fetch) = (server, most, seconds, isCut, fetch)
    }

    deinit {
        gatehouse_fetch_free(fetch)
        body?.deallocate()
    }

    /// - Parameters:
    ///   - headers: lines without their ends.
    ///   - content: what is posted; nil to get something.
    func begin(headers: [String], content: [UInt8]?) throws(OutletTrouble) {
        end()
        if let content {
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, content.count))
            _ = copy.update(fromContentsOf: content.prefix(copy.count))
            body = copy
        }
        let code = withLines(headers) { lines in
            withText(server.url) { url in
                withText(server.authorities) { authorities in
                    withText(server.certificate) { certificate in
                        withText(server.key) { key in
                            var order = gatehouse_fetch_order(
                                url: url, authorities: authorities, certificate: certificate, key: key, headers: lines.baseAddress,
                                header_count: headers.count, body: UnsafeRawPointer(body?.baseAddress), body_length: content?.count ?? 0,
                                most: most, is_cut: isCut ? 1 : 0, connect_milliseconds: 10_000, milliseconds: seconds * 1000)
                            return gatehouse_fetch_begin(fetch, &order)
                        }
                    }
                }
            }
        }
        guard code == 0 else { throw OutletTrouble(.system, "libcurl does not take the request (\(code))", pause: .minute) }
        isRunning = true
    }

    /// Sleeps until something happens, at most until the deadline; the answer once there is one.
    func turn(until deadline: UInt64) -> Answer? {
        guard isRunning else { return nil }
        var answer = gatehouse_fetch_go_on(fetch)
        if UInt32(bitPattern: answer.state) == FETCH_RUNNING.rawValue {
            let now = Clock.monotonic()
            gatehouse_fetch_wait(fetch, deadline > now ? Int32(clamping: (deadline - now) / 1_000_000 + 1) : 0)
            answer = gatehouse_fetch_go_on(fetch)
        }
        guard UInt32(bitPattern: answer.state) != FETCH_RUNNING.rawValue else { return nil }
        isRunning = false
        guard let trouble = Self.trouble(answer) else {
            let octets = UnsafeBufferPointer(start: answer.octets, count: answer.length)
            let tag = withUnsafeBytes(of: &answer.tag) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            let pause = answer.retry_after > 0 ? UInt64(min(answer.retry_after, Self.longestRetry)) : nil
            return .status(answer.status, Body(octets: octets), Head(tag: tag, retryAfter: pause))
        }
        return .trouble(trouble)
    }

    /// The last answer's octets are not needed any more.
    func letGo() { gatehouse_fetch_let_go(fetch) }

    func end() {
        gatehouse_fetch_end(fetch)
        isRunning = false
        body?.deallocate()
        body = nil
    }

    /// Nil for an answer.
    private static func trouble(_ answer: gatehouse_fetch_answer) -> OutletTrouble? {
        let code = "libcurl \(answer.code)"
        return switch UInt32(bitPattern: answer.state) {
        case FETCH_ANSWERED.rawValue: nil
        case FETCH_NO_NAME.rawValue: OutletTrouble(.noAddress, code)
        case FETCH_NOT_REACHED.rawValue: OutletTrouble(.notReachable, code)
        case FETCH_TOO_SLOW.rawValue: OutletTrouble(.timedOut, code)
        case FETCH_TOO_LONG.rawValue: OutletTrouble(.protocolBroken, "its answer is too long")
        case FETCH_NOT_BELIEVED.rawValue: OutletTrouble(.certificate, code)
        case FETCH_NOT_TAKEN.rawValue: OutletTrouble(.credentials, code)
        case FETCH_TLS.rawValue: OutletTrouble(.tls, code)
        case FETCH_CUT_OFF.rawValue: OutletTrouble(.closed, code)
        case FETCH_MALFORMED.rawValue: OutletTrouble(.protocolBroken, "its answer is no HTTP (\(code))")
        default: OutletTrouble(.system, code)
        }
    }

    private func withText<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }

    private func withLines<Result>(_ lines: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        let copies = lines.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer(body)
    }
}

/// Reads the one request of a connection, octet by octet as it comes, into memory that is lent (RFC 9112; aries.md section 6).
///
/// There is one way to read a request here, or none: whatever another reader could take for something else is refused. Behind the request
/// nothing is looked at.
public struct RequestReader: ~Copyable {
    public enum Phase: Hashable, Sendable {
        /// The header is not all there.
        case head
        case body
        /// `withContent` has it.
        case whole
    }

    private enum Line { case request, field }

    public private(set) var phase = Phase.head
    /// Known once the request line was read, also where its method is refused.
    public private(set) var endpoint: Endpoint?
    /// How a whole request is to be read.
    public private(set) var kind = ContentKind.envelope
    /// Octets of the target that are kept, and of the body behind it.
    public private(set) var targetCount = 0
    public private(set) var bodyCount = 0
    /// The sender waits for `100 Continue` before it sends the body: true once.
    private var isAwaited = false

    private let line: UnsafeMutableRawBufferPointer
    private let content: UnsafeMutableRawBufferPointer
    private var reading = Line.request
    private var request: RequestLine?
    private var fields = RequestFields()
    /// Octets of the line so far, and whether its CR has come.
    private var lineCount = 0
    private var hasReturn = false
    private var fieldOctets = 0
    private var bodyLength = 0
    private var fault: RequestFault?

    /// - Parameters:
    ///   - line: `HTTPLimits.requestLine` octets.
    ///   - content: `HTTPLimits.content` octets. Both outlive the reader and are nobody else's.
    public init(line: UnsafeMutableRawBufferPointer, content: UnsafeMutableRawBufferPointer) {
        self.line = line
        self.content = content
    }

    /// Takes what came. After a fault the same is thrown again, whatever comes.
    public mutating func take(_ octets: borrowing Span<UInt8>) throws(RequestFault) {
        if let fault { throw fault }
        do throws(RequestFault) {
            try read(octets)
        } catch {
            fault = error
            throw error
        }
    }

    /// Whether the sender waits to be told to go on; once.
    public mutating func takeExpectation() -> Bool {
        defer { isAwaited = false }
        return isAwaited
    }

    /// Lends what a whole request brought: the target, where it is an answer's, and the body behind it. nil before it is whole.
    public borrowing func withContent<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        guard phase == .whole else { return nil }
        let octets = Self.octets(content, 0..<contentCount)
        return body(octets.span)
    }

    private var contentCount: Int { targetCount + bodyCount }

    /// Overwrites with zeros what came, and begins again.
    public mutating func wipe() {
        // The line's memory held up to as much as the longest line, whatever is counted of it now.
        for memory in [UnsafeMutableRawBufferPointer(rebasing: content[0..<contentCount]), line] where !memory.isEmpty {
            memory.initializeMemory(as: UInt8.self, repeating: 0)
        }
        (phase, reading, request, endpoint, fault) = (.head, .request, nil, nil, nil)
        fields = RequestFields()
        (lineCount, fieldOctets, targetCount, bodyCount, bodyLength) = (0, 0, 0, 0, 0)
        (hasReturn, isAwaited) = (false, false)
    }

    // MARK: octets

    private mutating func read(_ octets: borrowing Span<UInt8>) throws(RequestFault) {
        var position = 0
        while position < octets.count {
            switch phase {
            case .head:
                try takeHead(octets[position])
                position += 1
            case .body: position += takeBody(octets.extracting(position..<octets.count))
            // One request a connection.
            case .whole: return
            }
        }
    }

    private mutating func takeHead(_ octet: UInt8) throws(RequestFault) {
        if reading == .field {
            fieldOctets += 1
            guard fieldOctets <= HTTPLimits.fields else { throw .fieldsTooLarge }
        }
        if hasReturn {
            guard octet == 0x0A else { throw .bareReturn }
            hasReturn = false
            return try endLine()
        }
        if octet == 0x0D {
            hasReturn = true
            return
        }
        guard octet != 0x0A else { throw .bareLineFeed }
        if reading == .request {
            // At its first octet, what is no HTTP is told so.
            guard 0x20...0x7E ~= octet else { throw .lineMalformed }
            guard lineCount < HTTPLimits.requestLine else { throw .lineTooLong }
        }
        guard lineCount < line.count else { throw .lineTooLong }
        line[lineCount] = octet
        lineCount += 1
    }

    private mutating func takeBody(_ octets: borrowing Span<UInt8>) -> Int {
        let count = min(octets.count, bodyLength - bodyCount), start = targetCount + bodyCount
        octets.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(rebasing: content[start..<start + count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[0..<count]))
        }
        bodyCount += count
        if bodyCount == bodyLength { phase = .whole }
        return count
    }

    // MARK: lines

    private mutating func endLine() throws(RequestFault) {
        let count = lineCount
        lineCount = 0
        switch reading {
        case .request: try endRequestLine(count)
        case .field where count == 0: try endHead()
        case .field:
            guard let endpoint else { throw .lineMalformed }
            let octets = Self.octets(line, 0..<count)
            try fields.take(octets.span, endpoint)
        }
    }

    private mutating func endRequestLine(_ count: Int) throws(RequestFault) {
        let octets = Self.octets(line, 0..<count)
        let read = try RequestLine(octets.span)
        endpoint = read.endpoint
        guard read.method != nil else { throw .methodNotAllowed }
        request = read
        reading = .field
        guard read.endpoint == .answer, read.target.count <= content.count else { return }
        UnsafeMutableRawBufferPointer(rebasing: content[0..<read.target.count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: line[read.target]))
        targetCount = read.target.count
    }

    private mutating func endHead() throws(RequestFault) {
        guard let request else { throw .lineMalformed }
        let body = try fields.end(request)
        guard targetCount + body.length <= content.count else { throw .bodyTooLarge }
        (kind, bodyLength, isAwaited) = (body.kind, body.length, body.isAwaited)
        phase = bodyLength == 0 ? .whole : .body
    }

    /// The range lies within the memory: its ends are counts of what was put there.
    private static func octets(_ memory: UnsafeMutableRawBufferPointer, _ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[range]).assumingMemoryBound(to: UInt8.self)
    }
}

import Cryptography

/// Lines of canonical N-Quads and their order. Long literals are not copied: they stay where they lie in the document.
struct Lines: Sendable {
    private struct Line {
        /// Where the line ends in `octets`.
        let end: Int
        /// Where in `octets` the value of its literal belongs.
        let leftOut: (position: Int, value: Text)?
    }

    /// One line after another, without what is left out.
    private(set) var octets: [UInt8] = []
    private var lines: [Line] = []
    /// Octets of all lines.
    private(set) var count = 0

    mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        count = 0
    }

    mutating func reserve(octets: Int, lines: Int) {
        self.octets.reserveCapacity(octets)
        self.lines.reserveCapacity(lines)
    }

    mutating func append(_ quad: Quad, appendName: (NQuads.Place, inout [UInt8]) -> Void) {
        let start = octets.count
        let leftOut = NQuads.append(quad, to: &octets, appendName: appendName)
        lines.append(Line(end: octets.count, leftOut: leftOut))
        count += octets.count - start + (leftOut?.value.count ?? 0)
    }

    /// The lines in code point order, which is octet order, as one text.
    func sorted() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        forEachPiece { text.append(contentsOf: $0) }
        return text
    }

    /// The digest of that text.
    func hash(_ algorithm: DigestAlgorithm) throws(LinkedDataError) -> [UInt8] {
        do throws(CryptographyError) {
            var digest = try Digest(algorithm)
            var fault: CryptographyError?
            forEachPiece { piece in
                do throws(CryptographyError) {
                    try digest.update(piece.assumingMemoryBound(to: UInt8.self).span)
                } catch {
                    fault = error
                }
            }
            if let fault { throw fault }
            return try digest.finish()
        } catch {
            throw .digestUnavailable
        }
    }

    // MARK: Order

    private func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) {
        octets.withUnsafeBytes { buffer in
            let order = lines.count > 1 ? lines.indices.sorted { precedes($0, $1, buffer) } : Array(lines.indices)
            for line in order { for piece in 0..<3 { withPiece(piece, of: line, buffer, body) } }
        }
    }

    /// A line has three pieces: up to what is left out, that, and the rest.
    private func withPiece<Result>(
        _ piece: Int, of line: Int, _ buffer: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let start = line > 0 ? lines[line - 1].end : 0
        let end = lines[line].end
        let leftOut = lines[line].leftOut
        switch piece {
        case 0: return body(UnsafeRawBufferPointer(rebasing: buffer[start..<(leftOut?.position ?? end)]))
        case 1: return leftOut?.value.withOctets(body) ?? body(UnsafeRawBufferPointer(rebasing: buffer[end..<end]))
        default: return body(UnsafeRawBufferPointer(rebasing: buffer[(leftOut?.position ?? end)..<end]))
        }
    }

    private func precedes(_ one: Int, _ other: Int, _ buffer: UnsafeRawBufferPointer) -> Bool {
        var mine = (piece: 0, offset: 0), theirs = (piece: 0, offset: 0)
        while mine.piece < 3, theirs.piece < 3 {
            let order: Bool? = withPiece(mine.piece, of: one, buffer) { here in
                withPiece(theirs.piece, of: other, buffer) { there in
                    let a = UnsafeRawBufferPointer(rebasing: here.dropFirst(mine.offset))
                    let b = UnsafeRawBufferPointer(rebasing: there.dropFirst(theirs.offset))
                    let both = min(a.count, b.count)
                    mine = both == a.count ? (mine.piece + 1, 0) : (mine.piece, mine.offset + both)
                    theirs = both == b.count ? (theirs.piece + 1, 0) : (theirs.piece, theirs.offset + both)
                    let order = UnsafeRawBufferPointer(rebasing: a.prefix(both)).order(to: UnsafeRawBufferPointer(rebasing: b.prefix(both)))
                    return order == 0 ? nil : order < 0
                }
            }
            if let order { return order }
        }
        // Only at its end does a line have a line feed, so none is the beginning of another: these are the same.
        return false
    }
}

import Glibc

/// `terminal:`: the code as text, two rows of modules per line.
///
/// The format is fixed, so that programs can read it. A line has `side + 8` characters and no trailing one; each stands for an upper
/// and a lower module: `█` both light, `▀` upper light, `▄` lower light, a space both dark. Light is drawn, so the text
/// is right on a dark ground; on a terminal both colours are set and the ground does not matter. The quiet zone of 4 is
/// part of the text; its last line has one more light row, because `side + 8` is odd. After the code comes one line with the URI.
/// On a terminal the code begins at the top left corner of an emptied screen; elsewhere codes follow each other.
public final class TerminalScreen: Screen {
    private let words: Words
    private let isTerminal: Bool
    private var code = QRCode()
    private let text: UnsafeMutableRawBufferPointer
    private var length = 0

    /// - Parameters:
    ///   - words: where the text goes; standard output by default.
    ///   - isTerminal: whether it understands colours and positions; asked of standard output when nil.
    public init(_ words: Words = .output, isTerminal: Bool? = nil) {
        self.words = words
        self.isTerminal = isTerminal ?? (isatty(1) == 1)
        // 53 lines of 105 characters of 3 octets, colours, and the URI.
        text = .allocate(byteCount: 20_000, alignment: 1)
    }

    deinit {
        text.deallocate()
    }

    public func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) {
        do throws(QRCodeError) {
            try code.encode(uri)
        } catch {
            throw .code(error)
        }
        length = 0
        if isTerminal { put("\u{1B}[0m\u{1B}[H\u{1B}[2J") }
        var row = -QRCode.quietZone
        while row < code.side + QRCode.quietZone {
            putLine(upper: row)
            row += 2
        }
        put(uri)
        put("\n")
        send()
    }

    public func clear() throws(ScreenError) {
        code.clear()
        // Nobody shall read a code later that has ended.
        words.forget()
        guard isTerminal else { return }
        length = 0
        put("\u{1B}[0m\u{1B}[H\u{1B}[2J")
        send()
    }

    public func close() {
        try? clear()
    }

    private func putLine(upper row: Int) {
        // White on black by value: the sixteen named colours are whatever the theme says.
        if isTerminal { put("\u{1B}[38;2;255;255;255;48;2;0;0;0m") }
        for column in -QRCode.quietZone..<code.side + QRCode.quietZone {
            switch (code.isDark(row: row, column: column), code.isDark(row: row + 1, column: column)) {
            case (false, false): put("█")
            case (false, true): put("▀")
            case (true, false): put("▄")
            case (true, true): put(" ")
            }
        }
        if isTerminal { put("\u{1B}[0m") }
        put("\n")
    }

    private func put(_ octets: UnsafeRawBufferPointer) {
        let count = min(octets.count, text.count - length)
        UnsafeMutableRawBufferPointer(rebasing: text[length..<length + count]).copyMemory(from: UnsafeRawBufferPointer(rebasing: octets[..<count]))
        length += count
    }

    private func put(_ string: StaticString) {
        put(UnsafeRawBufferPointer(start: string.utf8Start, count: string.utf8CodeUnitCount))
    }

    /// A code that nobody read yet is of no use beside the next.
    private func send() {
        words.forget()
        words.write(UnsafeRawBufferPointer(rebasing: text[..<length]))
    }
}

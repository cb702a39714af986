import Glibc
import Linux

/// `terminal:`: the code as text, two rows of modules per line.
///
/// The format is fixed, so that programs can read it. A line has `side + 8` characters and no trailing one; each stands for an upper
/// and a lower module: `█` both light, `▀` upper light, `▄` lower light, a space both dark. Light is drawn, so the text
/// is right on a dark ground; on a terminal both colours are set and the ground does not matter. The quiet zone of 4 is
/// part of the text; its last line has one more light row, because `side + 8` is odd. After the code comes one line with the URI.
///
/// On a terminal the code stands at the top, and the lines below it scroll by themselves (DECSTBM): a verdict stays readable when the next
/// code comes. Where the code and three lines below it do not fit, that is said in its place. Elsewhere codes follow each other.
public final class TerminalScreen: Screen {
    /// Rows and columns of characters; nil where nobody says.
    public typealias Size = (rows: Int, columns: Int)

    private let words: Words
    private let isTerminal: Bool
    private let size: () -> Size?
    private var code = QRCode()
    private let text: UnsafeMutableRawBufferPointer
    private var length = 0
    /// Rows at the top that are the code's, and of how many; nil before the first code.
    private var kept: (top: Int, rows: Int)?
    /// Rows of the terminal while some of them may be set apart, although what said so may not have been read.
    private var divided: Int?
    /// The size for which it was said that the code does not fit.
    private var refused: Size?
    public private(set) var hasRoom = true
    /// The terminal has another size than when a code was shown last.
    private var hasChanged = false
    /// What is shown, and on what: a terminal that has been made larger has it drawn again.
    private var shown: (uri: [UInt8], size: Size?)?
    private let sheets: [WordSheet]
    private var sign: (sign: Sign, language: Int)?
    /// The sign changed while nobody read what was before it.
    private var isOwed = false

    /// Rows below a code in which words can be read.
    private static let leastBelow = 3

    /// - Parameters:
    ///   - words: where the text goes; standard output by default.
    ///   - isTerminal: whether it understands colours and positions; asked of standard output when nil.
    ///   - size: of the terminal now; asked of standard output by default.
    ///   - sheets: words of each language; English without any.
    public init(
        _ words: Words = .output, isTerminal: Bool? = nil, size: @escaping () -> Size? = TerminalScreen.sizeOfOutput,
        sheets: [WordSheet] = []
    ) {
        self.words = words
        self.sheets = sheets
        self.isTerminal = isTerminal ?? (isatty(1) == 1)
        self.size = size
        // 75 lines of 149 characters of 3 octets, colours, and the URI.
        text = .allocate(byteCount: 44_000, alignment: 1)
    }

    deinit {
        text.deallocate()
    }

    /// Of the terminal at standard output.
    public static func sizeOfOutput() -> Size? {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// Whoever drags the window does not want to wait for the next code.
    public var canVanish: Bool { isTerminal }

    public func check() throws(ScreenError) {
        if isOwed { writeSign() }
        guard isTerminal, let shown, let now = size(), shown.size.map({ $0 != now }) ?? true else { return }
        hasChanged = true
        try show(String(decoding: shown.uri, as: UTF8.self))
    }

    public func takeChange() -> Bool {
        defer { hasChanged = false }
        return hasChanged
    }

    public func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) {
        do throws(QRCodeError) {
            try code.encode(uri)
        } catch {
            throw .code(error)
        }
        length = 0
        let columns = code.side + 2 * QRCode.quietZone, lines = (columns + 1) / 2
        let size = isTerminal ? size() : nil
        shown = ([UInt8](uri), size)
        if let size {
            // The last row of the top is the sign's.
            let needed = lines + (uri.count + size.columns - 1) / size.columns + 1
            guard size.rows >= needed + Self.leastBelow, size.columns >= columns else {
                hasRoom = false
                return refuse(size, needed + Self.leastBelow, columns)
            }
            hasRoom = true
            refused = nil
            begin(needed, of: size.rows)
        }
        for line in 0..<lines { putLine(upper: 2 * line - QRCode.quietZone) }
        put(uri)
        if isTerminal { put("\u{1B}[K") }
        if size != nil {
            putSign()
            put("\u{1B}8")
        } else {
            put("\n")
        }
        send()
    }

    /// One line below the code. What is no terminal gets none: whoever reads it wants codes.
    public func tell(_ sign: Sign, language: Int) throws(ScreenError) {
        self.sign = (sign, language)
        writeSign()
    }

    private func writeSign() {
        isOwed = isTerminal && kept != nil && words.areWaiting
        guard isTerminal, kept != nil, !isOwed else { return }
        length = 0
        put("\u{1B}7")
        putSign()
        put("\u{1B}8")
        words.write(UnsafeRawBufferPointer(rebasing: text[..<length]))
    }

    /// Below the code, where words scroll.
    public func list(_ verdicts: [VerdictLine]) throws(ScreenError) {
        guard isTerminal else { return }
        words.write((verdicts.isEmpty ? ["no verdict yet"] : verdicts.map(\.text)).map { $0 + "\n" }.joined())
    }

    public func clear() throws(ScreenError) {
        sign = nil
        try clearCode()
    }

    public func clearCode() throws(ScreenError) {
        code.clear()
        shown = nil
        // Nobody shall read a code later that has ended. What is dropped may have divided the rows: the next code does it again.
        let isDividedInVain = words.areWaiting
        words.forget()
        guard isTerminal else { return }
        length = 0
        if let kept {
            // What was said below it stays.
            put("\u{1B}7\u{1B}[0m")
            for row in 1...kept.top { putRow(row) }
            putSign()
            put("\u{1B}8")
        }
        // A line without a size, a serial console for one, keeps what it has: the words on it are worth more than an old code that opens
        // nothing.
        send()
        if isDividedInVain { kept = nil }
    }

    public func close() {
        try? clear()
        guard let divided else { return }
        kept = nil
        self.divided = nil
        length = 0
        // All rows scroll again, and the shell's prompt comes below everything.
        put("\u{1B}[r\u{1B}[")
        put(number: divided)
        put(";1H\n")
        send()
    }

    /// Begins at the top, with the cursor to be put back afterwards. Where the rows are divided otherwise than before, what is there goes.
    private func begin(_ top: Int, of rows: Int) {
        if kept.map({ $0 != (top, rows) }) ?? true {
            put("\u{1B}[0m\u{1B}[r\u{1B}[2J\u{1B}[")
            put(number: top + 1)
            put(";")
            put(number: rows)
            put("r\u{1B}[")
            put(number: top + 1)
            put(";1H")
            kept = (top, rows)
            divided = rows
        }
        put("\u{1B}7\u{1B}[0m\u{1B}[H")
    }

    /// Says below everything why there is no code.
    private func refuse(_ size: Size, _ rows: Int, _ columns: Int) {
        // Once for each size: what is said of visits is not to be lost in it.
        guard refused.map({ $0 != size }) ?? true else { return }
        if divided != nil {
            put("\u{1B}[0m\u{1B}[r\u{1B}[H\u{1B}[2J")
            kept = nil
        }
        refused = size
        put("The code does not fit: it takes ")
        put(number: rows)
        put(" rows of ")
        put(number: columns)
        put(" characters, and this terminal has ")
        put(number: size.rows)
        put(" rows of ")
        put(number: size.columns)
        put(". Make it larger.\n")
        send()
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
        if isTerminal { put("\u{1B}[0m\u{1B}[K") }
        put("\n")
    }

    /// The sign in its row, the last of the top; leaves the cursor there.
    private func putSign() {
        guard let kept, let (sign, language) = sign else { return }
        putRow(kept.top)
        var line = "\(sign.kind.character) "
        let said = sheets.isEmpty ? nil : sheets[language % sheets.count].text(of: sign.kind)
        line += (said ?? sign.kind.english).map { $0 == "\n" ? " " : String($0) }.joined()
        if let percent = sign.percent { line += " \(percent)%" }
        if let code = sign.code { line += " (\(code))" }
        // Of a line that is too long the end is lost, and not the words below it.
        put("\u{1B}[?7l")
        line.withUTF8 { put(UnsafeRawBufferPointer($0)) }
        put("\u{1B}[?7h")
        isOwed = false
    }

    /// Empties one row, counted from 1.
    private func putRow(_ row: Int) {
        put("\u{1B}[")
        put(number: row)
        put(";1H\u{1B}[2K")
    }

    private func put(number: Int) {
        if number >= 10 { put(number: number / 10) }
        withUnsafeBytes(of: UInt8(0x30 + number % 10)) { put($0) }
    }

    private func put(_ octets: UnsafeRawBufferPointer) {
        let count = min(octets.count, text.count - length)
        UnsafeMutableRawBufferPointer(rebasing: text[length..<length + count]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: octets[..<count]))
        length += count
    }

    private func put(_ string: StaticString) {
        put(UnsafeRawBufferPointer(start: string.utf8Start, count: string.utf8CodeUnitCount))
    }

    /// A code that nobody read yet is of no use beside the next.
    private func send() {
        // What is dropped may have divided the rows: the next code does it again.
        if words.areWaiting { kept = nil }
        words.forget()
        words.write(UnsafeRawBufferPointer(rebasing: text[..<length]))
    }
}

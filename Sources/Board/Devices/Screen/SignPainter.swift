/// Paints a sign and a code onto a canvas, and of both only what has changed.
struct SignPainter: ~Copyable {
    private var canvas: Canvas
    /// Words of each language; none where there is no sheet: a sign is then its pictogram alone.
    private let sheets: [WordSheet]
    private let scale: Int
    private var code = QRCode()
    /// What is painted; nil where all is black.
    private var layout: SignLayout?
    private var sign: Sign?
    private var language = 0
    private var isCodeShown = false
    /// The list that stands in the sign's place.
    private var verdicts: [VerdictLine]?
    /// Of the last code, with its quiet zone.
    private var modules = 61

    init(width: Int, height: Int, sheets: [WordSheet], scale: Int = 100) {
        canvas = Canvas(width: width, height: height)
        self.sheets = sheets
        self.scale = scale
    }

    var width: Int { canvas.width }
    var height: Int { canvas.height }

    /// Lends the picture, row by row: an octet stands for one of `Ink.colours`.
    func withOctets<Result>(_ body: ([UInt8]) -> Result) -> Result { body(canvas.octets) }

    /// What has to be drawn on the screen since the last time.
    mutating func takeDirty() -> Rectangle { canvas.takeDirty() }

    /// All of it has to be.
    mutating func touch() { canvas.touch() }

    // MARK: the code

    /// Puts a code onto the canvas.
    ///
    /// - Throws: `tooSmall` where a module would have less than a pixel; `code` where no code can be made.
    mutating func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) {
        do throws(QRCodeError) {
            try code.encode(uri)
        } catch {
            throw .code(error)
        }
        modules = code.side + 2 * QRCode.quietZone
        isCodeShown = false
        arrange(hasCode: true)
        guard let area = layout?.code else { return }
        canvas.fill(area, .paper)
        let scale = min(area.width, area.height) / modules
        guard scale >= 1 else {
            code.clear()
            throw .tooSmall
        }
        let place = area.centred(width: modules * scale, height: modules * scale)
        for row in 0..<code.side {
            for column in 0..<code.side where code.isDark(row: row, column: column) {
                let module = Rectangle(
                    x: place.x + (column + QRCode.quietZone) * scale, y: place.y + (row + QRCode.quietZone) * scale, width: scale,
                    height: scale)
                canvas.fill(module, .paper, coverage: 255)
            }
        }
        isCodeShown = true
    }

    /// No code any more.
    mutating func clearCode() {
        code.clear()
        isCodeShown = false
        guard let area = layout?.code, !area.isEmpty else { return }
        canvas.fill(area, .paper)
    }

    /// Nothing but black.
    mutating func clear() {
        code.clear()
        isCodeShown = false
        (layout, sign, verdicts) = (nil, nil, nil)
        canvas.fill(canvas.bounds, .night)
    }

    // MARK: the sign

    /// - Parameter language: of the sheets, by number; another number counts round.
    mutating func tell(_ wanted: Sign, language number: Int = 0) {
        let number = sheets.isEmpty ? 0 : number % sheets.count
        if verdicts == nil, layout != nil, sign == wanted, language == number { return }
        let before = verdicts == nil && language == number ? sign : nil
        (sign, language, verdicts) = (wanted, number, nil)
        if arrange(hasCode: isCodeShown || !wanted.kind.standsAlone) { return }
        if let before, let layout, before.kind == wanted.kind, before.code == wanted.code, before.percent != nil, wanted.percent != nil {
            // A bar that grows.
            return paintDetail(wanted, layout.detail)
        }
        paint()
    }

    /// Shows these beside the code, in place of the sign, until the next one.
    mutating func list(_ lines: [VerdictLine]) {
        verdicts = lines
        if layout == nil, arrange(hasCode: isCodeShown) { return }
        paint()
    }

    /// Divides the canvas, and paints all of it but the code where it was divided otherwise.
    ///
    /// - Returns: whether it did.
    @discardableResult private mutating func arrange(hasCode: Bool) -> Bool {
        let wanted = SignLayout(width: canvas.width, height: canvas.height, hasCode: hasCode, modules: modules, scale: scale)
        guard layout != wanted else { return false }
        layout = wanted
        canvas.fill(canvas.bounds, .paper)
        paint()
        return true
    }

    /// What stands beside the code.
    private mutating func paint() {
        guard let layout else { return }
        if let verdicts { return paint(verdicts, layout) }
        guard let sign else { return }
        let ink = sign.kind.ink
        canvas.fill(layout.beside, ink)
        canvas.fill(layout.below, ink)
        let side = min(layout.pictogram.width, layout.pictogram.height), place = layout.pictogram.centred(width: side, height: side)
        canvas.put(sign.kind.shape.coverage(side: side), x: place.x, y: place.y, ink)
        let hasDetail = sign.percent != nil || sign.code != nil
        if sheets.indices.contains(language) {
            paintWords(sign.kind, sheets[language], hasDetail ? layout.words : layout.words.union(layout.detail), ink)
        }
        if hasDetail { paintDetail(sign, layout.detail) }
    }

    private mutating func paint(_ lines: [VerdictLine], _ layout: SignLayout) {
        canvas.fill(layout.beside, .paper)
        canvas.fill(layout.below, .paper)
        let margin = max(2, min(width, height) / 60), areas = [layout.beside.inset(margin), layout.below.inset(margin)]
        // None yet.
        guard !lines.isEmpty else { return paintCode("0", layout.words, .paper) }
        guard let list = VerdictList(lines, in: areas, sheets: sheets) else { return }
        for entry in list.entries {
            let kind = entry.line.isAccepted ? Sign.Kind.accepted : .rejected
            canvas.fill(entry.mark, kind.ink)
            canvas.put(kind.shape.coverage(side: entry.mark.width), x: entry.mark.x, y: entry.mark.y, kind.ink)
            put(entry.line.age, list.lettering, entry.age.x, entry.age.y, .paper)
            if let code = entry.line.code { put(code, list.lettering, entry.code.x, entry.code.y, .paper) }
        }
    }

    /// In the largest letters with which all of it fits.
    private mutating func paintWords(_ kind: Sign.Kind, _ sheet: WordSheet, _ area: Rectangle, _ ink: Ink) {
        let fitting = sheet.lineHeights.indices.reversed().filter {
            sheet.measure(kind, size: $0).map { $0.width <= area.width && $0.height <= area.height } ?? false
        }
        for size in fitting {
            // One that is damaged: the next smaller.
            guard let picture = sheet.picture(of: kind, size: size) else { continue }
            let place = area.centred(width: picture.width, height: picture.height)
            return canvas.put(picture, x: place.x, y: place.y, ink)
        }
    }

    private mutating func paintDetail(_ sign: Sign, _ area: Rectangle) {
        let ink = sign.kind.ink
        canvas.fill(area, ink)
        if let percent = sign.percent { return paintBar(Int(percent), area, ink) }
        if let code = sign.code { paintCode(code, area, ink) }
    }

    /// A frame that fills the way the language is read, and the number beside it.
    private mutating func paintBar(_ percent: Int, _ area: Rectangle, _ ink: Ink) {
        let isMirrored = sheets.indices.contains(language) && sheets[language].isRightToLeft
        let number = area.width / 5
        let bar = Rectangle(x: isMirrored ? area.x + number : area.x, y: area.y, width: area.width - number, height: area.height)
        let edge = max(1, area.height / 12)
        canvas.fill(bar, ink, coverage: 255)
        canvas.fill(bar.inset(edge), ink)
        var filled = bar.inset(2 * edge)
        let whole = filled
        filled.width = whole.width * percent / 100
        if isMirrored { filled.x = whole.right - filled.width }
        canvas.fill(filled, ink, coverage: 255)
        paintCode(
            "\(percent)%", Rectangle(x: isMirrored ? area.x : bar.right, y: area.y, width: number, height: area.height), ink)
    }

    private mutating func paintCode(_ code: String, _ area: Rectangle, _ ink: Ink) {
        let fitting = Lettering.sizes(for: [code], sheets: sheets, height: area.height).first {
            $0.height(of: code) <= area.height && $0.width(of: code) <= area.width
        }
        guard let fitting else { return }
        let place = area.centred(width: fitting.width(of: code), height: fitting.height(of: code))
        put(code, fitting, place.x, place.y, ink)
    }

    private mutating func put(_ text: String, _ lettering: Lettering, _ x: Int, _ y: Int, _ ink: Ink) {
        var x = x
        for picture in lettering.pictures(of: text) {
            canvas.put(picture, x: x, y: y, ink)
            x += picture.width
        }
    }
}

extension Sign.Kind {
    /// There is no code to scan while it is shown, and none is about to come.
    var standsAlone: Bool {
        switch self {
        case .starting, .fault: true
        default: false
        }
    }
}

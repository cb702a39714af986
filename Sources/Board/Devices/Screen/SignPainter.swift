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
        let (before, spoken) = (sign, language)
        arrange(hasCode: true)
        if let before { paint(before, spoken) }
        guard let area = layout?.code else { return }
        let scale = min(area.width, area.height) / modules
        guard scale >= 1 else { throw .tooSmall }
        canvas.fill(area, .paper)
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
        (layout, sign) = (nil, nil)
        canvas.fill(canvas.bounds, .night)
    }

    // MARK: the sign

    /// - Parameter language: of the sheets, by number; another number counts round.
    mutating func tell(_ wanted: Sign, language number: Int = 0) {
        let number = sheets.isEmpty ? 0 : number % sheets.count
        if layout != nil, sign == wanted, language == number { return }
        arrange(hasCode: isCodeShown || !wanted.kind.standsAlone)
        guard let layout else { return }
        let grows = sign?.kind == wanted.kind && sign?.code == wanted.code && language == number
        guard grows else { return paint(wanted, number) }
        // A bar that grows.
        sign = wanted
        paintDetail(wanted, layout.detail)
    }

    private mutating func arrange(hasCode: Bool) {
        let wanted = SignLayout(width: canvas.width, height: canvas.height, hasCode: hasCode, modules: modules, scale: scale)
        guard layout != wanted else { return }
        (layout, sign) = (wanted, nil)
        canvas.fill(canvas.bounds, .paper)
    }

    private mutating func paint(_ sign: Sign, _ language: Int) {
        guard let layout else { return }
        (self.sign, self.language) = (sign, language)
        let ink = sign.kind.ink
        canvas.fill(Rectangle(x: layout.code.isEmpty ? 0 : layout.code.right, y: 0, width: canvas.width, height: layout.words.y), ink)
        canvas.fill(
            Rectangle(
                x: 0, y: max(layout.code.bottom, min(layout.pictogram.y, layout.words.y)), width: canvas.width, height: canvas.height), ink)
        let side = min(layout.pictogram.width, layout.pictogram.height), place = layout.pictogram.centred(width: side, height: side)
        canvas.put(sign.kind.shape.coverage(side: side), x: place.x, y: place.y, ink)
        let hasDetail = sign.percent != nil || sign.code != nil
        if sheets.indices.contains(language) {
            paintWords(sign.kind, sheets[language], hasDetail ? layout.words : layout.words.union(layout.detail), ink)
        }
        if hasDetail { paintDetail(sign, layout.detail) }
    }

    /// In the largest letters with which all of it fits.
    private mutating func paintWords(_ kind: Sign.Kind, _ sheet: WordSheet, _ area: Rectangle, _ ink: Ink) {
        let fitting = sheet.lineHeights.indices.last {
            sheet.measure(kind, size: $0).map { $0.width <= area.width && $0.height <= area.height } ?? false
        }
        guard let fitting, let picture = sheet.picture(of: kind, size: fitting) else { return }
        let place = area.centred(width: picture.width, height: picture.height)
        canvas.put(picture, x: place.x, y: place.y, ink)
    }

    private mutating func paintDetail(_ sign: Sign, _ area: Rectangle) {
        let ink = sign.kind.ink
        canvas.fill(area, ink)
        if let percent = sign.percent { return paintBar(Int(percent), area, ink) }
        if let code = sign.code { paintCode(code, area, ink) }
    }

    /// A frame that fills from the left, and the number beside it.
    private mutating func paintBar(_ percent: Int, _ area: Rectangle, _ ink: Ink) {
        let number = area.width / 5
        let bar = Rectangle(x: area.x, y: area.y, width: area.width - number, height: area.height)
        let edge = max(1, area.height / 12)
        canvas.fill(bar, ink, coverage: 255)
        canvas.fill(bar.inset(edge), ink)
        var filled = bar.inset(2 * edge)
        filled.width = filled.width * percent / 100
        canvas.fill(filled, ink, coverage: 255)
        paintCode("\(percent)%", Rectangle(x: bar.right, y: area.y, width: number, height: area.height), ink)
    }

    private mutating func paintCode(_ code: String, _ area: Rectangle, _ ink: Ink) {
        guard let sheet = sheets.first else { return }
        let sizes = sheet.lineHeights.indices.map { sheet.measure(code: code, size: $0) }
        guard let fitting = sizes.lastIndex(where: { $0.height <= area.height && $0.width <= area.width }) else { return }
        var place = area.centred(width: sizes[fitting].width, height: sizes[fitting].height)
        for picture in sheet.pictures(of: code, size: fitting) {
            canvas.put(picture, x: place.x, y: place.y, ink)
            place.x += picture.width
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

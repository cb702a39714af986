/// Letters of one size, for codes and numbers: a sheet's, or the program's own.
enum Lettering {
    case sheet(WordSheet, size: Int)
    /// Pixels of a point of `CodeFont`.
    case points(scale: Int)

    /// All sizes, the largest first, of the first sheet that can write all of this; of the program's own where none can.
    ///
    /// - Parameter height: of the room there is.
    static func sizes(for texts: [String], sheets: [WordSheet], height: Int) -> [Lettering] {
        if let sheet = sheets.first(where: { sheet in texts.allSatisfy(sheet.canWrite) }) {
            return sheet.lineHeights.indices.reversed().map { .sheet(sheet, size: $0) }
        }
        let most = min(height, 1024) / CodeFont.line
        return most < 1 ? [] : (1...most).reversed().map { .points(scale: $0) }
    }

    /// Pixels of a line.
    func height(of text: String) -> Int {
        switch self {
        case .sheet(let sheet, let size): sheet.measure(code: text, size: size).height
        case .points(let scale): CodeFont.line * scale
        }
    }

    /// Pixels in a line.
    func width(of text: String) -> Int {
        switch self {
        case .sheet(let sheet, let size): sheet.measure(code: text, size: size).width
        case .points(let scale): CodeFont.advance * scale * text.utf8.count
        }
    }

    /// One for each octet, from the left.
    func pictures(of text: String) -> [Coverage] {
        switch self {
        case .sheet(let sheet, let size):
            let pictures = sheet.pictures(of: text, size: size)
            // A picture that is damaged must not make another code of this one.
            if pictures.count == text.utf8.count { return pictures }
            let scale = max(min(height(of: text) / CodeFont.line, width(of: text) / max(CodeFont.advance * text.utf8.count, 1)), 1)
            return Lettering.points(scale: scale).pictures(of: text)
        case .points(let scale):
            return text.utf8.map { CodeFont.picture(of: $0, scale: scale) }
        }
    }
}

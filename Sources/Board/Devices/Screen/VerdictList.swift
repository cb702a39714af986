/// Where the lines of a list of verdicts stand: beside the code or below it, in the largest letters in which most of them fit.
struct VerdictList {
    /// A mark, the code and the time of one verdict.
    struct Entry {
        let line: VerdictLine
        /// A square.
        let mark: Rectangle
        let code: (x: Int, y: Int)
        let age: (x: Int, y: Int)
    }

    /// The newest first; what found no room is left out.
    let entries: [Entry]
    let lettering: Lettering

    /// How an area may be divided.
    private struct Form {
        var area: Rectangle
        var columns: Int
        /// The time stands above the code.
        var isDouble: Bool
        var lettering: Lettering
        /// Of the letters.
        var height: Int
        /// Of the longest time.
        var ages: Int
        var rows: Int
        /// From one entry to the next.
        var pitch: Int
        var capacity: Int
    }

    /// Nil where there is room for none.
    init?(_ lines: [VerdictLine], in areas: [Rectangle], sheets: [WordSheet]) {
        var best: Form?
        let texts = lines.flatMap { [$0.age, $0.code ?? ""] }
        for area in areas where !area.isEmpty {
            for lettering in Lettering.sizes(for: texts, sheets: sheets, height: area.height) {
                for columns in 1...2 {
                    for isDouble in [false, true] {
                        guard let form = Self.form(lines, area, columns, isDouble, lettering) else { continue }
                        let count = min(form.capacity, lines.count)
                        if best.map({ (count, form.height) > (min($0.capacity, lines.count), $0.height) }) ?? true { best = form }
                    }
                }
            }
        }
        guard let best else { return nil }
        lettering = best.lettering
        entries = lines.prefix(best.capacity).enumerated().map { number, line in Self.entry(number, line, best) }
    }

    private static func form(
        _ lines: [VerdictLine], _ area: Rectangle, _ columns: Int, _ isDouble: Bool, _ lettering: Lettering
    ) -> Form? {
        let height = lettering.height(of: "0a"), least = (isDouble ? 2 : 1) * height + max(1, height / 8)
        guard height > 0, area.height >= least else { return nil }
        let ages = lines.map { lettering.width(of: $0.age) }.max() ?? 0, codes = lines.map { lettering.width(of: $0.code ?? "") }.max() ?? 0
        let mark = height + height / 2, widest = isDouble ? max(mark + ages, codes) : mark + ages + height / 2 + codes
        guard widest <= area.width / columns - (columns > 1 ? height : 0) else { return nil }
        let capacity = columns * (area.height / least), rows = (min(capacity, lines.count) + columns - 1) / columns
        // Room that is left stands between them.
        let pitch = min(area.height / max(rows, 1), least + least / 2)
        return Form(
            area: area, columns: columns, isDouble: isDouble, lettering: lettering, height: height, ages: ages,
            rows: rows, pitch: pitch,
            capacity: capacity)
    }

    private static func entry(_ number: Int, _ line: VerdictLine, _ form: Form) -> Entry {
        let rows = max(form.rows, 1), width = form.area.width / form.columns
        let x = form.area.x + number / rows * width, y = form.area.y + number % rows * form.pitch
        let text = x + form.height + form.height / 2
        let mark = Rectangle(x: x, y: y, width: form.height, height: form.height)
        if form.isDouble { return Entry(line: line, mark: mark, code: (x, y + form.height), age: (text, y)) }
        // All codes begin at one place, behind the longest time.
        return Entry(line: line, mark: mark, code: (text + form.ages + form.height / 2, y), age: (text, y))
    }
}

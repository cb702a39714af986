/// Where on a screen the code, the sign and the words stand.
///
/// The code keeps its place whatever the sign says, so that a verdict stays as long as its light while the next visitor scans. A sign
/// without a code beside it has all the room.
struct SignLayout: Hashable {
    /// White, with the code in its middle; empty where there is none.
    let code: Rectangle
    let pictogram: Rectangle
    /// Two lines at most.
    let words: Rectangle
    /// For the guard's short code, or the bar of a transfer.
    let detail: Rectangle
    /// All of the screen that is not the code's: beside it, to the lower edge, and below it, from one edge to the other. The first is empty
    /// where the code takes the whole width.
    let beside: Rectangle
    let below: Rectangle

    /// - Parameters:
    ///   - modules: of the code that will be there, its quiet zone with it.
    ///   - scale: of words and detail, in per cent: 100 as the size of the screen suggests.
    init(width: Int, height: Int, hasCode: Bool, modules: Int = 61, scale: Int = 100) {
        let margin = max(2, min(width, height) / 60), modules = max(modules, 1)
        let isTall = height * 4 > width * 5
        // Words in the lower part, over the whole width: there the longest line of all languages has large letters.
        let share = min(max((isTall ? 26 : 32) * scale / 100, 15), 50)
        // A code is as large as whole pixels allow, and words give way to a pixel more of each module, by a third of their height.
        let most = height * share / 100, least = most * 2 / 3
        let whole = Self.whole(height - least, modules)
        let text = isTall || !hasCode || whole <= height - most ? most : height - whole
        // A guard reads the code from a step away.
        let detailHeight = text / 3
        let top = Rectangle(width: width, height: height - text)
        words = Rectangle(x: 0, y: top.height, width: width, height: text - detailHeight).inset(margin)
        detail = Rectangle(x: 0, y: height - detailHeight, width: width, height: detailHeight).inset(min(margin, detailHeight / 6))
        guard hasCode else {
            code = Rectangle()
            pictogram = top.inset(2 * margin)
            beside = Rectangle()
            below = Rectangle(width: width, height: height)
            return
        }
        // What a code has no use for is the pictogram's.
        if isTall {
            let side = Self.whole(min(width, top.height - height / 6), modules)
            code = Rectangle(width: width, height: side)
            pictogram = Rectangle(x: 0, y: side, width: width, height: top.height - side).inset(margin)
        } else {
            let side = Self.whole(min(top.height, width - min(width, height) / 5), modules)
            code = Rectangle(width: side, height: top.height)
            pictogram = Rectangle(x: side, y: 0, width: width - side, height: top.height).inset(2 * margin)
        }
        beside = Rectangle(x: code.right, y: 0, width: width - code.right, height: height)
        below = Rectangle(x: 0, y: code.bottom, width: width, height: height - code.bottom)
    }

    /// As many pixels as all modules have alike; where they have none, what there is.
    private static func whole(_ pixels: Int, _ modules: Int) -> Int {
        pixels < modules ? max(0, pixels) : pixels / modules * modules
    }
}

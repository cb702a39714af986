/// Where on a screen the code, the sign and the words stand.
///
/// The code keeps its place whatever the sign says, so that a verdict stays as long as its light while the next visitor scans. A sign
/// without a code beside it has all the room.
struct SignLayout: Hashable {
    /// A square for the code; empty where there is none.
    let code: Rectangle
    let pictogram: Rectangle
    /// Two lines at most.
    let words: Rectangle
    /// For the guard's short code, or the bar of a transfer.
    let detail: Rectangle

    /// - Parameters:
    ///   - modules: of the code that will be there, its quiet zone with it.
    ///   - scale: of words and detail, in per cent: 100 as the size of the screen suggests.
    init(width: Int, height: Int, hasCode: Bool, modules: Int = 61, scale: Int = 100) {
        let margin = max(2, min(width, height) / 60)
        let isTall = height * 4 > width * 5
        // Words in the lower part, over the whole width: there the longest line of all languages has large letters.
        let share = min(max((isTall ? 26 : 32) * scale / 100, 15), 50)
        // A code is as large as whole pixels allow, and words give way to a pixel more of each module, by a third of their height.
        let most = height * share / 100, least = most * 2 / 3
        let whole = (height - least) / modules * modules
        let text = isTall || !hasCode || whole <= height - most ? most : height - whole
        let detailHeight = text / 4
        let top = Rectangle(width: width, height: height - text)
        words = Rectangle(x: 0, y: top.height, width: width, height: text - detailHeight).inset(margin)
        detail = Rectangle(x: 0, y: height - detailHeight, width: width, height: detailHeight).inset(min(margin, detailHeight / 6))
        guard hasCode else {
            code = Rectangle()
            pictogram = top.inset(2 * margin)
            return
        }
        if isTall {
            let side = min(width, top.height - height / 6)
            code = Rectangle(x: (width - side) / 2, y: 0, width: side, height: side)
            pictogram = Rectangle(x: 0, y: side, width: width, height: top.height - side).inset(margin)
        } else {
            let side = min(top.height, width - min(width, height) / 5)
            code = Rectangle(x: 0, y: (top.height - side) / 2, width: side, height: side)
            pictogram = Rectangle(x: side, y: 0, width: width - side, height: top.height).inset(2 * margin)
        }
    }
}

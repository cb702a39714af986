import Glibc

/// An outline in a square of 100 by 100, its corners one after the other, y downwards.
struct Outline {
    var corners: [(x: Float, y: Float)]
    /// It takes away what was drawn before.
    var isCut = false

    /// The same as a hole.
    var cut: Outline {
        var outline = self
        outline.isCut = true
        return outline
    }

    static func polygon(_ corners: (Float, Float)...) -> Outline { Outline(corners: corners.map { ($0.0, $0.1) }) }

    static func box(_ x: Float, _ y: Float, _ width: Float, _ height: Float) -> Outline {
        polygon((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    }

    static func ellipse(_ x: Float, _ y: Float, _ across: Float, _ down: Float, corners: Int = 64) -> Outline {
        Outline(
            corners: (0..<corners).map { number in
                let angle = 2 * Float.pi * (Float(number) + 0.5) / Float(corners)
                return (x + across * cosf(angle), y + down * sinf(angle))
            })
    }

    static func disc(_ x: Float, _ y: Float, _ radius: Float) -> Outline { ellipse(x, y, radius, radius) }

    /// A straight stroke with square ends.
    static func stroke(_ x: Float, _ y: Float, to endX: Float, _ endY: Float, width: Float) -> Outline {
        let length = max(hypotf(endX - x, endY - y), 0.01)
        let across = (endY - y) / length * width / 2, down = (x - endX) / length * width / 2
        return polygon((x + across, y + down), (endX + across, endY + down), (endX - across, endY - down), (x - across, y - down))
    }
}

/// Outlines one upon the other.
struct Shape {
    var outlines: [Outline]

    init(_ outlines: [Outline]) { self.outlines = outlines }

    /// Lines that each row of pixels is looked at by.
    private static let sublines = 4

    /// The shape in a square of so many pixels.
    func coverage(side: Int) -> Coverage {
        var picture = Coverage(width: side, height: side)
        guard side > 0 else { return picture }
        let scale = Float(side) / 100
        var row = [Float](repeating: 0, count: side + 1)
        for outline in outlines {
            let corners = outline.corners.map { (x: $0.x * scale, y: $0.y * scale) }
            guard let top = corners.map(\.y).min(), let bottom = corners.map(\.y).max() else { continue }
            for line in max(0, Int(top))..<max(max(0, Int(top)), min(side, Int(bottom) + 1)) {
                Self.cover(line, corners, &row)
                for column in 0..<side where row[column] > 0 {
                    let place = line * side + column
                    let before = Float(picture.octets[place]), share = min(row[column] / Float(Self.sublines), 1)
                    picture.octets[place] = UInt8(outline.isCut ? before * (1 - share) : max(before, before + (255 - before) * share))
                    row[column] = 0
                }
            }
        }
        return picture
    }

    /// Adds to each pixel of a row how much of its sublines lies inside, by the even-odd rule.
    private static func cover(_ line: Int, _ corners: [(x: Float, y: Float)], _ row: inout [Float]) {
        let side = Float(row.count - 1)
        for subline in 0..<sublines {
            let y = Float(line) + (Float(subline) + 0.5) / Float(sublines)
            var crossings: [Float] = []
            for index in corners.indices {
                let from = corners[index], to = corners[(index + 1) % corners.count]
                guard (from.y <= y) != (to.y <= y) else { continue }
                crossings.append(min(max(from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x), 0), side))
            }
            crossings.sort()
            for pair in stride(from: 0, to: crossings.count - 1, by: 2) {
                let (start, end) = (crossings[pair], crossings[pair + 1])
                for column in Int(start)..<max(Int(start), min(row.count - 1, Int(end) + 1)) {
                    row[column] += max(0, min(end, Float(column + 1)) - max(start, Float(column)))
                }
            }
        }
    }
}

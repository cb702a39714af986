/// A part of a picture, in pixels.
struct Rectangle: Hashable {
    var x = 0
    var y = 0
    var width = 0
    var height = 0

    var isEmpty: Bool { width <= 0 || height <= 0 }
    var right: Int { x + width }
    var bottom: Int { y + height }

    /// What both have.
    func intersection(_ other: Rectangle) -> Rectangle {
        let left = max(x, other.x), top = max(y, other.y)
        return Rectangle(x: left, y: top, width: max(0, min(right, other.right) - left), height: max(0, min(bottom, other.bottom) - top))
    }

    /// The smallest that has both.
    func union(_ other: Rectangle) -> Rectangle {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let left = min(x, other.x), top = min(y, other.y)
        return Rectangle(x: left, y: top, width: max(right, other.right) - left, height: max(bottom, other.bottom) - top)
    }

    func inset(_ margin: Int) -> Rectangle {
        Rectangle(x: x + margin, y: y + margin, width: max(0, width - 2 * margin), height: max(0, height - 2 * margin))
    }

    /// Of this size, in the middle.
    func centred(width inner: Int, height high: Int) -> Rectangle {
        Rectangle(x: x + (width - inner) / 2, y: y + (height - high) / 2, width: inner, height: high)
    }
}

/// A ground and what is drawn on it. They differ so much that sunlight leaves it legible, and in grey as well; no meaning is in the colour
/// alone.
enum Ink: UInt8, CaseIterable {
    /// Black on white: a white ground is the brightest there is, and a code needs one.
    case paper
    /// White on dark green.
    case accept
    /// White on dark red.
    case reject
    /// Black on yellow.
    case attention
    /// White on black.
    case night

    typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)

    var ground: Colour {
        switch self {
        case .paper: (255, 255, 255)
        case .accept: (0, 98, 36)
        case .reject: (160, 0, 16)
        case .attention: (255, 204, 0)
        case .night: (0, 0, 0)
        }
    }

    var mark: Colour {
        switch self {
        case .paper, .attention: (0, 0, 0)
        case .accept, .reject, .night: (255, 255, 255)
        }
    }

    /// Levels between the ground and the mark.
    static let levels = 16

    /// Every colour of a canvas, by the octet that stands for it.
    static let colours: [Colour] = allCases.flatMap { ink in
        (0..<levels).map { level in
            func mix(_ from: UInt8, _ to: UInt8) -> UInt8 {
                UInt8((Int(from) * (levels - 1 - level) + Int(to) * level) / (levels - 1))
            }
            let ground = ink.ground, mark = ink.mark
            return (mix(ground.red, mark.red), mix(ground.green, mark.green), mix(ground.blue, mark.blue))
        }
    }

    /// The octet for a pixel that is covered so far, of 255.
    func octet(_ coverage: UInt8) -> UInt8 { rawValue << 4 | coverage >> 4 }
}

/// A picture as it is to be seen, an octet for each pixel: which ink, and how much of it. It knows what has changed since somebody looked
/// last, so that only that is drawn again.
struct Canvas: ~Copyable {
    let width: Int
    let height: Int
    private(set) var octets: [UInt8]
    /// What has changed.
    private(set) var dirty: Rectangle

    var bounds: Rectangle { Rectangle(width: width, height: height) }

    /// Black all over, all of it new.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        octets = [UInt8](repeating: Ink.night.octet(0), count: width * height)
        dirty = Rectangle(width: width, height: height)
    }

    /// What has changed since the last time.
    mutating func takeDirty() -> Rectangle {
        defer { dirty = Rectangle() }
        return dirty
    }

    /// All of it is to be drawn again.
    mutating func touch() { dirty = bounds }

    mutating func fill(_ area: Rectangle, _ ink: Ink, coverage: UInt8 = 0) {
        let area = area.intersection(bounds)
        guard !area.isEmpty else { return }
        dirty = dirty.union(area)
        let octet = ink.octet(coverage)
        for row in area.y..<area.bottom {
            for place in row * width + area.x..<row * width + area.right { octets[place] = octet }
        }
    }

    /// Puts a picture down at a corner; what does not fit is left out.
    mutating func put(_ picture: borrowing Coverage, x: Int, y: Int, _ ink: Ink) {
        let area = Rectangle(x: x, y: y, width: picture.width, height: picture.height).intersection(bounds)
        guard !area.isEmpty else { return }
        dirty = dirty.union(area)
        for row in area.y..<area.bottom {
            let source = (row - y) * picture.width - x, target = row * width
            for column in area.x..<area.right { octets[target + column] = ink.octet(picture.octets[source + column]) }
        }
    }
}

/// The sign of each state as a shape: it has to be understood without the words, and without colour.
extension Sign.Kind {
    var shape: Shape {
        switch self {
        case .starting: Shape([.disc(22, 50, 9), .disc(50, 50, 9), .disc(78, 50, 9)])
        case .scan: Shape(Self.phone + Self.code)
        case .hold: Shape(Self.smallPhone + Self.camera + [Self.arrow(up: true, 36, 58)] + Self.card(50, 62))
        case .press:
            Shape(Self.smallPhone + [Self.arrow(up: false, 14, 50), .disc(74, 76, 22), .disc(74, 76, 17).cut, .disc(74, 76, 12)])
        case .foreign:
            Shape(
                Self.card(8, 22, scale: 1.75) + [.stroke(6, 96, to: 94, 8, width: 17).cut, .stroke(6, 96, to: 94, 8, width: 9)])
        case .connected: Shape(Self.phone + [.disc(38, 48, 4), .disc(50, 48, 4), .disc(62, 48, 4)])
        case .choose: Shape(Self.phone + Self.tick(x: 50, y: 48, size: 0.34))
        case .approve: Shape(Self.phone + Self.lock(50, 44))
        case .receiving: Shape([.box(43, 10, 14, 40), .polygon((24, 44), (76, 44), (50, 72)), .box(14, 80, 72, 10)])
        case .checking:
            Shape([
                .box(24, 10, 52, 8), .box(24, 82, 52, 8), .polygon((30, 18), (70, 18), (53, 50), (70, 82), (30, 82), (47, 50)),
                .polygon((37, 22), (63, 22), (55, 36), (45, 36)).cut,
            ])
        case .look: Shape(Self.eye)
        case .nobody: Shape(Self.finder + [.box(44, 44, 12, 12)])
        case .closer: Shape(Self.head + [.polygon((4, 30), (22, 44), (4, 58)), .polygon((96, 30), (78, 44), (96, 58))])
        case .light: Shape(Self.sun)
        case .shade: Shape(Self.sun + [.stroke(12, 88, to: 88, 12, width: 17).cut, .stroke(12, 88, to: 88, 12, width: 9)])
        case .turn:
            Shape(Self.head + [.polygon((2, 26), (22, 12), (22, 40)), .polygon((98, 26), (78, 12), (78, 40))])
        case .upright: Shape(Self.head + [.polygon((50, 0), (60, 11), (40, 11)), .box(47, 78, 6, 20)])
        case .uncover: Shape(Self.head + [.box(26, 34, 48, 12).cut, .box(28, 36, 44, 8)])
        case .still: Shape([.box(28, 16, 16, 68), .box(56, 16, 16, 68)])
        case .alone:
            Shape(Self.person(26) + Self.person(74) + [.stroke(54, 90, to: 94, 14, width: 16).cut, .stroke(54, 90, to: 94, 14, width: 8)])
        case .accepted: Shape(Self.tick(x: 50, y: 50, size: 0.92))
        case .rejected: Shape([.stroke(16, 16, to: 84, 84, width: 18), .stroke(84, 16, to: 16, 84, width: 18)])
        case .failed:
            Shape([
                .disc(50, 52, 36), .disc(50, 52, 24).cut, .polygon((50, 52), (50, 8), (100, 8), (100, 52)).cut,
                .polygon((50, 6), (78, 22), (50, 40)),
            ])
        case .fault:
            Shape([.polygon((50, 8), (96, 90), (4, 90)), .polygon((44, 36), (56, 36), (54, 64), (46, 64)).cut, .disc(50, 75, 6).cut])
        case .closed: Shape([.disc(50, 50, 42), .box(22, 42, 56, 16).cut])
        case .unset: Shape(Self.card(2, 16, scale: 2))
        }
    }

    private static let phone: [Outline] = [.box(28, 6, 44, 88), .box(33, 16, 34, 64).cut, .disc(50, 87, 3).cut]

    private static let code = corners(37, 30) + [.box(42, 62, 5, 5), .box(54, 62, 9, 4)]

    /// Three corners of a code, and what is in the fourth.
    private static func corners(_ x: Float, _ y: Float, scale: Float = 1) -> [Outline] {
        let places: [(Float, Float)] = [(0, 0), (16, 0), (0, 16)]
        return places.flatMap { (right: Float, down: Float) -> [Outline] in
            let left = x + right * scale, top = y + down * scale
            return [
                .box(left, top, 11 * scale, 11 * scale), .box(left + 2.5 * scale, top + 2.5 * scale, 6 * scale, 6 * scale).cut,
                .box(left + 4 * scale, top + 4 * scale, 3 * scale, 3 * scale),
            ]
        } + [
            .box(x + 16 * scale, y + 16 * scale, 5 * scale, 5 * scale), .box(x + 22 * scale, y + 22 * scale, 5 * scale, 5 * scale),
        ]
    }

    /// A phone with a code, at the left.
    private static let smallPhone: [Outline] =
        [.box(2, 14, 36, 72), .box(6, 22, 28, 52).cut, .disc(20, 80, 2.6).cut] + corners(8.5, 36, scale: 0.85)

    /// At the top right.
    private static let camera: [Outline] = [.box(64, 2, 20, 8), .box(52, 8, 44, 26), .disc(74, 21, 10).cut, .disc(74, 21, 6)]

    /// At the right, from one height to the other.
    private static func arrow(up: Bool, _ top: Float, _ bottom: Float) -> Outline {
        let (tip, neck, end) = up ? (top, top + 14, bottom) : (bottom, bottom - 16, top)
        return .polygon((74, tip), (88, neck), (79, neck), (79, end), (69, end), (69, neck), (60, neck))
    }

    /// A card with a code and lines of writing, 48 by 34.
    private static func card(_ x: Float, _ y: Float, scale: Float = 1) -> [Outline] {
        func box(_ right: Float, _ down: Float, _ width: Float, _ height: Float) -> Outline {
            .box(x + right * scale, y + down * scale, width * scale, height * scale)
        }
        return [box(0, 0, 48, 34), box(3, 3, 42, 28).cut] + corners(x + 6 * scale, y + 6 * scale, scale: 0.8 * scale)
            + [box(32, 8, 10, 4), box(32, 16, 10, 4), box(32, 24, 6, 4)]
    }

    /// A padlock, 24 by 26.
    private static func lock(_ x: Float, _ y: Float) -> [Outline] {
        [.disc(x, y - 4, 9), .disc(x, y - 4, 5).cut, .box(x - 12, y - 3, 24, 18), .disc(x, y + 5, 3).cut]
    }

    private static func tick(x: Float, y: Float, size: Float) -> [Outline] {
        let corners: [(Float, Float)] = [(-46, 2), (-32, -12), (-12, 9), (34, -36), (47, -22), (-12, 38)]
        return [Outline(corners: corners.map { (x + $0.0 * size, y + $0.1 * size) })]
    }

    private static let eye: [Outline] = [
        .ellipse(50, 50, 46, 30), .ellipse(50, 50, 38, 22).cut, .disc(50, 50, 17), .disc(56, 44, 5).cut,
    ]

    private static let head: [Outline] = [
        .ellipse(50, 44, 24, 30), .ellipse(50, 44, 18, 24).cut, .disc(42, 40, 3.5), .disc(58, 40, 3.5), .box(42, 55, 16, 4),
    ]

    private static func person(_ x: Float) -> [Outline] {
        [.disc(x, 30, 13), .polygon((x - 20, 90), (x - 18, 56), (x - 10, 47), (x + 10, 47), (x + 18, 56), (x + 20, 90))]
    }

    /// The frame of a finder.
    private static let finder: [Outline] = [(10, 10, 1, 1), (90, 10, -1, 1), (10, 90, 1, -1), (90, 90, -1, -1)].flatMap {
        (x: Float, y: Float, right: Float, down: Float) -> [Outline] in
        [
            .polygon(
                (x, y), (x + 26 * right, y), (x + 26 * right, y + 8 * down), (x + 8 * right, y + 8 * down), (x + 8 * right, y + 26 * down),
                (x, y + 26 * down))
        ]
    }

    private static let sun: [Outline] =
        [.disc(50, 50, 19)]
        + (0..<8).map { (number: Int) -> Outline in
            let ends: [(Float, Float)] = [
                (1, 0), (0.7071, 0.7071), (0, 1), (-0.7071, 0.7071), (-1, 0), (-0.7071, -0.7071), (0, -1), (0.7071, -0.7071),
            ]
            let (x, y) = ends[number]
            return .stroke(50 + 27 * x, 50 + 27 * y, to: 50 + 44 * x, 50 + 44 * y, width: 8)
        }

    /// On what ground the sign stands.
    var ink: Ink {
        switch self {
        case .accepted: .accept
        case .rejected: .reject
        case .failed, .fault, .closed, .unset: .attention
        default: .paper
        }
    }

    /// The same for a terminal.
    var character: Character {
        switch self {
        case .accepted: "✓"
        case .rejected: "✗"
        case .failed: "↻"
        case .fault, .closed, .unset: "!"
        case .scan, .hold, .press, .starting: "·"
        default: "…"
        }
    }
}

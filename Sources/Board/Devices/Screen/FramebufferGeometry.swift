import CLinux

/// The shape of a framebuffer's visible part.
public struct FramebufferGeometry: Hashable, Sendable {
    /// Where a pixel has one of its colours.
    struct Channel: Hashable, Sendable {
        /// Bits, from the least significant.
        var offset: UInt32
        var length: UInt32

        func bits(_ value: UInt8) -> UInt32 {
            length == 0 ? 0 : ((UInt32(value) * ((1 << length) - 1) + 127) / 255) << offset
        }

        var mask: UInt32 { bits(255) }
    }

    /// Pixels.
    public let width: Int
    public let height: Int
    /// Octets from one line to the next.
    public let stride: Int
    /// Octets of a pixel: 2, 3 or 4.
    public let pixel: Int
    /// Octets before the first visible pixel.
    public let offset: Int
    private let channels: [Channel]

    /// Pixels of the largest screen, 8K: what a driver says of itself shall not take all the memory there is.
    static let mostPixels = 7680 * 4320

    /// With the colours where nearly every screen has them: five, six and five bits, or eight of each, red the most significant.
    ///
    /// - Returns: nil when the sizes are impossible or the depth is not 16, 24 or 32 bits.
    public init?(width: Int, height: Int, stride: Int, bitsPerPixel: Int, offset: Int = 0) {
        let sizes: [(UInt32, UInt32)] = bitsPerPixel == 16 ? [(11, 5), (5, 6), (0, 5)] : [(16, 8), (8, 8), (0, 8)]
        self.init(
            width: width, height: height, stride: stride, bitsPerPixel: bitsPerPixel, offset: offset,
            channels: sizes.map { Channel(offset: $0.0, length: $0.1) })
    }

    private init?(width: Int, height: Int, stride: Int, bitsPerPixel: Int, offset: Int, channels: [Channel]) {
        guard [16, 24, 32].contains(bitsPerPixel), (1...16_384).contains(width), (1...16_384).contains(height),
            width * height <= Self.mostPixels
        else { return nil }
        let pixel = bitsPerPixel / 8
        guard stride >= width * pixel, stride <= 1 << 20, offset >= 0, offset <= 1 << 30, channels.count == 3,
            channels.allSatisfy({ $0.length <= 16 && $0.offset <= 32 && $0.offset + $0.length <= UInt32(bitsPerPixel) })
        else { return nil }
        self.width = width
        self.height = height
        self.stride = stride
        self.pixel = pixel
        self.offset = offset
        self.channels = channels
    }

    init?(_ variable: fb_var_screeninfo, _ fixed: fb_fix_screeninfo) {
        guard fixed.type == UInt32(FB_TYPE_PACKED_PIXELS) else { return nil }
        let stride = Int(fixed.line_length)
        // Three numbers of 32 bits that a driver made up: what does not fit is no screen.
        let down = Int(variable.yoffset).multipliedReportingOverflow(by: stride)
        let across = Int(variable.xoffset).multipliedReportingOverflow(by: Int(variable.bits_per_pixel) / 8)
        let (pan, isOver) = down.partialValue.addingReportingOverflow(across.partialValue)
        guard !down.overflow, !across.overflow, !isOver else { return nil }
        let fields = [variable.red, variable.green, variable.blue]
        // A driver that says nothing of its colours has them where all do.
        guard fields.allSatisfy({ (1...16).contains($0.length) && $0.offset < 32 }) else {
            self.init(
                width: Int(variable.xres), height: Int(variable.yres), stride: stride, bitsPerPixel: Int(variable.bits_per_pixel),
                offset: pan)
            return
        }
        self.init(
            width: Int(variable.xres), height: Int(variable.yres), stride: stride, bitsPerPixel: Int(variable.bits_per_pixel), offset: pan,
            channels: fields.map { Channel(offset: $0.offset, length: $0.length) })
    }

    /// The pixel of a colour. What is no colour's is set where anything is: white is all bits and black none, whatever the rest means.
    func pixel(_ colour: Ink.Colour) -> UInt32 {
        let bits = channels[0].bits(colour.red) | channels[1].bits(colour.green) | channels[2].bits(colour.blue)
        return bits == 0 ? 0 : bits | ~mask
    }

    /// The bits of a pixel that are a colour's: all that can be read back for sure.
    var mask: UInt32 { channels[0].mask | channels[1].mask | channels[2].mask }

    /// Pixels of a module of a code, on a screen that stands so; 0 where it does not fit.
    ///
    /// - Parameter modules: a side of the code, its quiet zone with it.
    public func module(ofModules modules: Int, view: ScreenView) -> Int {
        let isAcross = view.rotation.isAcross
        let layout = SignLayout(
            width: isAcross ? height : width, height: isAcross ? width : height, hasCode: true, modules: modules, scale: view.scale)
        return min(layout.code.width, layout.code.height) / max(modules, 1)
    }
}

/// How a picture stands on a screen.
public struct ScreenView: Hashable, Sendable {
    /// Clockwise, as the panel is mounted.
    public enum Rotation: UInt32, Sendable, CaseIterable {
        case none = 0
        case right = 90
        case half = 180
        case left = 270

        /// Width and height are the other's.
        var isAcross: Bool { self == .right || self == .left }
    }

    public var rotation = Rotation.none
    /// Of the words, in per cent of what the screen's size suggests.
    public var scale = 100

    /// Per cent.
    public static let scales = 50...200

    public init() {}
}

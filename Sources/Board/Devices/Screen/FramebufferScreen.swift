import CLinux
import Glibc

/// The shape of a framebuffer's visible part.
public struct FramebufferGeometry: Hashable, Sendable {
    /// Pixels.
    public let width: Int
    public let height: Int
    /// Octets from one line to the next.
    public let stride: Int
    /// Octets of a pixel: 2, 3 or 4.
    public let pixel: Int
    /// Octets before the first visible pixel.
    public let offset: Int

    /// - Returns: nil when the sizes are impossible or the depth is not 16, 24 or 32 bits.
    public init?(width: Int, height: Int, stride: Int, bitsPerPixel: Int, offset: Int = 0) {
        guard [16, 24, 32].contains(bitsPerPixel), (1...16_384).contains(width), (1...16_384).contains(height) else { return nil }
        let pixel = bitsPerPixel / 8
        guard stride >= width * pixel, stride <= 1 << 20, offset >= 0, offset <= 1 << 30 else { return nil }
        self.width = width
        self.height = height
        self.stride = stride
        self.pixel = pixel
        self.offset = offset
    }
}

/// `fb:`: the code in the middle of a framebuffer, as large as whole pixels allow, black around its white quiet zone.
///
/// It is written with `pwrite`, not through a mapping: a device that goes away is then an error and not a signal. Several lines at a time:
/// where the kernel copies to the screen what was written, it takes exactly one whole line for nothing
/// (`drm_fb_helper_memory_range_to_clip` of 6.12).
public final class FramebufferScreen: Screen {
    /// Whether the kernel's console writes here too.
    public let hasConsole: Bool
    public var caution: String? { hasConsole ? Self.consoleSentence : nil }
    private var descriptor: Int32
    public let geometry: FramebufferGeometry
    private var code = QRCode()
    /// Rows of the longest write.
    static let longestBand = 33
    private let band: UnsafeMutableRawBufferPointer

    /// Opens the framebuffer, blackens it and switches the screen on: where no console is on it, nobody has done so yet.
    public convenience init(_ path: String) throws(ScreenError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENODEV, ENXIO: throw .notFound
            case EACCES, EPERM: throw .notPermitted
            case let code: throw .system(errno: code)
            }
        }
        guard let geometry = Self.geometry(of: descriptor) else {
            Glibc.close(descriptor)
            throw .unsupported
        }
        self.init(descriptor: descriptor, geometry: geometry, hasConsole: FramebufferConsole.isShown(on: descriptor))
        try clear()
        // A panel that is always on knows no such thing.
        _ = ioctl(descriptor, UInt(FBIOBLANK), CInt(FB_BLANK_UNBLANK))
    }

    /// - Parameter descriptor: a framebuffer, or a file to write the picture into; closed by `close`.
    public init(descriptor: Int32, geometry: FramebufferGeometry, hasConsole: Bool = false) {
        self.descriptor = descriptor
        self.hasConsole = hasConsole
        self.geometry = geometry
        band = .allocate(byteCount: geometry.stride * Self.longestBand, alignment: 8)
    }

    deinit {
        close()
        band.deallocate()
    }

    public func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) {
        do throws(QRCodeError) {
            try code.encode(uri)
        } catch {
            throw .code(error)
        }
        let modules = code.side + 2 * QRCode.quietZone
        let scale = min(geometry.width, geometry.height) / modules
        // A module of one pixel is there but cannot be scanned; the caller may still have a magnifying camera.
        guard scale >= 1 else { throw .tooSmall }
        let top = (geometry.height - modules * scale) / 2
        let left = (geometry.width - modules * scale) / 2
        try draw { row, line in
            guard row >= top, row < top + modules * scale else { return }
            compose(row: (row - top) / scale - QRCode.quietZone, modules: modules, scale: scale, left: left, into: line)
        }
    }

    public func clear() throws(ScreenError) {
        code.clear()
        try draw { _, _ in }
    }

    public var canVanish: Bool { true }

    /// The kernel answers nothing on a framebuffer that was taken away, even where another has its name by now (`file_fb_info` of 6.12).
    public func check() throws(ScreenError) {
        guard descriptor >= 0, Self.geometry(of: descriptor) == geometry else { throw .gone }
    }

    public func close() {
        guard descriptor >= 0 else { return }
        try? clear()
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Fills a black line with one row of modules. White is all bits set and black all bits clear in every pixel format.
    private func compose(row: Int, modules: Int, scale: Int, left: Int, into line: UnsafeMutableRawBufferPointer) {
        let octets = scale * geometry.pixel
        for module in 0..<modules where !code.isDark(row: row, column: module - QRCode.quietZone) {
            let start = left * geometry.pixel + module * octets
            UnsafeMutableRawBufferPointer(rebasing: line[start..<start + octets]).initializeMemory(as: UInt8.self, repeating: 0xFF)
        }
    }

    /// Writes the whole picture, band by band; `compose` gets each row with its line, which is black.
    private func draw(_ compose: (Int, UnsafeMutableRawBufferPointer) -> Void) throws(ScreenError) {
        var first = 0
        while first < geometry.height {
            let rows = Self.band(ofRest: geometry.height - first)
            band.initializeMemory(as: UInt8.self, repeating: 0)
            for row in 0..<rows {
                let start = row * geometry.stride
                compose(first + row, UnsafeMutableRawBufferPointer(rebasing: band[start..<start + geometry.width * geometry.pixel]))
            }
            try write((rows - 1) * geometry.stride + geometry.width * geometry.pixel, at: geometry.offset + first * geometry.stride)
            first += rows
        }
    }

    /// How many of the rows that are left are written at once: never one alone, unless there is no other.
    static func band(ofRest rest: Int) -> Int {
        rest <= longestBand ? rest : longestBand - 1
    }

    private func write(_ count: Int, at place: Int) throws(ScreenError) {
        var start = 0
        while start < count {
            let written = pwrite(descriptor, band.baseAddress.map { $0 + start }, count - start, off_t(place + start))
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else {
                let code = written == 0 ? ENOSPC : errno
                throw code == ENODEV ? .gone : .system(errno: code)
            }
            start += written
        }
    }

    /// Every `ioctl` of a screen: asking for its shape, switching it on, and asking for consoles on it.
    package static let requests = [FBIOGET_VSCREENINFO, FBIOGET_FSCREENINFO, FBIOBLANK, FBIOGET_CON2FBMAP].map { UInt32($0) }

    private static func geometry(of descriptor: Int32) -> FramebufferGeometry? {
        var variable = fb_var_screeninfo()
        var fixed = fb_fix_screeninfo()
        guard ioctl(descriptor, UInt(FBIOGET_VSCREENINFO), &variable) == 0, ioctl(descriptor, UInt(FBIOGET_FSCREENINFO), &fixed) == 0,
            fixed.type == UInt32(FB_TYPE_PACKED_PIXELS)
        else { return nil }
        let stride = Int(fixed.line_length)
        let pan = Int(variable.yoffset) * stride + Int(variable.xoffset) * Int(variable.bits_per_pixel) / 8
        return FramebufferGeometry(
            width: Int(variable.xres), height: Int(variable.yres), stride: stride, bitsPerPixel: Int(variable.bits_per_pixel),
            offset: pan)
    }
}

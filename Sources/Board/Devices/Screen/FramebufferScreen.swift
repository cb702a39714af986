import CLinux
import Glibc

/// `fb:`: the code, and beside it what the visitor has to know, on a framebuffer.
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
    private let view: ScreenView
    private let rotation: ScreenView.Rotation
    private var painter: SignPainter
    /// The pixel of each octet of the canvas.
    private let pixels: [UInt32]
    /// Rows of the longest write.
    static let longestBand = 33
    /// What is written can be read back; not so with every driver.
    private var isReadable = true
    /// Which rows are looked at next.
    private var probe = 0
    private let band: UnsafeMutableRawBufferPointer

    /// Opens the framebuffer, blackens it and switches the screen on: where no console is on it, nobody has done so yet.
    public convenience init(_ path: String, _ view: ScreenView = ScreenView(), words: [WordSheet] = []) throws(ScreenError) {
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
        self.init(
            descriptor: descriptor, geometry: geometry, hasConsole: FramebufferConsole.isShown(on: descriptor), view: view, words: words)
        try clear()
        // A panel that is always on knows no such thing.
        _ = ioctl(descriptor, UInt(FBIOBLANK), CInt(FB_BLANK_UNBLANK))
    }

    /// - Parameter descriptor: a framebuffer, or a file to write the picture into; closed by `close`.
    public init(
        descriptor: Int32, geometry: FramebufferGeometry, hasConsole: Bool = false, view: ScreenView = ScreenView(),
        words: [WordSheet] = []
    ) {
        self.descriptor = descriptor
        self.hasConsole = hasConsole
        self.geometry = geometry
        self.view = view
        rotation = view.rotation
        let isAcross = rotation.isAcross
        painter = SignPainter(
            width: isAcross ? geometry.height : geometry.width, height: isAcross ? geometry.width : geometry.height, sheets: words,
            scale: view.scale)
        pixels = Ink.colours.map(geometry.pixel)
        band = .allocate(byteCount: geometry.stride * Self.longestBand, alignment: 8)
        // Between the end of a line and the beginning of the next nothing is shown; it is written all the same.
        band.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        close()
        band.deallocate()
    }

    public func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) {
        do throws(ScreenError) {
            try painter.show(uri)
        } catch {
            // The code before has gone all the same.
            try draw()
            throw error
        }
        try draw()
    }

    public func tell(_ sign: Sign, language: Int) throws(ScreenError) {
        painter.tell(sign, language: language)
        try draw()
    }

    public func list(_ verdicts: [VerdictLine]) throws(ScreenError) {
        painter.list(verdicts)
        try draw()
    }

    public func clearCode() throws(ScreenError) {
        painter.clearCode()
        try draw()
    }

    public func clear() throws(ScreenError) {
        painter.clear()
        painter.touch()
        try draw()
    }

    public var canVanish: Bool { true }

    public func pixels(ofModules modules: Int) -> Int? { geometry.module(ofModules: modules, view: view) }

    /// The kernel answers nothing on a framebuffer that was taken away, even where another has its name by now (`file_fb_info` of 6.12).
    public func check() throws(ScreenError) {
        guard descriptor >= 0, Self.geometry(of: descriptor) == geometry else { throw .gone }
        try repair()
    }

    /// Draws all of it again where something else has drawn on it: a console, a start picture, `gatehouse doctor`.
    func repair() throws(ScreenError) {
        guard isReadable else { return }
        let rows = takeProbe()
        guard rows.contains(where: { !isDrawn($0) }), isReadable else { return }
        painter.touch()
        try draw()
        _ = ioctl(descriptor, UInt(FBIOBLANK), CInt(FB_BLANK_UNBLANK))
        // What does not stay is the driver's doing: it is not drawn for ever.
        isReadable = rows.allSatisfy(isDrawn)
    }

    /// Some sixteen to thirty rows all over the screen, the next time others: a line of letters is higher than they lie apart, soon.
    private func takeProbe() -> [Int] {
        var step = 1
        while step * 32 <= geometry.height { step *= 2 }
        defer { probe = (probe + 7) % step }
        return Array(stride(from: probe % step, to: geometry.height, by: step))
    }

    /// Whether a row of the screen has what was drawn; what cannot be read is taken for it.
    private func isDrawn(_ row: Int) -> Bool {
        let count = geometry.width * geometry.pixel
        compose(row, at: 0)
        let copy = geometry.stride, place = off_t(geometry.offset + row * geometry.stride)
        guard let written = band.baseAddress, pread(descriptor, written + copy, count, place) == count else {
            isReadable = false
            return true
        }
        if memcmp(written, written + copy, count) == 0 { return true }
        // What belongs to no colour may be anything.
        let mask = geometry.mask
        for octet in 0..<count {
            let bits = UInt8(truncatingIfNeeded: mask >> UInt32(8 * (octet % geometry.pixel)))
            if (band[octet] ^ band[copy + octet]) & bits != 0 { return false }
        }
        return true
    }

    public func close() {
        guard descriptor >= 0 else { return }
        try? clear()
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Writes what has changed, band by band.
    private func draw() throws(ScreenError) {
        let rows = self.rows(of: painter.takeDirty())
        var first = rows.lowerBound
        // One row alone is written with a neighbour.
        let end = rows.count == 1 ? min(rows.upperBound + 1, geometry.height) : rows.upperBound
        if end - first == 1, first > 0 { first -= 1 }
        do throws(ScreenError) {
            while first < end {
                let count = Self.band(ofRest: end - first)
                for row in 0..<count { compose(first + row, at: row * geometry.stride) }
                try write((count - 1) * geometry.stride + geometry.width * geometry.pixel, at: geometry.offset + first * geometry.stride)
                first += count
            }
        } catch {
            // What is on the screen now, nobody knows.
            painter.touch()
            throw error
        }
    }

    /// The screen's rows that have a part of the canvas.
    private func rows(of area: Rectangle) -> Range<Int> {
        guard !area.isEmpty else { return 0..<0 }
        return switch rotation {
        case .none: area.y..<area.bottom
        case .right: area.x..<area.right
        case .half: geometry.height - area.bottom..<geometry.height - area.y
        case .left: geometry.height - area.right..<geometry.height - area.x
        }
    }

    /// Puts one row of the screen into the band.
    private func compose(_ row: Int, at place: Int) {
        let width = painter.width, height = painter.height
        // The canvas's octet of the row's first pixel, and from one pixel to the next.
        let (first, step) =
            switch rotation {
            case .none: (row * width, 1)
            case .right: ((height - 1) * width + row, -width)
            case .half: ((height - row) * width - 1, -1)
            case .left: (width - 1 - row, width)
            }
        painter.withOctets { octets in
            var source = first, target = place
            for _ in 0..<geometry.width {
                let pixel = pixels[Int(octets[source])]
                source += step
                switch geometry.pixel {
                case 2: band.storeBytes(of: UInt16(truncatingIfNeeded: pixel).littleEndian, toByteOffset: target, as: UInt16.self)
                case 3:
                    band.storeBytes(of: UInt16(truncatingIfNeeded: pixel).littleEndian, toByteOffset: target, as: UInt16.self)
                    band.storeBytes(of: UInt8(truncatingIfNeeded: pixel >> 16), toByteOffset: target + 2, as: UInt8.self)
                default: band.storeBytes(of: pixel.littleEndian, toByteOffset: target, as: UInt32.self)
                }
                target += geometry.pixel
            }
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
        guard ioctl(descriptor, UInt(FBIOGET_VSCREENINFO), &variable) == 0, ioctl(descriptor, UInt(FBIOGET_FSCREENINFO), &fixed) == 0 else {
            return nil
        }
        return FramebufferGeometry(variable, fixed)
    }
}

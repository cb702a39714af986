import VisionProtocol

/// A decoded picture: red, green, blue, an octet each, or one octet of grey; rows from the top without gaps. Its memory is used again by the
/// next one, and overwritten when the picture is wiped or ends.
public final class Picture {
    public private(set) var width = 0
    public private(set) var height = 0
    /// Octets a pixel has: 3, or 1 for grey.
    public let samples: Int
    private var octets = WipedOctets(count: 0)

    /// Empty: 0 by 0.
    public init(samples: Int = 3) {
        self.samples = samples
    }

    /// Octets of a row.
    public var stride: Int { width * samples }
    public var isEmpty: Bool { width == 0 || height == 0 }

    /// Lends `stride * height` octets for the duration of `body`.
    public func withPixels<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        let count = stride * height
        return try octets.withOctets { (all) throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: all[..<count])) }
    }

    /// The same, to be changed.
    public func withMutablePixels<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        let count = stride * height
        return octets.withMutableOctets { all in body(UnsafeMutableRawBufferPointer(rebasing: all[..<count])) }
    }

    /// Empty again, and nothing of the picture is left. Much memory is given back.
    public func wipe() {
        (width, height) = (0, 0)
        if octets.count > 8 << 20 { octets = WipedOctets(count: 0) } else { octets.wipe() }
    }

    /// Makes room for `width` by `height` pixels and lets `body` fill them. Empty and wiped when `body` throws.
    func fill(
        width: Int, height: Int, _ body: (UnsafeMutableRawBufferPointer) throws(PictureError) -> Void
    ) throws(PictureError) {
        let needed = width * height * samples
        // The old memory is wiped and gone before the new is there.
        if octets.count < needed {
            octets = WipedOctets(count: 0)
            octets = WipedOctets(count: needed)
        }
        do throws(PictureError) {
            try octets.withMutableOctets { (all) throws(PictureError) in try body(UnsafeMutableRawBufferPointer(rebasing: all[..<needed])) }
        } catch {
            wipe()
            throw error
        }
        (self.width, self.height) = (width, height)
    }

    /// Scales down by 2 or 4 in place: each pixel is the mean of a square, at the right and lower edges of what there is of one.
    func shrink(by factor: Int) {
        guard factor > 1, !isEmpty else { return }
        let (width, height, samples) = (width, height, samples)
        let (newWidth, newHeight) = ((width + factor - 1) / factor, (height + factor - 1) / factor)
        octets.withMutableOctets { octets in
            // A pixel is written where nothing is read any more: behind it in reading order lies every square still to come.
            for y in 0..<newHeight {
                let rows = y * factor..<min(height, (y + 1) * factor)
                for x in 0..<newWidth {
                    let columns = x * factor..<min(width, (x + 1) * factor)
                    let count = rows.count * columns.count
                    for sample in 0..<samples {
                        var sum = 0
                        for row in rows {
                            for column in columns { sum += Int(octets[(row * width + column) * samples + sample]) }
                        }
                        octets[(y * newWidth + x) * samples + sample] = UInt8(truncatingIfNeeded: (sum + count / 2) / count)
                    }
                }
            }
        }
        (self.width, self.height) = (newWidth, newHeight)
    }
}

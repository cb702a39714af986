import VisionProtocol

/// Pixels as a camera sends them that does not encode, checked to be all there.
struct RawPixels {
    private let octets: UnsafeRawBufferPointer
    private let isYUYV: Bool
    private let width: Int
    private let height: Int
    private let stride: Int

    init(
        _ octets: UnsafeRawBufferPointer, format: PictureFormat, width: Int, height: Int, stride: Int, limits: PictureLimits
    ) throws(PictureError) {
        guard width > 0, height > 0 else { throw .empty }
        guard width <= limits.side, height <= limits.side else { throw .tooManyPixels }
        let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
        guard !overflows, pixels <= limits.pixels else { throw .tooManyPixels }
        guard pixels <= limits.memory / 3 else { throw .tooMuchMemory }
        isYUYV = format == .yuyv
        guard !isYUYV || width & 1 == 0 else { throw .geometry }
        let row = width * (isYUYV ? 2 : 3)
        self.stride = stride == 0 ? row : stride
        // Nothing pads a row to more than this.
        guard self.stride >= row, self.stride <= row + 1 << 16, self.stride * (height - 1) + row <= octets.count else { throw .geometry }
        self.octets = octets
        self.width = width
        self.height = height
    }

    /// `pixels` has so many samples for each pixel: 3, or 1 for grey.
    func write(to pixels: UnsafeMutableRawBufferPointer, samples: Int) {
        for y in 0..<height {
            let row = UnsafeRawBufferPointer(rebasing: octets[y * stride..<y * stride + width * (isYUYV ? 2 : 3)])
            let target = UnsafeMutableRawBufferPointer(rebasing: pixels[y * width * samples..<(y + 1) * width * samples])
            if samples == 1 {
                writeGrey(row, to: target)
            } else if isYUYV {
                convert(row, to: target)
            } else {
                target.copyMemory(from: row)
            }
        }
    }

    /// Luminance by ITU-R BT.601; of YUYV as it is, without regard to its range.
    private func writeGrey(_ row: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
        if isYUYV {
            for x in 0..<width { target[x] = row[x * 2] }
        } else {
            for x in 0..<width {
                let luminance = 77 * Int(row[x * 3]) + 150 * Int(row[x * 3 + 1]) + 29 * Int(row[x * 3 + 2])
                target[x] = UInt8(truncatingIfNeeded: (luminance + 128) >> 8)
            }
        }
    }

    /// ITU-R BT.601 with its limited range, which is what V4L2_PIX_FMT_YUYV means unless the camera says otherwise; in 256ths.
    private func convert(_ row: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
        func octet(_ value: Int) -> UInt8 { UInt8(clamping: (value + 128) >> 8) }
        for pair in 0..<width / 2 {
            let (blue, red) = (Int(row[pair * 4 + 1]) - 128, Int(row[pair * 4 + 3]) - 128)
            for pixel in 0..<2 {
                let luminance = 298 * (Int(row[pair * 4 + pixel * 2]) - 16)
                let index = (pair * 2 + pixel) * 3
                target[index] = octet(luminance + 409 * red)
                target[index + 1] = octet(luminance - 100 * blue - 208 * red)
                target[index + 2] = octet(luminance + 516 * blue)
            }
        }
    }
}

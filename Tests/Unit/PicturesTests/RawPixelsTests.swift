import Pictures
import Testing
import VisionProtocol

@Suite("Raw pixels")
struct RawPixelsTests {
    private let decoder = PictureDecoder.frame

    @Test("YUYV is BT.601 with its limited range")
    func colours() throws {
        // Black, white; red and blue as BT.601 has them (Y 81 and 41); beyond the range is the range's end.
        let octets: [UInt8] = [16, 128, 235, 128, 81, 90, 81, 240, 41, 240, 41, 110, 255, 0, 0, 255]
        let pixels = try decoder.pixels(octets, as: .yuyv, width: 8, height: 1)
        #expect(pixels[0, 0] == [0, 0, 0] && pixels[1, 0] == [255, 255, 255])
        for (x, expected) in [(2, [255, 0, 0]), (3, [255, 0, 0]), (4, [0, 0, 255]), (5, [0, 0, 255])] {
            #expect(zip(pixels[x, 0], expected).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(pixels[x, 0])")
        }
        #expect(pixels[6, 0][0] == 255 && pixels[7, 0][1] == 0)
    }

    @Test("rows may have gaps; the last one needs none")
    func strides() throws {
        let octets: [UInt8] = [1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12]
        let pixels = try decoder.pixels(octets, as: .rgb24, width: 2, height: 2, stride: 8)
        #expect(pixels.octets == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
        #expect(try decoder.pixels(pixels.octets, as: .rgb24, width: 2, height: 2) == pixels)
    }

    @Test("scaled down by means")
    func reduction() throws {
        let octets: [UInt8] = (0..<6 * 5).flatMap { index -> [UInt8] in [UInt8(index % 6 * 10), 7, 255] }
        let pixels = try PictureDecoder(limits: .frame, wantedSide: 3).pixels(octets, as: .rgb24, width: 6, height: 5)
        #expect(pixels.width == 3 && pixels.height == 3)
        #expect(pixels[0, 0] == [5, 7, 255] && pixels[2, 2] == [45, 7, 255])
    }

    @Test(
        "what cannot be is refused",
        arguments: [
            (PictureFormat.rgb24, 0, 2, 0, PictureError.empty), (.rgb24, 2, 0, 0, .empty), (.rgb24, -1, 2, 0, .empty),
            (.yuyv, 3, 1, 0, .geometry),
            (.rgb24, 2, 3, 0, .geometry), (.rgb24, 2, 2, 5, .geometry), (.rgb24, 2, 2, -6, .geometry), (.rgb24, 2, 2, 7, .geometry),
            (.rgb24, 2, 2, Int.max, .geometry), (.rgb24, 2, 2, 70_000, .geometry), (.rgb24, 8193, 1, 0, .tooManyPixels),
            (.rgb24, 1, Int.max, 0, .tooManyPixels),
            (.yuyv, 8192, 8192, 0, .tooManyPixels), (.yuyv, 8000, 5000, 0, .tooMuchMemory), (.rgb24, 4000, 4000, 0, .geometry),
        ])
    func refused(format: PictureFormat, width: Int, height: Int, stride: Int, expected: PictureError) {
        #expect(throws: expected) {
            _ = try decoder.pixels([UInt8](repeating: 0, count: 12), as: format, width: width, height: height, stride: stride)
        }
    }
}

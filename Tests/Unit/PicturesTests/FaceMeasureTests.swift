import Pictures
import Testing
import VisionProtocol

@Suite("Measure of a face")
struct FaceMeasureTests {
    private func picture(_ pixels: Pixels) throws -> Picture {
        let picture = Picture()
        try PictureDecoder.frame.decode(pixels.octets, as: .rgb24, width: pixels.width, height: pixels.height, into: picture)
        return picture
    }

    private func grey(_ width: Int, _ height: Int, _ value: @escaping (Int, Int) -> Int) throws -> Picture {
        try picture(Pixels(width: width, height: height) { x, y in (UInt8(value(x, y)), UInt8(value(x, y)), UInt8(value(x, y))) })
    }

    @Test("an even face has its luminance and no sharpness, whatever its size", arguments: [9, 60, 100, 173, 300])
    func even(side: Int) throws {
        let picture = try picture(Pixels(width: 320, height: 320) { _, _ in (200, 100, 50) })
        let measure = try #require(picture.measure(FaceBox(x: 10, y: 12, width: Float(side), height: Float(side))))
        #expect(abs(measure.brightness - 124.2) < 0.2)
        #expect(measure.sharpness < 0.001)
    }

    @Test("the Laplacian's variance is the one that can be worked out by hand")
    func checks() throws {
        // A board of squares of one pixel, at scale 1: each Laplacian is plus or minus eight times the half difference.
        let board = try grey(100, 100) { x, y in (x + y) % 2 == 0 ? 100 : 120 }
        let measure = try #require(board.measure(FaceBox(x: 0, y: 0, width: 100, height: 100)))
        #expect(abs(measure.brightness - 110) < 0.1)
        #expect(abs(measure.sharpness - 6400) < 10)
    }

    @Test("the same face at twice the size is as sharp; a blurred one is less")
    func scale() throws {
        func face(_ x: Int, _ y: Int) -> Int { (x / 8 + y / 8) % 2 == 0 ? 60 : 180 }
        let near = try grey(200, 200) { x, y in face(x / 2, y / 2) }
        let far = try grey(100, 100) { x, y in face(x, y) }
        let blurred = try grey(100, 100) { x, y in
            (-3...3).reduce(0) { sum, across in sum + (-3...3).reduce(0) { $0 + face(max(0, x + across), max(0, y + $1)) } } / 49
        }
        let one = try #require(near.measure(FaceBox(x: 0, y: 0, width: 200, height: 200)))
        let two = try #require(far.measure(FaceBox(x: 0, y: 0, width: 100, height: 100)))
        let three = try #require(blurred.measure(FaceBox(x: 0, y: 0, width: 100, height: 100)))
        #expect(abs(one.sharpness - two.sharpness) < 0.05 * two.sharpness)
        #expect(three.sharpness < two.sharpness / 10)
    }

    @Test("of a box that sticks out the part in the picture is measured")
    func outside() throws {
        let picture = try grey(100, 100) { x, _ in x < 50 ? 20 : 220 }
        let left = try #require(picture.measure(FaceBox(x: -50, y: -30, width: 100, height: 160)))
        #expect(abs(left.brightness - 20) < 1)
        let right = try #require(picture.measure(FaceBox(x: 50, y: 0, width: 100, height: 100)))
        #expect(abs(right.brightness - 220) < 3)
    }

    @Test("boxes that are none have no measure, and do no harm")
    func none() throws {
        let picture = try grey(64, 48) { x, y in (x * y) % 256 }
        let odd: [Float] = [
            .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -1, 5, 1e9, 63.9,
        ]
        for x in odd {
            for y in odd {
                for width in odd {
                    for height in odd {
                        guard let measure = picture.measure(FaceBox(x: x, y: y, width: width, height: height)) else { continue }
                        #expect(measure.brightness.isFinite && (0...255.5).contains(measure.brightness))
                        #expect(measure.sharpness.isFinite && measure.sharpness >= 0)
                    }
                }
            }
        }
        #expect(picture.measure(FaceBox(x: .nan, y: 0, width: 20, height: 20)) == nil)
        #expect(picture.measure(FaceBox(x: 0, y: 0, width: 7, height: 20)) == nil)
        #expect(picture.measure(FaceBox(x: 60, y: 0, width: 20, height: 20)) == nil)
        #expect(picture.measure(FaceBox(x: 100, y: 100, width: 20, height: 20)) == nil)
        #expect(picture.measure(FaceBox(x: 0, y: 0, width: 1e6, height: 1e6)) == nil)
        #expect(picture.measure(FaceBox(x: 0, y: 0, width: 20, height: 20)) != nil)
        #expect(Picture().measure(FaceBox(x: 0, y: 0, width: 20, height: 20)) == nil)
    }
}

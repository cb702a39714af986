/// A picture of 64 by 48 grey pixels: enough to tell that something moved, too little to tell who did.
public struct Thumbnail: Equatable {
    static let width = 64
    static let height = 48
    /// Pixels of the picture that a pixel of this one is the mean of, along each side.
    private static let samples = 2

    private let pixels: [UInt8]

    /// - Parameter picture: not empty, and grey.
    public init(_ picture: Picture) {
        let (width, height) = (picture.width, picture.height)
        guard !picture.isEmpty, picture.samples == 1 else {
            pixels = [UInt8](repeating: 0, count: Self.width * Self.height)
            return
        }
        // The same columns in each row.
        let columns = (0..<Self.width * Self.samples).map { $0 * width / (Self.width * Self.samples) }
        pixels = picture.withPixels { octets in
            var sums = [Int](repeating: 0, count: Self.width * Self.height)
            for line in 0..<Self.height * Self.samples {
                let start = line * height / (Self.height * Self.samples) * width
                let row = line / Self.samples * Self.width
                for (index, column) in columns.enumerated() { sums[row + index / Self.samples] += Int(octets[start + column]) }
            }
            return sums.map { UInt8(truncatingIfNeeded: $0 / (Self.samples * Self.samples)) }
        }
    }

    /// The mean difference of their pixels, 0 to 255.
    public func difference(from other: Thumbnail) -> UInt8 {
        var sum = 0
        for (one, two) in zip(pixels, other.pixels) { sum += abs(Int(one) - Int(two)) }
        return UInt8(clamping: (sum + pixels.count / 2) / pixels.count)
    }
}

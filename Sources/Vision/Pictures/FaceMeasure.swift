import VisionProtocol

/// What can be said of a face without knowing one: whether there was light and focus.
public struct FaceMeasure: Hashable, Sendable {
    /// Mean luminance (ITU-R BT.601), 0 to 255.
    public var brightness: Float
    /// Variance of the Laplacian of the luminance, at a width of 100 pixels.
    public var sharpness: Float
}

extension Picture {
    /// Measures what lies in the picture of a face's box, scaled so that the whole box is 100 pixels wide.
    /// - Parameter box: as a plug-in gave it, so any numbers.
    /// - Returns: nil when the picture has no colours, the box is no rectangle, or less than 8 by 8 pixels of it, or 3 by 3 after scaling,
    ///   lie in the picture.
    public func measure(_ box: FaceBox) -> FaceMeasure? {
        guard samples == 3 else { return nil }
        guard box.x.isFinite, box.y.isFinite, box.width.isFinite, box.height.isFinite, box.width > 0, box.height > 0 else { return nil }
        let left = max(0, box.x), top = max(0, box.y)
        let right = min(Float(width), box.x + box.width), bottom = min(Float(height), box.y + box.height)
        guard right - left >= 8, bottom - top >= 8 else { return nil }
        // A pixel of the scaled face in pixels of the picture.
        let step = box.width / 100
        // Not more than 100; a tall box may have more rows than columns, but not without end.
        let columns = Int(min(100, (right - left) / step)), rows = Int(min(400, (bottom - top) / step))
        guard columns >= 3, rows >= 3 else { return nil }
        return withPixels { pixels in
            let luminance = Luminance(pixels: pixels, width: width, height: height)
            // Three rows at a time are enough for the Laplacian.
            var window = [[Float]](repeating: [], count: 3)
            var sum = Double(0)
            var laplacians = Moments()
            for row in 0..<rows {
                let line = luminance.line(left: left, top: top + Float(row) * step, step: step, columns: columns)
                sum += line.reduce(into: Double(0)) { $0 += Double($1) }
                window = [window[1], window[2], line]
                guard row >= 2 else { continue }
                for column in 1..<columns - 1 {
                    let across = window[1][column - 1] + window[1][column + 1]
                    laplacians.add(Double(across + window[0][column] + window[2][column] - 4 * window[1][column]))
                }
            }
            return FaceMeasure(brightness: Float(sum / Double(rows * columns)), sharpness: Float(laplacians.variance))
        }
    }
}

/// The luminance of a picture between its pixels.
private struct Luminance {
    let pixels: UnsafeRawBufferPointer
    let width: Int
    let height: Int

    /// Scaled pixels of `step` by `step`, each the mean of samples about a pixel apart; a face of more than 800 pixels is sampled more
    /// thinly.
    func line(left: Float, top: Float, step: Float, columns: Int) -> [Float] {
        let samples = max(1, min(8, Int(step.rounded(.up))))
        let apart = step / Float(samples)
        return (0..<columns).map { column in
            var sum = Float(0)
            for down in 0..<samples {
                for across in 0..<samples {
                    sum += at(left + Float(column) * step + (Float(across) + 0.5) * apart, top + (Float(down) + 0.5) * apart)
                }
            }
            return sum / Float(samples * samples)
        }
    }

    /// Between the centres of the four nearest pixels; outside it is as at the edge.
    private func at(_ x: Float, _ y: Float) -> Float {
        let x = max(0, min(Float(width - 1), x - 0.5)), y = max(0, min(Float(height - 1), y - 0.5))
        let column = Int(x), row = Int(y)
        let nextColumn = min(width - 1, column + 1), nextRow = min(height - 1, row + 1)
        let (across, down) = (x - Float(column), y - Float(row))
        let upper = of(column, row) * (1 - across) + of(nextColumn, row) * across
        let lower = of(column, nextRow) * (1 - across) + of(nextColumn, nextRow) * across
        return upper * (1 - down) + lower * down
    }

    private func of(_ column: Int, _ row: Int) -> Float {
        let index = (row * width + column) * 3
        return 0.299 * Float(pixels[index]) + 0.587 * Float(pixels[index + 1]) + 0.114 * Float(pixels[index + 2])
    }
}

/// Mean and spread of numbers, in one pass (Welford).
private struct Moments {
    private var count = 0.0
    private var mean = 0.0
    private var squares = 0.0

    mutating func add(_ value: Double) {
        count += 1
        let difference = value - mean
        mean += difference / count
        squares += difference * (value - mean)
    }

    var variance: Double { count > 0 ? squares / count : 0 }
}

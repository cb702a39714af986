/// What the frames of an attempt showed, by number.
struct FaceSightings: Hashable, Sendable {
    var frames: UInt32 = 0
    /// Black, or undecodable.
    var broken: UInt32 = 0
    var nobody: UInt32 = 0
    var several: UInt32 = 0
    var poor: UInt32 = 0
    var compared: UInt32 = 0
    var passed: UInt32 = 0

    /// Why nobody was bound: what was seen most, and among equals what tells the visitor most.
    ///
    /// - Parameter comparedEnough: all comparisons of an attempt were made; otherwise the time is over.
    func reason(comparedEnough: Bool) -> FaceReason {
        if comparedEnough { return .noMatch }
        let most = max(max(compared, several), max(poor, max(nobody, broken)))
        // No frame at all: the camera gave none.
        guard most > 0 else { return .cameraFailed }
        // Somebody who passes more often than not, but not often enough: too slow is not another person.
        if compared == most { return passed * 2 > compared ? .timedOut : .noMatch }
        if several == most { return .severalFaces }
        if poor == most { return .poorQuality }
        return nobody == most ? .noFace : .cameraFailed
    }
}

/// The similarities of the last five comparisons, for the bin of an attempt.
struct RecentScores: Sendable {
    private var values: InlineArray<5, Double> = .init(repeating: 0)
    private var count = 0

    mutating func add(_ value: Double) {
        values[count % 5] = value
        count += 1
    }

    /// Nil where there are none.
    var median: Double? {
        let filled = min(count, 5)
        guard filled > 0 else { return nil }
        var sorted = values
        for next in 1..<5 where next < filled {
            var place = next
            while place > 0, sorted[place] < sorted[place - 1] {
                sorted.swapAt(place, place - 1)
                place -= 1
            }
        }
        return sorted[filled / 2]
    }
}

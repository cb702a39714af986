import VisionProtocol

/// One face, followed from frame to frame, and how its last comparisons went.
///
/// The same face is one whose box overlaps the last one by `overlap` within `gap`, in a picture of the same size, with nothing in between:
/// whoever vanishes or is joined by somebody begins anew. It cannot tell two people who change places between two frames: that is what the
/// number of passes is for.
struct FaceTrack: Hashable, Sendable {
    /// Intersection over union of two boxes, at least. A person who sways by half a face between frames stays.
    static let overlap: Float = 0.3
    /// Nanoseconds nobody looked.
    static let gap: UInt64 = 1_000_000_000

    private var box: FaceBox?
    private var width: UInt32 = 0
    private var height: UInt32 = 0
    private var seen: UInt64 = 0
    /// A bit for each comparison, the newest lowest; 1 passed.
    private var history: UInt8 = 0

    /// Whoever was there is gone.
    mutating func lose() {
        box = nil
        history = 0
    }

    /// Goes on with the face of `assessment`, or begins with it.
    mutating func follow(_ assessment: FrameAssessment, captured: UInt64) {
        let isSame =
            assessment.width == width && assessment.height == height && captured >= seen && captured - seen <= Self.gap
            && box.map { $0.overlap(with: assessment.face) >= Self.overlap } ?? false
        if !isSame { history = 0 }
        box = assessment.face
        width = assessment.width
        height = assessment.height
        seen = captured
    }

    /// Notes one comparison of the face that is followed.
    mutating func note(passed: Bool) {
        history = history << 1 | (passed ? 1 : 0)
    }

    /// How many of the last `window` comparisons (at most 8) of this face passed.
    func passes(of window: Int) -> Int {
        (history & UInt8(truncatingIfNeeded: (1 << window) - 1)).nonzeroBitCount
    }
}

extension FaceBox {
    /// Intersection over union; 0 where a box is none.
    func overlap(with other: FaceBox) -> Float {
        let width = min(x + self.width, other.x + other.width) - max(x, other.x)
        let height = min(y + self.height, other.y + other.height) - max(y, other.y)
        guard width > 0, height > 0, area > 0, other.area > 0 else { return 0 }
        let ratio = width * height / (area + other.area - width * height)
        return ratio.isFinite ? ratio : 0
    }
}

/// What the frames of an attempt showed, by number.
struct FaceSightings: Sendable {
    var frames: UInt32 = 0
    /// Black, or undecodable.
    var broken: UInt32 = 0
    var nobody: UInt32 = 0
    var several: UInt32 = 0
    private(set) var poor: UInt32 = 0
    /// Of the poor ones, by the raw value of what was wrong with them.
    private var flaws = InlineArray<8, UInt32>(repeating: 0)
    var compared: UInt32 = 0
    var passed: UInt32 = 0

    /// A face that was not compared; nil where only the matcher knows why.
    mutating func notePoor(_ flaw: FrameFlaw?) {
        poor &+= 1
        if let flaw { flaws[Int(flaw.rawValue)] &+= 1 }
    }

    /// What was wrong with most of the faces that were not compared; among equals the first of `FrameFlaw`.
    var mainFlaw: FrameFlaw? {
        var main: FrameFlaw?
        var most: UInt32 = 0
        for place in 0..<flaws.count where flaws[place] > most {
            main = FrameFlaw(rawValue: UInt8(place))
            most = flaws[place]
        }
        return main
    }

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

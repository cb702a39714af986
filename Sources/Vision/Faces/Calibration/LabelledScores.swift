import VisionProtocol

/// Why nothing can be said from these pictures.
public enum CalibrationError: Error, Hashable, Sendable {
    /// No two pictures of one person were compared.
    case noGenuinePairs
    /// No two people were compared.
    case noImpostorPairs
    /// A score that is not between 0 and 1.
    case notAScore
    /// So many pairs of different people have the highest score there is that no threshold keeps enough of them out.
    case noThreshold
}

/// Two pictures that were compared, each by the number of the person it shows.
public struct LabelledPair: Hashable, Sendable {
    public let first: Int
    public let second: Int
    /// 0 to 1, higher the more alike.
    public let similarity: Double

    public init(first: Int, second: Int, similarity: Double) {
        self.first = first
        self.second = second
        self.similarity = similarity
    }

    var isGenuine: Bool { first == second }
}

/// Comparisons of which it is known who they show, and how often a threshold is wrong about them.
public struct LabelledScores: Sendable {
    /// Each in ascending order.
    public let genuine: [Double]
    public let impostor: [Double]
    /// Different people among the pairs.
    public let people: Int
    /// The highest similarity of each pair of people, in ascending order.
    private let likeliest: [Double]

    public init(_ pairs: [LabelledPair]) throws(CalibrationError) {
        guard pairs.allSatisfy({ $0.similarity >= 0 && $0.similarity <= 1 }) else { throw .notAScore }
        genuine = pairs.filter(\.isGenuine).map(\.similarity).sorted()
        guard !genuine.isEmpty else { throw .noGenuinePairs }
        let impostors = pairs.filter { !$0.isGenuine }
        guard !impostors.isEmpty else { throw .noImpostorPairs }
        impostor = impostors.map(\.similarity).sorted()
        people = Set(pairs.flatMap { [$0.first, $0.second] }).count
        var likeliest: [SIMD2<Int>: Double] = [:]
        for pair in impostors {
            let two = SIMD2(min(pair.first, pair.second), max(pair.first, pair.second))
            likeliest[two] = max(likeliest[two] ?? 0, pair.similarity)
        }
        self.likeliest = likeliest.values.sorted()
    }

    /// Pairs of one person that would not pass.
    public func falseNonMatches(at threshold: Double) -> ErrorRate {
        ErrorRate(errors: Self.count(of: genuine, below: threshold), trials: genuine.count)
    }

    /// Pairs of two people that would pass.
    public func falseMatches(at threshold: Double) -> ErrorRate {
        ErrorRate(errors: impostor.count - Self.count(of: impostor, below: threshold), trials: impostor.count)
    }

    /// The same with one trial for two people, however many pictures there are of them; an error where any of their pairs would pass.
    public func falseMatchesOfPeople(at threshold: Double) -> ErrorRate {
        ErrorRate(errors: likeliest.count - Self.count(of: likeliest, below: threshold), trials: likeliest.count)
    }

    /// Pairs that certainly have nothing to do with each other: no person is in two of them.
    public var independentPairs: Int { people / 2 }

    /// How many of these ascending scores are below the threshold.
    private static func count(of scores: [Double], below threshold: Double) -> Int {
        var low = 0, high = scores.count
        while low < high {
            let middle = (low + high) / 2
            if scores[middle] < threshold { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What a picture is worth to calibration as a frame: quality is noted, but keeps nothing out, since a site's own pictures say what it has
/// to live with.
public enum CalibrationFinding: Hashable, Sendable {
    /// Its similarity to the reference; and the gate it would not pass at the gate.
    case compared(Double, FrameFlaw?)
    case notCompared(FaceReason)

    public init(_ probe: FrameAssessment, settings: FaceSettings) {
        if probe.isAttack(limit: settings.attackLimit) {
            self = .notCompared(.presentationAttack)
            return
        }
        switch ProbeFinding(probe, settings: settings) {
        case .failure(let reason): self = .notCompared(reason)
        case .broken: self = .notCompared(.portraitUnreadable)
        case .nobody: self = .notCompared(.noFace)
        case .several: self = .notCompared(.severalFaces)
        case .face(let similarity): self = .compared(similarity, nil)
        case .poor:
            if let similarity = probe.similarity {
                self = .compared(similarity, probe.flaw(by: settings))
            } else {
                self = .notCompared(.poorQuality)
            }
        }
    }
}

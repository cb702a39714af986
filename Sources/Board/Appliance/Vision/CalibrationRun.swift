import Faces
import VisionProtocol

/// Whoever looks at pictures: a worker, or a script in tests.
public protocol PictureJudge {
    /// Keeps the picture's template as the reference.
    func assess(reference octets: [UInt8], _ format: PictureFormat) throws(WorkerFailure) -> FrameAssessment
    /// Compares the picture with the reference.
    func assess(probe octets: [UInt8], _ format: PictureFormat) throws(WorkerFailure) -> FrameAssessment
}

extension VisionClient: PictureJudge {
    public func assess(reference octets: [UInt8], _ format: PictureFormat) throws(WorkerFailure) -> FrameAssessment {
        try assess(.reference, octets, format)
    }

    public func assess(probe octets: [UInt8], _ format: PictureFormat) throws(WorkerFailure) -> FrameAssessment {
        try assess(.probe, octets, format)
    }

    private func assess(_ role: FaceRole, _ octets: [UInt8], _ format: PictureFormat) throws(WorkerFailure) -> FrameAssessment {
        let request = WorkerRequest.picture(role, PictureHeader(format: format))
        let reply = try octets.span.withUnsafeBytes { (octets) throws(WorkerFailure) in try ask(request, octets) }
        guard case .assessment(role, let assessment) = reply else { throw .lied(.notAsked) }
        return assessment
    }
}

/// Every picture of a folder as the reference against every other as a frame.
public struct CalibrationRun: Sendable {
    /// One comparison, by the pictures' indices.
    public struct Score: Hashable, Sendable {
        public let reference: Int
        public let probe: Int
        public let similarity: Double
    }

    public let folder: LabelledFolder
    public private(set) var scores: [Score] = []
    /// Why pictures were no references, by how many.
    public private(set) var notEnrolled: [FaceReason: Int] = [:]
    /// Why pictures were not compared as frames.
    public private(set) var notCompared: [FaceReason: Int] = [:]
    /// Pictures that were compared, but would not be at the gate.
    public private(set) var flaws: [FrameFlaw: Int] = [:]

    /// What became of each picture as a frame: it is the same against each reference, and counted once.
    private var findings: [FrameFinding?]
    private let settings: FaceSettings
    /// Pixels between the eyes of a reference.
    private let minimum: Float
    /// Of workers, since the last comparison.
    private var failures = 0

    private enum FrameFinding { case usable, flawed, notCompared }

    /// Workers that may fail in a row before it is given up: one picture that a plug-in fails of is a finding, all of them are a broken
    /// plug-in.
    private static let mostFailures = 3

    /// - Parameters:
    ///   - settings: for references and flaws.
    ///   - progress: called with how many references are done.
    /// - Throws: why the worker failed, several times in a row.
    public init(
        _ folder: LabelledFolder, settings: FaceSettings, minimum: Float, judge: some PictureJudge, progress: (Int) -> Void
    ) throws(WorkerFailure) {
        self.folder = folder
        self.settings = settings
        self.minimum = minimum
        findings = Array(repeating: nil, count: folder.pictures.count)
        for index in folder.pictures.indices {
            if let reason = try fault(ofReference: index, judge) {
                notEnrolled[reason, default: 0] += 1
            } else {
                try compare(index, judge)
            }
            progress(index + 1)
        }
    }

    /// Shows the judge a reference; why it is none, or nil.
    private mutating func fault(ofReference index: Int, _ judge: some PictureJudge) throws(WorkerFailure) -> FaceReason? {
        guard let (format, octets) = folder.octets(of: folder.pictures[index]) else { return .unsupportedPortrait }
        do throws(WorkerFailure) {
            return try judge.assess(reference: octets, format).referenceFault(minimum: minimum, secondArea: settings.gates.secondArea)
        } catch {
            return try forgive(error)
        }
    }

    private mutating func compare(_ reference: Int, _ judge: some PictureJudge) throws(WorkerFailure) {
        for probe in folder.pictures.indices where probe != reference && findings[probe] != .notCompared {
            guard let (format, octets) = folder.octets(of: folder.pictures[probe]) else {
                note(.notCompared(.unsupportedPortrait), reference, probe)
                continue
            }
            do throws(WorkerFailure) {
                let assessment = try judge.assess(probe: octets, format)
                failures = 0
                note(CalibrationFinding(assessment, settings: settings), reference, probe)
            } catch {
                note(.notCompared(try forgive(error)), reference, probe)
                // The next worker knows nothing of the reference.
                guard try fault(ofReference: reference, judge) == nil else { return }
            }
        }
    }

    private mutating func forgive(_ failure: WorkerFailure) throws(WorkerFailure) -> FaceReason {
        failures += 1
        guard failures < Self.mostFailures else { throw failure }
        return failure.reason
    }

    private mutating func note(_ finding: CalibrationFinding, _ reference: Int, _ probe: Int) {
        let isFirst = findings[probe] == nil
        switch finding {
        case .compared(let similarity, let flaw):
            scores.append(Score(reference: reference, probe: probe, similarity: similarity))
            findings[probe] = flaw == nil ? .usable : .flawed
            if isFirst, let flaw { flaws[flaw, default: 0] += 1 }
        case .notCompared(let reason):
            findings[probe] = .notCompared
            notCompared[reason, default: 0] += 1
        }
    }

    /// Pictures that some comparison used, and the people they show.
    public var comparedPictures: Set<Int> { Set(scores.flatMap { [$0.reference, $0.probe] }) }

    /// A pair for every two pictures: both ways round they are one comparison, of which the worse counts.
    public var pairs: [LabelledPair] {
        var similarities: [SIMD2<Int>: Double] = [:]
        for score in scores {
            let pictures = SIMD2(min(score.reference, score.probe), max(score.reference, score.probe))
            let isGenuine = folder.pictures[score.reference].person == folder.pictures[score.probe].person
            guard let other = similarities[pictures] else {
                similarities[pictures] = score.similarity
                continue
            }
            similarities[pictures] = isGenuine ? min(other, score.similarity) : max(other, score.similarity)
        }
        return similarities.map { pictures, similarity in
            LabelledPair(first: folder.pictures[pictures.x].person, second: folder.pictures[pictures.y].person, similarity: similarity)
        }
    }
}

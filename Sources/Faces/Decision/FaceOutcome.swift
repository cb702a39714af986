/// Where the median score of an attempt lay. All that is kept of a score: finer steps would describe a face.
public enum FaceBin: UInt8, Hashable, Sendable, CaseIterable {
    case farBelow, below, justBelow, justAbove, above

    /// - Parameters:
    ///   - similarity: 0 to 1.
    ///   - threshold: above 0, at most 1.
    init(_ similarity: Double, threshold: Double) {
        if similarity >= threshold {
            self = similarity >= threshold + 0.2 * (1 - threshold) ? .above : .justAbove
        } else if similarity >= 0.8 * threshold {
            self = similarity >= 0.95 * threshold ? .justBelow : .below
        } else {
            self = .farBelow
        }
    }

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .farBelow: "far-below"
        case .below: "below"
        case .justBelow: "just-below"
        case .justAbove: "just-above"
        case .above: "above"
        }
    }
}

/// How an attempt ended.
public struct FaceOutcome: Hashable, Sendable {
    public enum Decision: Hashable, Sendable {
        /// The visitor is the person in the portrait.
        case bound(FaceBin)
        /// The bin is nil where nothing was compared.
        case refused(FaceReason, FaceBin?)
    }

    public let decision: Decision
    /// Frames that were assessed, and how many of them were compared.
    public let frames: UInt32
    public let compared: UInt32
    /// Whether this attempt taught the visitor something about the portrait or the attack check: it counts against the credential when it was
    /// refused.
    public let isTrial: Bool

    public var isBound: Bool {
        if case .bound = decision { true } else { false }
    }

    /// Whether it ended so because of where the visitor stood.
    public var isVisitorsDoing: Bool {
        switch reason {
        case .noFace, .severalFaces, .poorQuality: true
        default: false
        }
    }

    /// Nil where somebody was bound.
    public var reason: FaceReason? {
        if case .refused(let reason, _) = decision { reason } else { nil }
    }

    /// Nil where nothing was compared.
    public var bin: FaceBin? {
        switch decision {
        case .bound(let bin): bin
        case .refused(_, let bin): bin
        }
    }

    /// An attempt that ended before there was a `FaceCheck`: no portrait, locked out.
    public init(refused reason: FaceReason) {
        self.init(decision: .refused(reason, nil), frames: 0, compared: 0, isTrial: false)
    }

    init(decision: Decision, frames: UInt32, compared: UInt32, isTrial: Bool) {
        self.decision = decision
        self.frames = frames
        self.compared = compared
        self.isTrial = isTrial
    }
}

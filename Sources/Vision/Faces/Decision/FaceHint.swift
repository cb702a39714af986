import VisionProtocol

/// What a visitor may do so that the next frame can be compared.
public enum FaceHint: Hashable, Sendable {
    /// Nobody is seen.
    case nobody
    /// More than one person is.
    case several
    /// A face is seen that is not compared.
    case flaw(FrameFlaw)

    /// Nil where the frame was compared, or where nothing the visitor does helps.
    init?(_ finding: ProbeFinding, _ flaw: FrameFlaw?) {
        switch finding {
        case .nobody: self = .nobody
        case .several: self = .several
        case .poor:
            guard let flaw else { return nil }
            self = .flaw(flaw)
        case .failure, .broken, .face: return nil
        }
    }
}

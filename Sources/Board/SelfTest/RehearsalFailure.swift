/// What a gate on trial did wrong.
public enum RehearsalFailure: Error, Hashable, Sendable {
    /// There is no place for the air and the gate's data.
    case noPlace(errno: Int32)
    /// The demo issuer has no key.
    case noIssuer
    case notStarted(errno: Int32)
    /// It ended by itself, as wait(2) has it.
    case ended(Stage, status: Int32)
    case tookTooLong(Stage)
    /// The code on the screen has another key than the one in the air.
    case wrongCode
    /// A credential that somebody changed was let in.
    case wronglyAccepted
    /// A good credential was not.
    case wronglyRejected
    /// The wallet was told one thing, and the lamps say another.
    case wrongLight
    /// It had to be killed, or ended with another code than 0.
    case endedBadly(status: Int32)

    /// How far a visit is.
    public enum Stage: String, Hashable, Sendable {
        case start, advertisement, code, transfer, verdict, light
    }

    /// A word for programs.
    public var code: String {
        switch self {
        case .noPlace: "no-place"
        case .noIssuer: "no-issuer"
        case .notStarted: "not-started"
        case .ended(let stage, _): "ended-before-\(stage.rawValue)"
        case .tookTooLong(let stage): "no-\(stage.rawValue)"
        case .wrongCode: "wrong-code"
        case .wronglyAccepted: "wrongly-accepted"
        case .wronglyRejected: "wrongly-rejected"
        case .wrongLight: "wrong-light"
        case .endedBadly: "ended-badly"
        }
    }

    /// The errno, or the status of wait(2), that goes with it.
    public var number: Int32? {
        switch self {
        case .noPlace(let number), .notStarted(let number), .ended(_, let number), .endedBadly(let number): number
        default: nil
        }
    }
}

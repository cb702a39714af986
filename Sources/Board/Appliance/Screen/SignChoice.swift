import Devices
import Faces
import Visit

/// What the screen says, from what the gate, the camera and the board say.
enum SignChoice {
    /// - Parameters:
    ///   - hint: of the camera, while it looks.
    ///   - codes: what a visitor with a code is asked for.
    ///   - closed: why nobody can enter.
    ///   - shown: what is shown now.
    /// - Returns: nil where what is shown stays.
    static func sign(_ sign: VisitorSign, hint: FaceHint?, codes: CodeInvitation = .none, closed: ClosedCauses, after shown: Sign? = nil)
        -> Sign?
    {
        switch sign {
        // A verdict stands for its time and no longer, although there is nothing to be said yet.
        case .none: shown?.kind == .accepted || shown?.kind == .rejected || shown?.kind == .failed ? Sign(.checking) : nil
        case .scan: closed.list.first.map { Sign(.closed, code: $0.code) } ?? Sign(kind(codes))
        case .notForThisGate: Sign(.foreign)
        case .connected: Sign(.connected)
        case .choose: Sign(.choose)
        case .approve(let percent): Sign(.approve, percent: percent)
        case .receiving(let percent): Sign(.receiving, percent: percent)
        case .checking: Sign(.checking)
        case .look: Sign(kind(hint))
        case .accepted: Sign(.accepted)
        case .rejected(let reason): Sign(.rejected, code: reason?.code)
        case .failed: Sign(.failed)
        case .fault: Sign(.fault, code: "controller")
        }
    }

    private static func kind(_ codes: CodeInvitation) -> Sign.Kind {
        switch codes {
        case .none: .scan
        case .hold: .hold
        case .press: .press
        }
    }

    private static func kind(_ hint: FaceHint?) -> Sign.Kind {
        switch hint {
        case nil: .look
        case .nobody: .nobody
        case .several: .alone
        case .flaw(.small): .closer
        case .flaw(.blurred): .still
        case .flaw(.dark): .light
        case .flaw(.bright): .shade
        case .flaw(.turned): .turn
        case .flaw(.leaning): .upright
        case .flaw(.occluded): .uncover
        }
    }
}

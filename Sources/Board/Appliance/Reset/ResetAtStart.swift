import Devices
import Trust

extension TrustSource {
    /// Does the reset that was taken before this start. What keeps it from being done is said, and the gate is closed all the same.
    ///
    /// - Parameter path: of the audit log's current segment.
    func finishReset(audit path: String) -> ResetMark? {
        guard let file = try? rootFile(), let root = try? Self.signers(file) else { return nil }
        do throws(FactoryResetError) {
            guard let mark = try FactoryReset(folder, patience: Self.patience).finish(root: root, audit: path) else { return nil }
            switch mark.cause {
            case .order(let number): say("factory reset \(number): trust bundle, site file and audit log are erased")
            case .button: say("factory reset by the button: trust bundle and site file are erased, the audit log is kept")
            }
            return mark
        } catch {
            say("the factory reset is not done, which is tried again at the next start: \(error)")
            return nil
        }
    }

    /// Whether a reset was taken that this gate, which was started before it, has not done.
    var isResetTaken: Bool { ((try? FactoryReset(folder).mark()) ?? nil)?.isErasing == true }
}

/// Somebody who holds the button while the gate starts wants the board as it was delivered.
enum ResetByHand {
    /// - Returns: whether a reset was taken.
    static func take(_ moniker: ButtonMoniker, folder: String) -> Bool {
        guard ButtonAtStart.reset.isHeld(moniker, report: say) else { return false }
        do throws(TrustInstallationError) {
            try FactoryReset(folder, patience: TrustSource.patience).takeByHand()
            return true
        } catch {
            say("the factory reset is not taken: \(error)")
            return false
        }
    }
}

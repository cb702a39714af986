import Envelopes
import Trust

extension TrustTerms.Refusal {
    var rejectReason: RejectReason {
        switch self {
        case .clockUnsure: .clockUnsure
        case .expired: .trustExpired
        }
    }
}

extension TrustTerms {
    /// Why nobody at all is believed at this time; nil where somebody can be. The parameters are those of `clock`.
    public func refusal(at wall: Seconds, uptime: Seconds = 0) -> RejectReason? {
        do throws(Refusal) {
            _ = try time(wall, uptime)
            return nil
        } catch {
            return error.rejectReason
        }
    }
}

import Devices
import Visit

/// What a board shows that nobody has set up yet: its id as a code, for whoever makes its site file, in the place of a code for wallets.
///
/// A board that believes nobody shows it until somebody brings a trust bundle, or a site file; one that can let visitors in, because its
/// image has a bundle, for the first minute of its first start.
public struct SetUpNotice: Hashable, Sendable {
    /// Nanoseconds of a first start: time to hold a reader before the screen.
    static let firstTime: UInt64 = 60_000_000_000

    /// As orders name this gate; what the code says, and nothing else.
    let id: String
    /// In nanoseconds of the monotonic clock: until when it is shown whether or not visitors can enter; nil where that is over.
    private(set) var firstUntil: UInt64?

    /// - Parameter isFirstStart: nobody has seen this board at work.
    public init(id: String, isFirstStart: Bool, now: UInt64) {
        self.id = id
        firstUntil = isFirstStart ? now &+ Self.firstTime : nil
    }

    /// - Parameter sign: what the gate tells the visitor: whoever is being served comes first.
    func isShown(_ sign: VisitorSign, closed: ClosedCauses, now: UInt64) -> Bool {
        let isFirst = firstUntil.map { now < $0 } ?? false
        return switch sign {
        case .none, .scan: isFirst || closed.contains(.noTrust)
        // A board without its controller has an id all the same. After a minute the fault is what has to be seen.
        case .fault: isFirst
        default: false
        }
    }

    /// When what is shown may change by time alone.
    var nextLook: UInt64? { firstUntil }

    mutating func passTime(_ now: UInt64) {
        if let until = firstUntil, now >= until { firstUntil = nil }
    }
}

extension LoadedSite {
    /// What the screen of this board shows before anybody has set it up; nil where somebody has, where nobody can (there is no root file
    /// that could say who), and where the data were lost: such a gate was set up once.
    ///
    /// - Parameter isFirstStart: there is no record of an earlier one.
    func notice(canBeSetUp: Bool, isFirstStart: Bool, now: UInt64) -> SetUpNotice? {
        guard canBeSetUp, finding == .none || finding == .reset, DataPartition.anewAbove == nil, let identity else { return nil }
        // An id that was drawn is not on the board for anybody to read, but only a board of many is waited at.
        return SetUpNotice(id: identity.id, isFirstStart: isFirstStart && identity.source == .board, now: now)
    }
}

import Audit
import Envelopes
import Trust

/// Why nobody can enter, whoever comes. The gate goes on advertising and rejects each visitor with its reason.
public enum ClosedCause: UInt16, CaseIterable, Sendable {
    /// First: as long as nobody has set the gate up, nothing else is worth a word.
    case factoryReset
    case noTrust
    case trustExpired
    case clockInDoubt
    case recordsFull
    case recordsFailing
    case dataNotLasting
    case dataMadeAnew
    case noCamera
    case noMatcher
    case noThreshold
    case noScreen

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .factoryReset: "factory-reset"
        case .noTrust: "no-trust-bundle"
        case .trustExpired: "trust-expired"
        case .clockInDoubt: "clock-in-doubt"
        case .recordsFull: "records-full"
        case .recordsFailing: "records-failing"
        case .dataNotLasting: "data-not-lasting"
        case .dataMadeAnew: "data-made-anew"
        case .noCamera: "no-camera"
        case .noMatcher: "no-face-matcher"
        case .noThreshold: "no-face-threshold"
        case .noScreen: "no-screen"
        }
    }

    /// For the operator: what is wrong, and what cures it.
    public var sentence: String {
        switch self {
        case .factoryReset:
            "the gate was reset, and nobody has set it up since: bring a trust bundle and a site file (docs/provisioning.md)"
        case .noTrust: "no trust bundle is installed that this gate takes: install one (gatehouse trust install)"
        case .trustExpired: "the trust bundle has expired: install a new one (gatehouse trust install)"
        case .clockInDoubt: "the clock is behind a time that has passed, and the trust bundle says to reject then: set the clock"
        case .recordsFull: "there is no room for another audit record: make room on the disk, or export the log"
        case .recordsFailing: "the audit log cannot be written: look at the disk (gatehouse doctor)"
        case .dataNotLasting: "the data partition is in memory, and no record would outlast a restart: replace the card"
        case .dataMadeAnew:
            "the data partition was made anew, and what the gate knew is gone: bring a trust bundle newer than the image's, and the site file (docs/time.md)"
        case .noCamera: "faces have to be compared, and no camera is named: add one to the board profile"
        case .noMatcher: "faces have to be compared, and the matcher does not start: gatehouse doctor says why"
        case .noThreshold: "faces have to be compared, and nobody measured a threshold for this matcher: do that (gatehouse calibrate)"
        case .noScreen: "the code cannot be shown, so no wallet finds the gate: look at the screen and its cable"
        }
    }
}

/// Some of the causes; none when somebody can enter.
public struct ClosedCauses: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public init(_ cause: ClosedCause) {
        rawValue = 1 << cause.rawValue
    }

    public mutating func insert(_ cause: ClosedCause) { insert(ClosedCauses(cause)) }
    public func contains(_ cause: ClosedCause) -> Bool { contains(ClosedCauses(cause)) }

    public var list: [ClosedCause] { ClosedCause.allCases.filter { contains($0) } }
    /// Their codes, for one line.
    public var codes: String { list.map(\.code).joined(separator: ", ") }
}

extension ClosedCauses {
    /// Of whom the gate believes, at this time.
    ///
    /// - Parameters:
    ///   - wall: seconds since 1970 by the board's clock.
    ///   - uptime: seconds that the board has run for, by the clock of the store's terms.
    public init(trust: TrustStore, at wall: Seconds, uptime: Seconds) {
        self = []
        if trust.isOfNobody { insert(.noTrust) }
        switch trust.terms?.refusal(at: wall, uptime: uptime) {
        case .trustExpired: insert(.trustExpired)
        case .clockUnsure: insert(.clockInDoubt)
        default: break
        }
    }

    init(_ records: AuditState) {
        self =
            switch records {
            case .writable: []
            case .full: ClosedCauses(.recordsFull)
            case .failing: ClosedCauses(.recordsFailing)
            }
    }
}

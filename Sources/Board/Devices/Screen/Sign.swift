/// What a screen tells whoever stands before it, beside the code: a pictogram, words, and for the guard a short code.
public struct Sign: Hashable, Sendable {
    /// What it is about. The raw value is the message's name in the catalogs (`tools/words`).
    public enum Kind: String, CaseIterable, Sendable {
        case starting, scan, hold, press, foreign, connected, choose, approve, receiving, checking
        case look, nobody, closer, light, shade, turn, upright, uncover, still, alone
        case accepted, rejected, failed
        case fault, closed, unset
    }

    public let kind: Kind
    /// Of a transfer, or of the time to agree, 0 to 100.
    public let percent: UInt8?
    /// A code of reasons.md or troubles.md.
    public let code: String?

    public init(_ kind: Kind, percent: UInt8? = nil, code: String? = nil) {
        self.kind = kind
        self.percent = percent.map { min($0, 100) }
        self.code = code
    }
}

extension Sign.Kind {
    /// The words where no sheet has any; `tools/words/words.pot` has the same.
    public var english: String {
        switch self {
        case .starting: "Starting"
        case .scan: "Scan this code\nwith your wallet"
        case .hold: "Scan this code, or show\nyours to the camera"
        case .press: "Scan this code, or press\nthe button to show yours"
        case .foreign: "This code is not\nfor this gate"
        case .connected: "Connected"
        case .choose: "Choose and approve\non your phone"
        case .approve: "Approve\non your phone"
        case .receiving: "Receiving"
        case .checking: "One moment"
        case .look: "Look at\nthe camera"
        case .nobody: "Stand before\nthe camera"
        case .closer: "Come closer"
        case .light: "More light, please"
        case .shade: "Too much light\nbehind you"
        case .turn: "Face\nthe camera"
        case .upright: "Hold your\nhead straight"
        case .uncover: "Uncover your face"
        case .still: "Hold still"
        case .alone: "One person only"
        case .accepted: "Accepted"
        case .rejected: "Not accepted"
        case .failed: "Please try again"
        case .fault: "Out of order"
        case .closed: "Nobody can enter"
        case .unset: "Not set up yet"
        }
    }
}

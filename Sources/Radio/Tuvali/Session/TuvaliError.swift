/// What ends a session, under the names Tuvali documents (tuvali.md section 11) and those of the BLE Verifier SDK.
public enum TuvaliError: UInt8, Error, Hashable, Sendable {
    /// Any other failure.
    case unknown
    /// The wallet told its own failure by a report request of 02.
    case walletFailed
    /// The exchange itself went wrong: a response size that is cut off, or a key that agrees on nothing.
    case peripheralFailed
    /// The transfer went wrong: a report request before a size, a message that does not open.
    case transferFailed
    /// The ATT MTU is below 67.
    case mtuTooSmall
    /// The response size is 0, or more than a verifier takes.
    case responseSizeInvalid
    /// More than 70 % of the chunks were missing at a report request.
    case tooManyMissing
    /// The application stopped the transfer.
    case transferStopped
    /// The device name is empty or too long.
    case deviceNameLength

    /// The documented code.
    public var code: StaticString {
        switch self {
        case .unknown: "TUV_UNK_001"
        case .walletFailed: "TVW_UNK_003"
        case .peripheralFailed: "TVV_UNK_002"
        case .transferFailed: "TVV_UNK_003"
        case .mtuTooSmall: "TVV_CON_001"
        case .responseSizeInvalid: "TVV_TRA_001"
        case .tooManyMissing: "TVV_TRA_002"
        case .transferStopped: "OVP_001"
        case .deviceNameLength: "OVP_002"
        }
    }
}

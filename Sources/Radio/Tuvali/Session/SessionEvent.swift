/// What a session tells its application.
public enum SessionEvent: Hashable, Sendable {
    case connected
    /// Nonce and wallet key are there: agree on the keys, then call `secureChannelEstablished` or `fail`.
    case identified
    /// The whole message is in the buffer: open it, then call `decide` or `fail`.
    case received
    /// The session ended by this error; the wallet was asked to disconnect.
    case failed(TuvaliError)
    /// The wallet had its time to disconnect: force the link down.
    case disconnectNow
    /// The link is gone before Identify, for this reason: nothing of the key was used, and the same advertisement serves on.
    case advertiseAgain(SessionEnd)
    /// The link is gone after Identify, or the session's time is over: wipe and start anew.
    case ended(SessionEnd)
}

/// How a session ended.
public enum SessionEnd: UInt8, Hashable, Sendable {
    /// After the verdict.
    case complete
    /// The wallet left in the middle.
    case walletLeft
    /// Nobody identified in the life of the advertisement, or a deadline passed.
    case timedOut
    /// By an error told before.
    case failed
    /// By the application.
    case stopped
}

/// Written values that were ignored; what a chunk can suffer is counted by `ChunkAssembler.Outcome`.
public enum IgnoredWrite: UInt8, Hashable, Sendable {
    case shortIdentify, secondIdentify, secondResponseSize, unknownReportRequest, outOfTurn

    static var count: Int { 5 }
}

/// A session is begun while another one is under way; nothing was done.
public struct ActionRefused: Error, Hashable, Sendable {}

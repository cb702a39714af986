/// The states of the BLE Verifier SDK (tuvali.md section 14), so that an application written for it finds its way.
public enum SessionState: UInt8, Hashable, Sendable {
    case idle, advertising, connected, secureConnectionEstablished, requested, received, error, disconnected

    /// What an application may do.
    public enum Action: UInt8, Hashable, Sendable {
        case startAdvertisement, stopAdvertising, sendRequest, disconnect
    }

    public func allows(_ action: Action) -> Bool {
        switch (self, action) {
        case (.idle, .startAdvertisement), (.advertising, .stopAdvertising), (.secureConnectionEstablished, .sendRequest),
            (.connected, .disconnect), (.secureConnectionEstablished, .disconnect), (.requested, .disconnect):
            true
        default: false
        }
    }

    public var name: StaticString {
        switch self {
        case .idle: "Idle"
        case .advertising: "Advertising"
        case .connected: "Connected"
        case .secureConnectionEstablished: "SecureConnectionEstablished"
        case .requested: "Requested"
        case .received: "Received"
        case .error: "Error"
        case .disconnected: "Disconnected"
        }
    }
}

/// An action the session's state does not allow; nothing was done.
public struct ActionRefused: Error, Hashable, Sendable {
    public var action: SessionState.Action
    public var state: SessionState
}

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

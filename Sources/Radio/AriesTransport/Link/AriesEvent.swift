/// What a link tells its application, oldest first.
public enum AriesEvent: Hashable, Sendable {
    /// The wallet has subscribed: the invitation goes out, and the visit is this wallet's, whatever becomes of the link.
    case committed
    /// The wallet has confirmed all of the invitation; its holder is asked.
    case asked
    /// The first piece of the message is there: a slow link is to be made faster.
    case wantsSpeed
    /// The whole message is there: judge it, then call `answer` or `close`.
    case received
    /// The visit has failed by this. Where the wallet can be told, `answer` may still be called; otherwise the link is ended soon.
    case failed(AriesFault)
    /// The wallet had its time to disconnect, or is owed none: force the link down.
    case disconnectNow
    /// The link is gone before anybody subscribed, for this reason: the same invitation serves on.
    case released(AriesEnd)
    /// The link is gone for good, or the invitation's time is over: wipe and begin anew.
    case ended(AriesEnd)
}

/// Why a visit fails on the link.
public enum AriesFault: UInt8, Error, Hashable, Sendable {
    /// A deadline passed; `AriesLink.missed` says which.
    case timedOut
    /// The message is longer than a gate takes.
    case messageTooLarge
    /// The end of a message before its beginning, or a value of no octets.
    case messageMalformed

    init(_ fault: PieceFault) { self = fault == .messageTooLarge ? .messageTooLarge : .messageMalformed }

    /// The documented code (aries.md section 3).
    public var code: StaticString {
        switch self {
        case .timedOut: "timed-out"
        case .messageTooLarge: "message-too-large"
        case .messageMalformed: "message-malformed"
        }
    }
}

/// How a visit ended on the link.
public enum AriesEnd: UInt8, Hashable, Sendable {
    /// After the answer, or after a message that gets none.
    case complete
    /// The wallet left in the middle: `vanished`.
    case walletLeft
    /// A deadline passed, or nobody subscribed in the life of the invitation.
    case timedOut
    /// By a fault that was told before.
    case failed
    /// By the application.
    case stopped
}

/// Written values that nothing came of.
public enum AriesDrop: UInt8, Hashable, Sendable {
    /// A piece of a second message, or its marker: the visit has its message.
    case messageAfterAnswer
    /// Another marker right behind the message, which some wallets send.
    case repeatedMarker
    /// A write before the subscription; answered with Unlikely Error.
    case writeOutOfTurn
    /// A write after the visit failed.
    case writeAfterFault

    static var count: Int { 4 }

    /// The counter's name.
    public var name: StaticString {
        switch self {
        case .messageAfterAnswer: "message-after-answer"
        case .repeatedMarker: "repeated-marker"
        case .writeOutOfTurn: "write-out-of-turn"
        case .writeAfterFault: "write-after-fault"
        }
    }
}

/// Why a link does not begin. Nothing was done.
public enum AriesRefusal: UInt8, Error, Hashable, Sendable {
    /// Another visit is under way.
    case busy
    /// The invitation has no octets, or more than the memory lent for what is sent.
    case invitationLength
}

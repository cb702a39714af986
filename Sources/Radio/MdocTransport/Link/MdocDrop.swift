/// Why something was not looked at. None of these ends a visit.
public enum MdocDrop: UInt8, Hashable, Sendable {
    /// A value where there is no link of this visit.
    case withoutLink
    /// A value after the visit had ended.
    case afterEnd
    /// A value of GATT where a channel carries the messages, or the other way round.
    case wrongBearer
    /// A value that this bearer takes nothing by.
    case wrongCharacteristic
    /// State said start once more (mdoc.md section 2.1).
    case startTwice
    /// State said something else, in a session.
    case stateIgnored
    /// An answer to a step that was not asked.
    case answerUnasked
    /// A phone was found, or not reached, that nobody looked for.
    case foundUnasked
    /// A channel that nobody waits for.
    case channelUnasked
    /// A link that this visit did not want, or that there is not.
    case linkUnexpected
    /// Something was sent that was not offered.
    case sentUnasked

    /// How many there are; raw values run from 0.
    public static var count: Int { Int(MdocDrop.sentUnasked.rawValue) + 1 }

    /// The counter's name.
    public var name: StaticString {
        switch self {
        case .withoutLink: "withoutLink"
        case .afterEnd: "afterEnd"
        case .wrongBearer: "wrongBearer"
        case .wrongCharacteristic: "wrongCharacteristic"
        case .startTwice: "startTwice"
        case .stateIgnored: "stateIgnored"
        case .answerUnasked: "answerUnasked"
        case .foundUnasked: "foundUnasked"
        case .channelUnasked: "channelUnasked"
        case .linkUnexpected: "linkUnexpected"
        case .sentUnasked: "sentUnasked"
        }
    }
}

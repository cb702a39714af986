@testable import MdocTransport

/// What a phone may do wrong, or otherwise than most, by the names of the phone that whole visits are tested with.
enum Mischief: String, CaseIterable, Sendable {
    case none
    case drop_connected, drop_before_start, drop_on_request, drop_before_answer, drop_in_answer
    case never_start, never_subscribe, start_first, start_twice, wrong_state, empty_state, state_end_early, never_answer
    case bad_header, empty_fragment, short_fragments, tiny_fragments, no_last, endless, empty_last, write_request, junk_message
    case l2cap_huge, l2cap_split
    case no_service, no_characteristic, other_uuid, late_advertising, ident_unread

    /// What comes of it where the gate is the server; nil where no such phone does it.
    var asCentral: MdocLinkFailure?? {
        switch self {
        case .none, .start_first, .start_twice, .short_fragments, .tiny_fragments, .empty_last, .write_request, .junk_message,
            .ident_unread:
            .some(nil)
        case .drop_connected, .drop_before_start, .drop_on_request, .drop_before_answer, .drop_in_answer: .linkLost
        case .never_start: .noStart(.start)
        case .never_subscribe: .noStart(.subscribeData)
        case .wrong_state, .empty_state: .wrongState
        case .state_end_early: .phoneEnded
        case .never_answer: .noAnswer
        case .bad_header: .malformed(.header)
        case .empty_fragment: .malformed(.emptyValue)
        case .no_last: .tooSlow
        case .endless: .malformed(.messageTooLong)
        case .other_uuid: .noLink
        case .l2cap_huge, .l2cap_split, .no_service, .no_characteristic, .late_advertising: nil
        }
    }

    /// What comes of it where the gate is the client.
    var asPeripheral: MdocLinkFailure?? {
        switch self {
        case .late_advertising: .some(nil)
        case .no_service: .refused(.findService, 0x0A)
        case .no_characteristic: .refused(.findCharacteristics, 0x0A)
        case .drop_before_start, .never_start, .never_subscribe, .start_first, .start_twice, .wrong_state, .empty_state, .write_request,
            .ident_unread:
            nil
        default: asCentral
        }
    }

    /// What comes of it over a channel.
    var overChannel: MdocLinkFailure?? {
        switch self {
        case .none, .l2cap_split, .junk_message, .late_advertising: .some(nil)
        case .l2cap_huge: .malformed(.messageTooLong)
        case .drop_connected, .drop_on_request, .drop_before_answer, .drop_in_answer: .linkLost
        case .never_answer: .noAnswer
        case .state_end_early: .phoneEnded
        case .other_uuid: .noLink
        default: nil
        }
    }

    /// One thing that a phone does while it answers over GATT.
    enum Act {
        case value([UInt8])
        case start
        case drop
    }

    /// An answer as this phone gives it, on a link that takes values of `longest` octets.
    func acts(_ message: [UInt8], longest: Int) -> [Act] {
        let size =
            switch self {
            case .short_fragments: longest - 3
            case .tiny_fragments: 2
            default: longest
            }
        var values = fragments(self == .endless ? [UInt8](repeating: 0, count: 400_000) : message, longest: size)
        if self == .empty_last {
            values[values.count - 1][0] = 0x01
            values.append([0x00])
        }
        if self == .no_last || self == .endless { values[values.count - 1][0] = 0x01 }
        var acts: [Act] = []
        for (index, value) in values.enumerated() {
            let isMiddle = index == values.count / 2
            switch self {
            case .drop_in_answer where isMiddle: return acts + [.drop]
            case .bad_header where isMiddle: acts.append(.value([0x02] + value.dropFirst()))
            case .empty_fragment where isMiddle: acts.append(.value([]))
            case .start_twice where isMiddle: acts += [.start, .value(value)]
            default: acts.append(.value(value))
            }
        }
        return acts
    }
}

import Bluetooth

/// What has to happen on a link before messages may go (mdoc.md sections 2.1 and 2.3).
public enum MdocStep: UInt8, Hashable, Sendable {
    // What a GATT client asks, in this order.
    /// The first of all: wallets keep the size of their values from what the MTU is when State says start.
    case exchangeMTU
    case findService
    /// State, Client2Server and Server2Client; nothing else is looked for, and nothing is read.
    case findCharacteristics
    case findConfigurations
    case subscribeState
    case subscribeData
    /// State says start: written by whoever is the client.
    case start
    /// The channel is asked for.
    case openChannel

    /// What a client asks after this was answered; start is not asked but written.
    var next: MdocStep {
        switch self {
        case .exchangeMTU: .findService
        case .findService: .findCharacteristics
        case .findCharacteristics: .findConfigurations
        case .findConfigurations: .subscribeState
        case .subscribeState: .subscribeData
        case .subscribeData, .start, .openChannel: .start
        }
    }
}

/// What a phone's server answered to a step.
public enum MdocAnswer: Hashable, Sendable {
    case done
    /// The MTU of the link is agreed.
    case mtu(UInt16)
    /// The service, one of the three characteristics, or a configuration is not there.
    case notFound
    /// An Error Response with this code (Core Vol 3 Part F 3.4.1.1).
    case refused(UInt8)
    /// An answer that is none to what was asked.
    case malformed
    /// No answer.
    case timedOut
}

/// What becomes of a link after an answer.
enum StepOutcome: Hashable {
    case goOn
    case fail(MdocLinkFailure)
}

extension MdocStep {
    /// Attribute Not Found.
    private static var attributeNotFound: UInt8 { 0x0A }

    /// What an answer to this step means.
    func outcome(of answer: MdocAnswer) -> StepOutcome {
        switch (self, answer) {
        case (_, .malformed): .fail(.answerMalformed(self))
        case (_, .timedOut): .fail(.noStart(self))
        // Who knows no Exchange MTU has an MTU of 23, at which everything works.
        case (.exchangeMTU, _): .goOn
        // Some servers push without a configuration.
        case (.findConfigurations, .notFound), (.subscribeState, .notFound), (.subscribeData, .notFound): .goOn
        case (_, .notFound): .fail(.refused(self, Self.attributeNotFound))
        case (_, .refused(let code)): .fail(.refused(self, code))
        case (_, .done), (_, .mtu): .goOn
        }
    }
}

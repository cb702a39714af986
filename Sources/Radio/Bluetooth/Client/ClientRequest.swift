/// What is asked of a phone's attribute server, one thing at a time; a request may take several PDUs.
public enum ClientRequest: Hashable, Sendable {
    /// Exchange MTU: once a link, before anything else.
    case exchangeMTU
    /// The first service of this UUID.
    case findService(UUID)
    /// These characteristics of the service.
    case findCharacteristics(CharacteristicList)
    /// The configurations of those of them that are notified or indicated.
    case findConfigurations
    /// Subscribes to the characteristic of this index in the list: notifications where it has them, else indications.
    case subscribe(Int)
    /// Reads the value of the characteristic of this index, as much of it as fits one PDU; it goes to `HostApplication.answered`.
    case read(Int)
}

/// What became of a request.
public enum ClientOutcome: Hashable, Sendable {
    case done
    /// The MTU of the link.
    case mtu(UInt16)
    /// The service, one of the characteristics or one of the configurations is not there. What is there was noted.
    case notFound
    /// An Error Response.
    case refused(ATTError)
    /// The answer is none to what was asked, or would never end. The server is asked nothing more on this link.
    case malformed
    /// No answer in 30 s: the link is ended (Core Vol 3 Part F 3.3.3).
    case timedOut
}

/// Whether a request was sent.
public enum AskResult: Hashable, Sendable {
    /// `HostEvent.answered` follows.
    case asked
    /// The request before is not answered.
    case busy
    /// No link on which the host is the central, or one that ends, or a server that is asked nothing more.
    case notConnected
    /// What has to be known for it was not found: service, characteristic or configuration.
    case unknown
}

/// What became of a value handed over for writing.
public enum WriteResult: Hashable, Sendable {
    case taken
    /// Something handed over before has not left yet: try again.
    case busy
    case notConnected
    /// The characteristic was not found.
    case unknown
    /// Longer than the MTU less 3, or than 512 octets: never cut.
    case tooLong
}

/// The UUIDs of up to four characteristics; elsewhere each is named by its index.
public struct CharacteristicList: Hashable, Sendable {
    private let first: UUID
    private let second: UUID?
    private let third: UUID?
    private let fourth: UUID?

    /// The most that a list has.
    public static var capacity: Int { 4 }

    public init(_ first: UUID, _ second: UUID? = nil, _ third: UUID? = nil, _ fourth: UUID? = nil) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    /// The UUID at `index`, or nil.
    public subscript(_ index: Int) -> UUID? {
        switch index {
        case 0: first
        case 1: second
        case 2: third
        case 3: fourth
        default: nil
        }
    }
}

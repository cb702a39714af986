/// The application behind a host: the values of its attribute table and, where it connects to phones, what they say. Everything is taken at
/// once; nothing may wait. Whoever only serves a table needs no more than that.
public protocol HostApplication: AttributeApplication, ~Copyable {
    /// A phone notified or indicated the value of a characteristic, by its index in the `CharacteristicList`; the host confirms.
    mutating func notified(_ index: Int, _ value: borrowing Span<UInt8>)

    /// The value that was asked for by `ClientRequest.read`.
    mutating func answered(_ index: Int, _ value: borrowing Span<UInt8>)

    /// Octets came out of the channel, in order; where one piece ends means nothing.
    mutating func channelReceived(_ octets: borrowing Span<UInt8>)

    /// How many octets of the channel it still takes: the phone is given credits for no more.
    var channelRoom: Int { mutating get }
}

extension HostApplication where Self: ~Copyable {
    public mutating func notified(_ index: Int, _ value: borrowing Span<UInt8>) {}
    public mutating func answered(_ index: Int, _ value: borrowing Span<UInt8>) {}
    public mutating func channelReceived(_ octets: borrowing Span<UInt8>) {}
    public var channelRoom: Int { mutating get { 0 } }
}

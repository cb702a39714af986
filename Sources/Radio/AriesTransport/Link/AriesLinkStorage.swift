/// The memory of a link, apart from the buffers of its messages. The shell makes one where it will stay and lends it to an `AriesLink` for
/// as long as that lives.
public struct AriesLinkStorage: ~Copyable {
    var core = LinkCore(
        incoming: UnsafeMutableRawBufferPointer(start: nil, count: 0), outgoing: UnsafeMutableRawBufferPointer(start: nil, count: 0),
        timing: AriesTiming())

    public init() {}
}

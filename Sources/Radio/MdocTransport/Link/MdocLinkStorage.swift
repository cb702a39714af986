/// The memory of a link, apart from the two buffers its messages go through. The shell makes one where it will stay and lends it to an
/// `MdocLink` for as long as that lives.
public struct MdocLinkStorage: ~Copyable {
    var core = LinkCore(
        service: MdocService(), incoming: UnsafeMutableRawBufferPointer(start: nil, count: 0),
        outgoing: UnsafeMutableRawBufferPointer(start: nil, count: 0), timing: MdocTiming())

    public init() {}
}

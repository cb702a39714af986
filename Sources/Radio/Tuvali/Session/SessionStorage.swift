/// The memory of a session, apart from the buffer its chunks go into. The shell makes one where it will stay and lends it to a `Session`
/// for as long as that lives.
public struct SessionStorage: ~Copyable {
    var core = SessionCore(service: Service(), buffer: UnsafeMutableRawBufferPointer(start: nil, count: 0), timing: SessionTiming())

    public init() {}
}

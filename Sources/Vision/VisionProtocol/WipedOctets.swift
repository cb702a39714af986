/// A fixed number of octets at one address, overwritten with zeros when the value ends: pictures of people.
public struct WipedOctets: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer

    /// `count` zeros.
    public init(count: Int) {
        memory = .allocate(byteCount: max(0, count), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        WipedOctets.wipe(memory)
        memory.deallocate()
    }

    public var count: Int { memory.count }

    public mutating func wipe() {
        WipedOctets.wipe(memory)
    }

    /// Lends the octets for the duration of `body`.
    public borrowing func withOctets<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(memory))
    }

    public mutating func withMutableOctets<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(memory)
    }

    /// Not inlined: the stores come right before the memory is freed and must not be optimised away.
    @inline(never)
    private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }
}

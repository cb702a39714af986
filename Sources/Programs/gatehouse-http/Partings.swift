import Glibc
import Linux

/// Connections that were answered, and are only read to their end for a moment: closed while octets wait to be read, the answer would be
/// lost with them (RFC 9112 section 9.6). The oldest makes room.
struct Partings {
    private struct Parting {
        var descriptor: Int32 = -1
        var deadline: UInt64 = .max
    }

    static let count = 16

    private var partings = [Parting](repeating: Parting(), count: Partings.count)

    var deadline: UInt64 { partings.reduce(.max) { min($0, $1.deadline) } }

    /// - Returns: which it is.
    mutating func add(_ descriptor: Int32, until deadline: UInt64) -> Int {
        let free = partings.firstIndex { $0.descriptor < 0 }
        let index = free ?? partings.indices.min { partings[$0].deadline < partings[$1].deadline } ?? 0
        close(index)
        partings[index] = Parting(descriptor: descriptor, deadline: deadline)
        return index
    }

    /// Throws away what came; closes at the end.
    mutating func serve(_ index: Int, _ scratch: UnsafeMutableRawBufferPointer) {
        guard partings.indices.contains(index), partings[index].descriptor >= 0 else { return }
        let count = Channel.read(into: scratch, from: partings[index].descriptor)
        if count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)) { return }
        close(index)
    }

    mutating func passTime(_ now: UInt64) {
        for index in partings.indices where now >= partings[index].deadline { close(index) }
    }

    private mutating func close(_ index: Int) {
        if partings[index].descriptor >= 0 { Glibc.close(partings[index].descriptor) }
        partings[index] = Parting()
    }
}

import CFacePlugin
import Glibc

/// Memory a plug-in writes a template into, between pages nobody may touch: a few octets too many are found by a pattern behind it, many
/// more by the processor.
final class TemplateBuffer {
    let capacity: Int
    private(set) var count = 0
    private let mapping: UnsafeMutableRawPointer
    private let size: Int
    private let start: UnsafeMutablePointer<UInt8>

    private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    private static let pattern: [UInt8] = (0..<64).map { 0xA5 ^ UInt8($0) &* 37 }

    init?(capacity: Int) {
        let used = capacity + Self.pattern.count
        let pages = (used + Self.page - 1) / Self.page + 2
        size = pages * Self.page
        guard let mapping = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), mapping != MAP_FAILED else {
            return nil
        }
        self.mapping = mapping
        self.capacity = capacity
        // As far back as it goes, on a multiple of 64: plug-ins put floats there.
        start = (mapping + (size - Self.page - used) / 64 * 64).assumingMemoryBound(to: UInt8.self)
        guard mprotect(mapping, Self.page, PROT_NONE) == 0, mprotect(mapping + (size - Self.page), Self.page, PROT_NONE) == 0 else {
            return nil
        }
        for (index, octet) in Self.pattern.enumerated() { start[capacity + index] = octet }
    }

    deinit {
        munmap(mapping, size)
    }

    var isEmpty: Bool { count == 0 }
    var octets: fmp_bytes { fmp_bytes(data: start, len: count) }

    /// Lets a plug-in write. Keeps what it says it wrote, if that is something and fits; otherwise the buffer is empty.
    ///
    /// - Returns: the plug-in's status, or nil where it wrote behind the end.
    func fill(_ body: (UnsafeMutablePointer<fmp_buffer>) -> fmp_status) -> fmp_status? {
        wipe()
        var buffer = fmp_buffer(data: start, cap: capacity, len: 0)
        let status = body(&buffer)
        for (index, octet) in Self.pattern.enumerated() where start[capacity + index] != octet { return nil }
        if status == 0, buffer.len > 0, buffer.len <= capacity { count = buffer.len }
        return status
    }

    func wipe() {
        explicit_bzero(start, capacity)
        count = 0
    }
}

import BoardTestSupport
import Glibc
import Testing

@testable import Audit

/// A block of lines of sixteen octets, so many that cannot be read, and one more: a process's own memory is refused with EIO, as a disk's
/// is, where it is mapped beyond the end of its file.
private final class WornMemory {
    static let block = 4096
    let descriptor: Int32
    let memory: UnsafeMutableRawPointer
    let octets: Int
    var begin: Int64 { Int64(UInt(bitPattern: memory)) }

    init(unreadable count: Int) throws {
        let stage = Stage()
        octets = (count + 2) * Self.block
        memory = try #require(mmap(nil, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        let all = memory.assumingMemoryBound(to: UInt8.self)
        for index in 0..<octets { all[index] = index % 16 == 15 ? 0x0A : 0x78 }
        try stage.put([], "empty")
        let empty = open(stage.path("empty"), O_RDONLY | O_CLOEXEC), hole = memory + Self.block
        #expect(mmap(hole, count * Self.block, PROT_READ, MAP_SHARED | MAP_FIXED, empty, 0) == hole)
        close(empty)
        descriptor = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        close(descriptor)
        munmap(memory, octets)
    }
}

@Test func whatCannotBeReadIsNamedOrComeBy() throws {
    let worn = try WornMemory(unreadable: 1)
    var strict = AuditReader(descriptor: worn.descriptor, from: worn.begin)
    for _ in 0..<256 { #expect(try strict.next() != nil) }
    #expect(throws: AuditError.system(errno: EIO)) { _ = try strict.next() }
    var reader = AuditReader(descriptor: worn.descriptor, from: worn.begin, passesDamage: true)
    var lines: [AuditReader.Line] = []
    for _ in 0..<512 { lines.append(try #require(try reader.next())) }
    // Behind the block the rest of a line, which is no record.
    #expect(lines.filter { $0 == .tooLong(4096 + 15) }.count == 1 && lines[256] == .tooLong(4096 + 15))
    for case .whole(let range) in lines { #expect(range.count == 15) }
    #expect(reader.end == worn.begin + Int64(worn.octets))
}

@Test func aDiskThatRefusesEverythingIsGivenUp() throws {
    let worn = try WornMemory(unreadable: 40)
    var reader = AuditReader(descriptor: worn.descriptor, from: worn.begin, passesDamage: true)
    for _ in 0..<256 { #expect(try reader.next() != nil) }
    #expect(try reader.next() == .torn(16 * 4096))
    #expect(try reader.next() == nil)
}

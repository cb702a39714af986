import BoardTestSupport
import Glibc
import Testing

@testable import Linux

@Suite("Files that are exchanged for others while somebody reads them")
struct FileExchangeTests {
    @Test("a reader finds the one before or the one after, whole, a thousand times")
    func whole() async throws {
        let stage = Stage(), path = stage.path("numbers.prom"), rewrites = 1000
        func content(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(0x30 + number % 10), count: 1000 + number % 10 * 1000) }
        try File.exchange(path, for: content(0))
        let reader = Task.detached {
            var looks = 0, torn = 0, last: UInt8 = 0
            while last != UInt8(ascii: "!") {
                guard let octets = try? File.read(path, most: 100_000), let first = octets.first else { return (looks, -1) }
                if first != UInt8(ascii: "!"), octets.count != 1000 + Int(first - 0x30) * 1000 || octets.contains(where: { $0 != first }) {
                    torn += 1
                }
                (looks, last) = (looks + 1, first)
            }
            return (looks, torn)
        }
        for number in 0..<rewrites { try File.exchange(path, for: content(number)) }
        try File.exchange(path, for: [UInt8(ascii: "!")])
        let (looks, torn) = await reader.value
        #expect(looks > 0 && torn == 0)
        #expect(access(stage.path(".numbers.prom.new"), F_OK) != 0)
    }

    @Test("what a kill left, a link too, is in nobody's way; a folder that is not there is said")
    func leftovers() throws {
        let stage = Stage(), other = stage.path("other")
        try stage.put([1], "other")
        #expect(symlink(other, stage.path(".a.new")) == 0)
        try File.exchange(stage.path("a"), for: [2])
        #expect(try File.read(stage.path("a"), most: 10) == [2] && File.read(other, most: 10) == [1])
        #expect(throws: SystemError.notFound) { try File.exchange(stage.path("nowhere/a"), for: [1]) }
        #expect(throws: SystemError.self) { try File.exchange("a", for: [1]) }
    }
}

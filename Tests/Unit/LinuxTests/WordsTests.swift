import BoardTestSupport
import Foundation
import Testing

@testable import Linux

/// A pipe nobody reads yet.
private final class Reader {
    let words: Words
    private let ends: (Int32, Int32)

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        self.ends = (ends[0], ends[1])
        words = Words(descriptor: ends[1])
    }

    deinit {
        close(ends.0)
        close(ends.1)
    }

    func read() -> String { String(decoding: drain(ends.0), as: UTF8.self) }
}

@Test func wordsThatAreReadGoAtOnce() throws {
    let reader = try Reader()
    reader.words.write("one\n")
    reader.words.write("two\n")
    #expect(!reader.words.areWaiting)
    #expect(reader.read() == "one\ntwo\n")
}

@Test func aReaderThatStoppedStopsNobodyAndMissesWholeLinesThatAreCounted() throws {
    let reader = try Reader()
    let line = String(repeating: "x", count: 999) + "\n"
    for _ in 0..<1000 { reader.words.write(line) }
    #expect(reader.words.areWaiting)
    var text = ""
    // Bounded by what a pipe and the queue hold.
    for _ in 0..<20 where reader.words.areWaiting {
        text += reader.read()
        reader.words.flush()
    }
    text += reader.read()
    let lines = text.split(separator: "\n")
    let whole = lines.filter { $0 + "\n" == line }.count
    #expect(lines.count == whole + 1 && lines.last == "gatehouse: \(1000 - whole) lines are missing here: nobody read them in time")
    #expect(whole * 1000 >= Words.capacity)
    reader.words.write("again\n")
    #expect(reader.read() == "again\n")
}

@Test func whatTookThePlaceOfEarlierWordsIsReadAloneAfterTheOneThatHadBegun() throws {
    let reader = try Reader()
    reader.words.write(String(repeating: "a", count: 100_000) + "\n")
    reader.words.write("stale\n")
    reader.words.forget()
    reader.words.write("new\n")
    var text = ""
    for _ in 0..<20 {
        text += reader.read()
        reader.words.flush()
    }
    let isWhole = text == String(repeating: "a", count: 100_000) + "\nnew\n"
    #expect(isWhole, "\(text.utf8.count) octets, ending in \(text.suffix(10))")
}

@Test func aReaderThatIsGoneIsNoTrouble() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let words = Words(descriptor: ends[1])
    words.write("heard\n")
    #expect(String(decoding: drain(ends[0]), as: UTF8.self) == "heard\n")
    for _ in 0..<100 { words.write(String(repeating: "x", count: 10_000)) }
    #expect(words.areWaiting)
    close(ends[0])
    words.write("unheard\n")
    words.flush()
    #expect(!words.areWaiting)
    words.finish(patience: 1000)
    close(ends[1])
}

import TestSupport
import Testing

@testable import VisionProtocol

/// Octets of a frame's skeleton: what a splitter looks at, and nothing a decoder would take.
private enum Skeleton {
    static let start: [UInt8] = [0xFF, 0xD8], end: [UInt8] = [0xFF, 0xD9]

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }

    static func scan(_ data: [UInt8]) -> [UInt8] { segment(0xDA, [1, 1, 0, 0, 63, 0]) + data }

    static func frame(_ data: [UInt8] = [1, 2, 0xFF, 0, 3], before: [UInt8] = segment(0xDB, [0, 1, 2])) -> [UInt8] {
        start + before + scan(data) + end
    }
}

private struct Taken: Equatable {
    var frames: [[UInt8]] = []
    var drops = MJPEGSplitter.Drops()
}

/// Feeds the stream in pieces and takes each frame as it is whole.
private func split(_ stream: [UInt8], piece: Int = .max, limit: Int = 1 << 16) -> Taken {
    var splitter = MJPEGSplitter(limit: limit)
    var taken = Taken()
    feed(stream, piece, to: &splitter) { taken.frames.append($0) }
    taken.drops = splitter.drops
    return taken
}

private func feed(_ stream: [UInt8], _ piece: Int, to splitter: inout MJPEGSplitter, _ frame: ([UInt8]) -> Void) {
    stream.withUnsafeBytes { stream in
        var begin = 0
        while begin < stream.count {
            var rest = UnsafeRawBufferPointer(rebasing: stream[begin..<min(stream.count - begin, piece) + begin])
            begin += rest.count
            while !rest.isEmpty {
                let count = splitter.feed(rest)
                #expect(count > 0 && count <= rest.count)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                _ = splitter.takeFrame { frame(Array($0)) }
            }
        }
    }
}

private func drops(_ change: (inout MJPEGSplitter.Drops) -> Void) -> MJPEGSplitter.Drops {
    var drops = MJPEGSplitter.Drops()
    change(&drops)
    return drops
}

@Suite("MJPEG")
struct MJPEGSplitterTests {
    /// Frames of all shapes.
    private let frames: [[UInt8]] = [
        Skeleton.frame(),
        // The end marker inside of a segment, and a whole thumbnail.
        Skeleton.frame(before: Skeleton.segment(0xE1, Skeleton.frame() + [0xFF, 0xD9, 0xFF, 0xD8])),
        // Restart markers, stuffed octets, fill octets before markers and in the data.
        Skeleton.frame([0xFF, 0xD0, 5, 0xFF, 0xFF, 0xFF, 0xD7, 0xFF, 0, 0xFF, 0xFF]),
        Skeleton.frame(before: [0xFF, 0xFF] + Skeleton.segment(0xE0, [])),
        // Several scans with tables between.
        Skeleton.frame(before: Skeleton.scan([9, 9]) + Skeleton.segment(0xC4, [0xFF, 0xD9]) + Skeleton.scan([])),
        Skeleton.frame([], before: []),
    ]

    @Test("frames come out as they went in, in pieces of any length")
    func whole() {
        let stream = Array(frames.joined())
        for piece in [1, 2, 3, 5, 7, 64, .max] {
            let taken = split(stream, piece: piece)
            #expect(taken.frames == frames)
            #expect(taken.drops == MJPEGSplitter.Drops())
        }
    }

    @Test("what lies between frames is skipped and counted")
    func stray() {
        let between = Array("--boundary\r\nContent-Length: 5\r\n\r\n".utf8) + [0xFF, 0xFF, 0xD8, 0, 0xFF, 0xD9, 0xFF, 0]
        let stream = between + frames[0] + [0, 0, 0, 0] + frames[1] + between
        for piece in [1, 3, .max] {
            let taken = split(stream, piece: piece)
            #expect(taken.frames == [frames[0], frames[1]])
            #expect(taken.drops == drops { $0.strayOctets = UInt64(2 * between.count + 4) })
        }
    }

    @Test("a frame cut anywhere costs at most what a length can span; the next is found")
    func cut() {
        // The next frame's first octets may be taken for a length, and what that length leaves of it for another.
        let quiet = [UInt8](repeating: 0, count: 140_000)
        for frame in frames {
            for count in 1..<frame.count {
                let taken = split(Array(frame.prefix(count)) + frames[0] + quiet + frames[2])
                #expect(taken.frames.last == frames[2], "cut at \(count)")
            }
        }
    }

    @Test("a frame cut in its data, or between segments, costs no other")
    func cutInData() {
        let frame = Skeleton.frame([1, 2, 3, 4, 5, 6])
        for count in (frame.count - 8)..<frame.count {
            let taken = split(Array(frame.prefix(count)) + frames[1])
            #expect(taken.frames == [frames[1]], "cut at \(count)")
            #expect(taken.drops == drops { $0.truncated = 1 })
        }
        #expect(split(Skeleton.start + Skeleton.segment(0xDB, [1]) + frames[0]).frames == [frames[0]])
        #expect(split(Skeleton.start + frames[0]).frames == [frames[0]])
    }

    @Test("what is no frame is named")
    func named() {
        let good = frames[0]
        let bad: [([UInt8], WritableKeyPath<MJPEGSplitter.Drops, UInt64> & Sendable)] = [
            // An octet where a marker must be, a length that cannot be, markers that are none, a restart without a scan.
            (Skeleton.start + Skeleton.segment(0xDB, [1]) + [7], \.brokenMarker),
            (Skeleton.start + [0xFF, 0xE0, 0, 1], \.brokenMarker),
            (Skeleton.start + [0xFF, 0xE0, 0, 0], \.brokenMarker),
            (Skeleton.start + [0xFF, 0x00], \.brokenMarker),
            (Skeleton.start + [0xFF, 0x01], \.brokenMarker),
            (Skeleton.start + [0xFF, 0xD0], \.brokenMarker),
            (Skeleton.start + Skeleton.scan([1, 2]) + [0xFF, 0x01], \.brokenMarker),
            (Skeleton.start + Skeleton.segment(0xDB, [1]) + Skeleton.end, \.empty),
            (Skeleton.start + Skeleton.end, \.empty),
        ]
        for (octets, counter) in bad {
            let taken = split(octets + good)
            #expect(taken.frames == [good])
            #expect(taken.drops == drops { $0[keyPath: counter] = 1 }, "\(octets)")
        }
    }

    @Test("the longest frame is taken, one octet more is too long, and the next frame is found")
    func tooLong() {
        for (fill, scanFill) in [(10_000, 0), (0, 10_000)] {
            let frame = Skeleton.frame(
                [UInt8](repeating: 5, count: scanFill), before: Skeleton.segment(0xE2, [UInt8](repeating: 6, count: fill)))
            for piece in [1, 1000, .max] {
                #expect(split(frame + frames[0], piece: piece, limit: frame.count).frames == [frame, frames[0]])
                for less in [1, 2, 3, 100] {
                    let taken = split(frame + frames[0], piece: piece, limit: frame.count - less)
                    #expect(taken.frames == [frames[0]])
                    #expect(taken.drops.tooLong == 1)
                }
            }
        }
    }

    @Test("the newest whole frame is kept, and one that nobody took is counted")
    func newest() {
        var splitter = MJPEGSplitter(limit: 1000)
        let stream = frames[0] + frames[1] + Array(frames[2].prefix(9))
        stream.withUnsafeBytes { stream in
            var rest = stream
            while !rest.isEmpty { rest = UnsafeRawBufferPointer(rebasing: rest[splitter.feed(rest)...]) }
        }
        let counted = splitter.drops
        #expect(counted == drops { $0.superseded = 1 })
        var frame: [UInt8] = []
        let wasThere = splitter.takeFrame { frame = Array($0) }
        #expect(wasThere && frame == frames[1])
        let isThere = splitter.takeFrame { _ in Issue.record("taken twice") }
        #expect(!isThere)
        // The one being received is whole with its rest.
        feed(Array(frames[2].dropFirst(9)), .max, to: &splitter) { frame = $0 }
        #expect(frame == frames[2])
    }

    @Test("after a reset nothing of the stream before is there")
    func reset() {
        var splitter = MJPEGSplitter(limit: 1000)
        // One whole frame, which stays, and the beginning of another.
        for octets in [frames[0], Array(frames[2].prefix(20))] { _ = octets.withUnsafeBytes { splitter.feed($0) } }
        let wasThere = splitter.hasFrame
        splitter.reset()
        #expect(wasThere)
        let isThere = splitter.hasFrame
        #expect(!isThere)
        var taken: [[UInt8]] = []
        feed(frames[2].dropFirst(20) + frames[1], .max, to: &splitter) { taken.append($0) }
        #expect(taken == [frames[1]])
    }

    @Test("octets nobody meant are survived, and a frame behind them is found", arguments: 0..<20)
    func noise(seed: UInt64) {
        var scatter = SeededRandom(seed: seed)
        // Markers are likelier than chance would have them.
        let noise = (0..<3000).map { _ in
            scatter.next() % 3 == 0 ? 0xFF : [0xD8, 0xD9, 0xDA, 0xE0, 0, 0xFF, 1, 200][Int(scatter.next() % 8)] as UInt8
        }
        // A length in the noise may claim the next 65535 octets, and what it cuts may claim as many again.
        let quiet = [UInt8](repeating: 0, count: 140_000)
        let stream = noise + quiet + frames[0] + quiet + frames[1]
        let taken = split(stream, piece: 1 + Int(scatter.next() % 100))
        #expect(taken.frames.last == frames[1])
        #expect(taken == split(stream))
        #expect(taken.frames.allSatisfy { $0.starts(with: Skeleton.start + [0xFF]) && $0.suffix(2) == Skeleton.end })
    }
}

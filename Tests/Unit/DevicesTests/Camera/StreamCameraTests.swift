import BoardTestSupport
import Foundation
import Linux
import Testing

@testable import Devices

/// A live camera's first pictures, which nobody gets.
private let warmUp = (0..<UInt8(FrameLimits.warmUp)).flatMap { jpeg(100 + $0) }

private func started(_ pipe: TestPipe) throws -> StreamCamera {
    let camera = StreamCamera(.pipe(pipe.reading))
    try camera.start()
    pipe.write(warmUp)
    #expect(try take(camera) == nil)
    return camera
}

@Test("the newest whole picture of a stream wins, however the octets are cut")
func newestOfAStream() throws {
    let pipe = TestPipe()
    let camera = try started(pipe)
    #expect(camera.dropped.warmUp == 4)
    for octet in jpeg(1).dropLast() {
        pipe.write([octet])
        #expect(try take(camera) == nil)
    }
    pipe.write([0xD9])
    let first = try #require(try take(camera))
    #expect(first.octets == jpeg(1))
    #expect(first.header.sequence == 4 && first.header.format == .jpeg && first.header.stride == 0)
    #expect(try take(camera) == nil)
    pipe.write(jpeg(2) + jpeg(3) + jpeg(4) + jpeg(5).dropLast(4))
    let second = try #require(try take(camera))
    #expect(second.octets == jpeg(4))
    #expect(second.header.sequence == 7)
    #expect(camera.dropped.outdated == 2)
    pipe.write(Array(jpeg(5).suffix(4)))
    #expect(try take(camera)?.octets == jpeg(5))
    camera.stop()
    #expect(camera.descriptor == -1)
    #expect(throws: CameraError.off) { try take(camera) }
}

@Test("a stream that stalls gives nothing, and that is no error")
func stalledStream() throws {
    let pipe = TestPipe()
    let camera = try started(pipe)
    pipe.write(Array(jpeg(1).dropLast(3)))
    for _ in 0..<100 { #expect(try take(camera) == nil) }
    pipe.write(Array(jpeg(1).suffix(3)))
    #expect(try take(camera)?.octets == jpeg(1))
}

@Test("a stream that ends in the middle of a picture ends, after what was whole")
func endedStream() throws {
    let pipe = TestPipe()
    let camera = try started(pipe)
    pipe.write(jpeg(1) + jpeg(2).dropLast(3))
    pipe.end()
    #expect(try take(camera)?.octets == jpeg(1))
    #expect(throws: CameraError.ended) { try take(camera) }
    #expect(camera.descriptor == -1)
    #expect(throws: CameraError.ended) { try camera.start() }
    #expect(camera.descriptor == -1)
}

@Test("a stream that ended or is switched off is quiet in the loop that watched it, though its pipe is still there")
func quietWhenOff() throws {
    let pipe = TestPipe()
    let camera = try started(pipe)
    let loop = try EventLoop()
    try loop.add(camera.descriptor, for: .readable, token: 1)
    pipe.write(jpeg(1))
    #expect(try loop.wait(until: nil) == 1)
    camera.stop()
    #expect(try loop.wait(until: 0) == 0)
    try camera.start()
    try loop.add(camera.descriptor, for: .readable, token: 2)
    #expect(try loop.wait(until: 0) == 0)
    pipe.end()
    #expect(try loop.wait(until: nil) == 1)
    #expect(throws: CameraError.ended) { try take(camera) }
    #expect(try loop.wait(until: 0) == 0)
    #expect(fcntl(pipe.reading, F_GETFD) >= 0)
}

@Test("garbage, cut pictures and endless ones are passed over")
func garbageInAStream() throws {
    let pipe = TestPipe()
    let camera = try started(pipe)
    pipe.write([0, 1, 2, 0xFF, 0xFF, 0xD8, 0x00] + jpeg(1).dropLast(5) + jpeg(2))
    #expect(try take(camera)?.octets == jpeg(2))
    // One that is more than 1 MiB long, then a good one.
    var rest = jpeg(3, scan: FrameLimits.encoded)[...]
    while !rest.isEmpty {
        let count = pipe.write(Array(rest.prefix(4096)))
        if count > 0 { rest = rest.dropFirst(count) }
        #expect(try take(camera) == nil)
    }
    pipe.write(jpeg(4))
    #expect(try take(camera)?.octets == jpeg(4))
    #expect(camera.dropped.tooLarge == 1)
    #expect(camera.dropped.malformed >= 1)
}

@Test("a stream that floods is read in turns, and its newest picture is to be had")
func floodingStream() throws {
    let pipe = TestPipe()
    let camera = try started(pipe)
    var number: UInt8 = 0
    for _ in 0..<50 {
        var last: UInt8?
        var rest: [UInt8] = []
        // Until the pipe is full, with a picture cut at its end.
        while true {
            let count = pipe.write(rest.isEmpty ? jpeg(number, scan: 3000) : rest)
            guard count > 0 else { break }
            if count == (rest.isEmpty ? jpeg(number, scan: 3000).count : rest.count) {
                last = number
                number = (number + 1) & 0x3F
                rest = []
            } else {
                rest = Array((rest.isEmpty ? jpeg(number, scan: 3000) : rest).dropFirst(count))
            }
        }
        let frame = try #require(try take(camera))
        #expect(frame.octets == jpeg(try #require(last), scan: 3000))
        if !rest.isEmpty {
            pipe.write(rest)
            #expect(try take(camera)?.octets == jpeg(number, scan: 3000))
            number = (number + 1) & 0x3F
        }
    }
}

@Test("what was in the pipe before the camera was switched on is nobody's")
func staleOctets() throws {
    let pipe = TestPipe()
    let camera = try started(pipe)
    pipe.write(jpeg(1) + jpeg(2).dropLast(4))
    camera.stop()
    try camera.start()
    // The rest of the picture that was being taken, and the new ones.
    pipe.write(jpeg(2).suffix(4) + warmUp + jpeg(3))
    #expect(try take(camera)?.octets == jpeg(3))
    #expect(camera.dropped.warmUp == 8 && camera.dropped.outdated == 0)
}

@Test("what is no pipe cannot be waited for, and is refused")
func noPipe() throws {
    let stage = Stage()
    stage.write(jpeg(1), to: "one.jpg")
    for path in [stage.path("one.jpg"), "/dev/null", stage.folder] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        #expect(throws: CameraError.notPipe) { try StreamCamera(.pipe(descriptor)).start() }
    }
    #expect(throws: CameraError.system(.open, errno: EBADF)) { try StreamCamera(.pipe(-1)).start() }
}

// MARK: cmd:

/// Starts programs as the gate's supervisor does.
private final class Starter: CommandStarter {
    struct Refused: Error {}
    let script: String
    private(set) var starts = 0
    private(set) var stops = 0
    private var child: pid_t = 0

    init(_ script: String) {
        self.script = script
    }

    func startCommand() throws -> Int32 {
        stopCommand()
        let pipe = TestPipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe.writing, 1)
        // The descriptor of the program is the test's own: one that may wait.
        _ = fcntl(pipe.writing, F_SETFL, 0)
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup(script), nil]
        defer { for word in words { free(word) } }
        guard posix_spawn(&child, "/bin/sh", &actions, nil, words, environ) == 0 else { throw Refused() }
        starts += 1
        return pipe.handOver()
    }

    func stopCommand() {
        guard child > 0 else { return }
        stops += 1
        kill(child, SIGKILL)
        waitpid(child, nil, 0)
        child = 0
    }
}

@Test("a program's pictures come through until it ends, and it is started again with the camera")
func programs() throws {
    let stage = Stage()
    stage.write(warmUp + jpeg(1), to: "film")
    let starter = Starter("exec cat \(stage.path("film"))")
    let camera = StreamCamera(.command(starter))
    for round in 1...2 {
        try camera.start()
        #expect(starter.starts == round)
        #expect(try take(1, of: camera).map(\.octets) == [jpeg(1)])
        #expect(error(of: camera) == .ended)
        #expect(camera.descriptor == -1)
        #expect(starter.stops == round)
    }
    camera.stop()
    #expect(starter.stops == 2)
}

@Test("a program that never ends is ended with the camera, and what it wrote is nobody's")
func endlessProgram() throws {
    let stage = Stage()
    stage.write(jpeg(1, scan: 5000), to: "one.jpg")
    let starter = Starter("while :; do cat \(stage.path("one.jpg")); done")
    let camera = StreamCamera(.command(starter))
    try camera.start()
    #expect(try take(5, of: camera).map(\.octets) == [[UInt8]](repeating: jpeg(1, scan: 5000), count: 5))
    camera.stop()
    #expect(starter.stops == 1)
}

@Test("a program that cannot be started is an error of its own")
func noProgram() {
    final class Refusing: CommandStarter {
        func startCommand() throws -> Int32 { throw CameraError.notFound }
        func stopCommand() {}
    }
    #expect(throws: CameraError.noCommand) { try StreamCamera(.command(Refusing())).start() }
    #expect(throws: CameraError.noCommand) { try StreamCamera(.command(nil)).start() }
}

import BoardTestSupport
import Foundation
import Testing

@testable import Linux

@Test func theLoopReportsWhatItWatches() throws {
    let loop = try EventLoop(capacity: 2)
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    try loop.add(ends[0], for: .readable, token: 7)
    #expect(throws: EventLoopError(errno: EEXIST)) { try loop.add(ends[0], for: .readable, token: 8) }
    #expect(try loop.wait(until: 0) == 0)
    _ = write(ends[1], "x", 1)
    #expect(try loop.wait(until: nil) == 1)
    #expect(loop.readiness(at: 0)?.token == 7)
    #expect(loop.readiness(at: 0)?.isReadable == true)
    #expect(loop.readiness(at: 0)?.isWritable == false)
    #expect(loop.readiness(at: 1) == nil && loop.readiness(at: -1) == nil)
    try loop.modify(ends[0], for: [.readable, .writable], token: 9)
    #expect(try loop.wait(until: nil) == 1)
    #expect(loop.readiness(at: 0)?.token == 9)
    #expect(loop.readiness(at: 0)?.isWritable == true)
    close(ends[1])
    #expect(try loop.wait(until: nil) == 1)
    #expect(loop.readiness(at: 0)?.isBroken == true)
    loop.remove(ends[0])
    #expect(try loop.wait(until: 0) == 0)
    close(ends[0])
    loop.remove(ends[0])
    #expect(loop.readiness(at: 0) == nil)
}

@Test func deadlinesAreNeitherEarlyNorMissed() throws {
    let loop = try EventLoop()
    for delay in [1_000, 900_000, 5_000_000, 20_000_000] as [UInt64] {
        let deadline = Clock.monotonic() + delay
        #expect(try loop.wait(until: deadline) == 0)
        #expect(Clock.monotonic() >= deadline)
    }
    // One that has passed is not waited for.
    #expect(try loop.wait(until: Clock.monotonic()) == 0)
    #expect(Clock.wall() > 1_700_000_000_000_000_000)
}

/// A deadline that is none any more neither ends the sleep nor is seen; what happens meanwhile is.
@Test func deadlinesThatChange() throws {
    let loop = try EventLoop(capacity: 1)
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    try loop.add(ends[0], for: .readable, token: 7)
    let begun = Clock.monotonic(), later = begun + 60_000_000
    _ = write(ends[1], "x", 1)
    // Set, and left: something happened before.
    #expect(try loop.wait(until: begun + 20_000_000) == 1)
    var octet: UInt8 = 0
    #expect(read(ends[0], &octet, 1) == 1)
    #expect(try loop.wait(until: later) == 0)
    #expect(Clock.monotonic() >= later && loop.readiness(at: 0) == nil)
    // The other way: the far one is set, and a near one comes.
    _ = write(ends[1], "x", 1)
    #expect(try loop.wait(until: later + 3_600_000_000_000) == 1)
    #expect(read(ends[0], &octet, 1) == 1)
    let near = Clock.monotonic() + 5_000_000
    #expect(try loop.wait(until: near) == 0)
    #expect(Clock.monotonic() >= near)
    // It has passed unseen by the time somebody looks: only what happened is found, and then nothing is.
    _ = write(ends[1], "x", 1)
    #expect(try loop.wait(until: Clock.monotonic() + 1_000_000) == 1)
    while Clock.monotonic() < near + 10_000_000 { usleep(1000) }
    for _ in 0..<3 where try loop.wait(until: 0) == 1 { #expect(loop.readiness(at: 0)?.token == 7) }
    #expect(read(ends[0], &octet, 1) == 1)
    #expect(try loop.wait(until: 0) == 0)
    #expect(try loop.wait(until: 0) == 0)
}

@Test func theServiceManagerIsTold() throws {
    let stage = Stage()
    let path = stage.path("notify")
    let listening = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(listening) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    try #require(result == 0)
    let serviceManager = ServiceManager(socket: path, watchdogMicroseconds: 3_000_000)
    #expect(serviceManager.watchdogInterval == 3_000_000_000)
    serviceManager.ready()
    #expect(String(decoding: drain(listening), as: UTF8.self) == "READY=1")
    serviceManager.status("controller up; lamps up")
    #expect(String(decoding: drain(listening), as: UTF8.self) == "STATUS=controller up; lamps up")
    serviceManager.bePatient()
    #expect(String(decoding: drain(listening), as: UTF8.self) == "EXTEND_TIMEOUT_USEC=120000000\nWATCHDOG_USEC=120000000\nWATCHDOG=1")
    serviceManager.beStrict()
    #expect(String(decoding: drain(listening), as: UTF8.self) == "WATCHDOG_USEC=3000000\nWATCHDOG=1")
    serviceManager.alive()
    #expect(String(decoding: drain(listening), as: UTF8.self) == "WATCHDOG=1")
    serviceManager.stopping()
    #expect(String(decoding: drain(listening), as: UTF8.self) == "STOPPING=1")
}

@Test func aMissingServiceManagerIsNoTrouble() {
    for path in [nil, "", "relative", "/nowhere/notify", "@gatehouse-test-absent", "/" + String(repeating: "x", count: 300)] {
        let serviceManager = ServiceManager(socket: path, watchdogMicroseconds: .max)
        #expect(serviceManager.watchdogInterval == nil)
        serviceManager.ready()
    }
}

@Test func signalsAreRead() throws {
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &before)
    let signals = try Signals()
    let loop = try EventLoop()
    try loop.add(signals.descriptor, for: .readable, token: 1)
    #expect(signals.next() == nil)
    for (number, expected) in [(SIGHUP, Signal.reload), (SIGUSR1, .list), (SIGTERM, .terminate), (SIGINT, .terminate)] {
        // To this thread: the others of the test program do not block it.
        pthread_kill(pthread_self(), number)
        #expect(try loop.wait(until: nil) == 1)
        #expect(signals.next() == expected)
        #expect(signals.next() == nil)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
}

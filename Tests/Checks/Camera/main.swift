// Shows what a camera gives: commands on standard input, answers on standard output, a line each. Afterwards its owner knows by the digests
// whether every octet came through.
//
//     camera-check MONIKER [--confined]
//
//     start            on WIDTHxHEIGHT | error NAME
//     stop             off
//     frames N [S]     frame SEQUENCE FORMAT WIDTHxHEIGHT STRIDE NANOSECONDS OCTETS SHA-256, N times
//                      then: done | none (S seconds are over, 60) | error NAME
//     drops            drops warmUp=… outdated=… damaged=… empty=… tooLarge=… malformed=… unreadable=…
//     allocations      allocations N, of all pictures so far

import Appliance
import CMallocCount
import Cryptography
import Devices
import Glibc
import Linux
import TestSupport

func say(_ line: String) {
    print(line)
    fflush(nil)
}

func fail(_ text: String) -> Never {
    say("camera-check: \(text)")
    exit(2)
}

func digest(_ octets: UnsafeRawBufferPointer) -> String {
    guard let digest = try? Digest.hash(octets.bindMemory(to: UInt8.self).span, .sha256) else { fail("no SHA-256") }
    return Hex.text(digest)
}

nonisolated(unsafe) var allocations: UInt64 = 0

func takeFrames(_ wanted: Int, within seconds: UInt64, of source: any FrameSource) {
    let end = Clock.monotonic() + seconds * 1_000_000_000
    var taken = 0
    while taken < wanted {
        let now = Clock.monotonic()
        guard now < end else { return say("none") }
        var entry = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
        if source.descriptor >= 0, poll(&entry, 1, Int32(clamping: (end - now) / 1_000_000 + 1)) <= 0 { continue }
        do throws(CameraError) {
            malloc_count_begin()
            defer { allocations += malloc_count_end() }
            let isTaken = try source.takeFrame { header, octets in
                allocations += malloc_count_end()
                defer { malloc_count_begin() }
                let shape = "\(header.format) \(header.width)x\(header.height) \(header.stride)"
                say("frame \(header.sequence) \(shape) \(header.captured) \(octets.count) \(digest(octets))")
            }
            if isTaken { taken += 1 }
        } catch {
            return say("error \(error)")
        }
    }
    say("done")
}

func obey(_ words: [Substring], _ source: any FrameSource) {
    switch (words.first, words.dropFirst().compactMap { UInt32($0) }) {
    case ("start", _):
        do throws(CameraError) {
            try source.start()
            let mode = (source as? VideoCamera)?.mode
            say("on \(mode.map { "\($0.width)x\($0.height)" } ?? "")")
        } catch {
            say("error \(error)")
        }
    case ("stop", _):
        source.stop()
        say("off")
    case ("frames", let numbers):
        guard let count = numbers.first else { fail("how many frames?") }
        takeFrames(Int(count), within: UInt64(numbers.count > 1 ? numbers[1] : 60), of: source)
    case ("drops", _):
        let dropped = source.dropped
        say(
            "drops warmUp=\(dropped.warmUp) outdated=\(dropped.outdated) damaged=\(dropped.damaged) empty=\(dropped.empty)"
                + " tooLarge=\(dropped.tooLarge) malformed=\(dropped.malformed) unreadable=\(dropped.unreadable)")
    case ("allocations", _): say("allocations \(allocations)")
    default: fail("no such command")
    }
}

let arguments = CommandLine.arguments.dropFirst()
guard let text = arguments.first, let moniker = try? CameraMoniker(text) else { fail("camera-check MONIKER [--confined]") }
let source = moniker.makeSource(supervisor: nil)
if arguments.dropFirst().contains("--confined") {
    do throws(ConfinementError) {
        let report = try Confinement(link: .unix(path: "/nowhere/air"), camera: moniker, readable: [], writable: []).apply(.required)
        guard report.isFiltered, report.missing.isEmpty else { fail("not confined") }
        say(report.line)
    } catch {
        fail("not confined: \(error)")
    }
}
while let line = readLine() { obey(line.split(separator: " "), source) }
source.stop()

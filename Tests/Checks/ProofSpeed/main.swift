// What a judgement of AnonCreds, Trusted Key and DIDComm costs, for Tests/Peers/bench/bench_proofs.py and board_proofs.py.
//
//     proof-speed serve SUITES           a name of a vector a line; one judgement of each, and its nanoseconds of processor time
//     proof-speed memory SUITES NAME     octets of memory that the first judgement takes, at their highest
//     proof-speed count SUITES NAME      two judgements, with a call of getppid before, between and after: image/arm64/instructions.c

import CMallocCount
import Foundation
import ProofVectors
import ResidentMemory

private func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private func subject(_ name: String, _ suites: String) -> Subject {
    do throws(UnusableVector) { return try Subject(name, in: suites) } catch {
        print("no such vector: \(error.what)")
        exit(2)
    }
}

private func serve(_ suites: String) {
    var subjects: [String: Subject] = [:]
    while let name = readLine() {
        let one = subjects[name] ?? subject(name, suites)
        subjects[name] = one
        let begun = processorTime()
        one.run()
        print(processorTime() - begun)
        // Whoever asks waits for the line.
        fflush(nil)
    }
}

private func measureMemory(_ name: String, _ suites: String) {
    let one = subject(name, suites)
    // 5: the highest figure begins anew (proc(5)).
    guard let file = fopen("/proc/self/clear_refs", "w"), fputs("5", file) >= 0, fclose(file) == 0 else {
        print("the kernel does not begin its highest figure anew")
        exit(2)
    }
    let before = residentMemory()
    malloc_peak_begin()
    one.run()
    // What reading the vector left to the allocator is resident already: it would hide what the judgement takes of it.
    let heap = Int(clamping: malloc_peak_end())
    print(max(heap, peakResidentMemory() - before))
}

private func count(_ name: String, _ suites: String) {
    let one = subject(name, suites)
    _ = getppid()
    one.run()
    _ = getppid()
    one.run()
    _ = getppid()
}

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("serve", 3): serve(arguments[2])
case ("memory", 4): measureMemory(arguments[3], arguments[2])
case ("count", 4): count(arguments[3], arguments[2])
default:
    print("proof-speed serve SUITES | memory SUITES NAME | count SUITES NAME")
    exit(2)
}

// Counts what the whole process takes from the system's allocator while visits run over a real socket, from the first
// advertisement to the opened credential. The goal is zero; anything else fails. Release builds only: without optimization
// the language's own loops allocate.
//
//     allocation-check [VISITS] [VISITS FOR THE MEMORY CHECK]

import CMallocCount
import Cryptography
import Glibc

let arguments = CommandLine.arguments
let visits = arguments.count > 1 ? Int(arguments[1]) ?? 1000 : 1000
let longRun = arguments.count > 2 ? Int(arguments[2]) ?? 10_000 : 10_000
guard Arena.install() else {
    print("allocation: libcrypto does not use the arena")
    exit(1)
}
// A counter that does not count would find nothing either.
malloc_count_begin()
let witness = [UInt8](repeating: 1, count: visits + 1)
guard malloc_count_end() > 0, witness.count > visits else {
    print("allocation: the counter does not see allocations")
    exit(1)
}
do {
    let isRadioZero = try countRadio(visits: visits)
    let isZero = try countCore(visits: visits) && countAppliance(visits: visits) && countAppliance(visits: visits, isTraced: true)
    let isSteady = try watchMemory(visits: longRun) && watchCodes(codes: longRun)
    let isBounded = weighVerifications()
    exit(isRadioZero && isZero && isSteady && isBounded ? 0 : 1)
} catch {
    print("allocation: \(error)")
    exit(1)
}

// Speed of the visit path in release builds, each as a ratio against a floor or a peer measured in the same run.
// Prints; never fails on a figure.

import ScriptedRadio

print("Gatehouse benchmarks: medians; a ratio below its goal is good. Absolute figures are this machine's.")
do {
    benchChunks()
    benchAttributes()
    try benchOpening()
    print("resident memory of this process: \(residentMemory() / 1024) kB")
} catch {
    print("benchmark: \(error)")
}

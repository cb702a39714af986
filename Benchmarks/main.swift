// Speed of the visit path in release builds, each as a ratio against a floor or a peer measured in the same run.
// Prints; never fails on a figure.
//
//     gatehouse-bench [--verification [NAME OF A SAMPLE]... | --poison | --screen | --trust]
//
// With --verification only that section, one line of JSON for each credential; with --poison every hostile document; with --screen that
// section; with --trust what AnonCreds objects of a bundle and large bundles cost.

import ResidentMemory

let arguments = CommandLine.arguments.dropFirst()
do {
    if arguments.first == "--verification" {
        try printVerificationFigures(of: arguments.dropFirst())
    } else if arguments.first == "--poison" {
        benchPoison(isVerbose: true)
    } else if arguments.first == "--screen" {
        benchScreen()
    } else if arguments.first == "--trust" {
        try benchTrustObjects()
        try benchLargeBundles()
    } else {
        print("Gatehouse benchmarks: medians; a ratio below its goal is good. Absolute figures are this machine's.")
        benchChunks()
        benchAttributes()
        try benchOpening()
        try benchVerification()
        benchPoison(isVerbose: false)
        try benchTrustObjects()
        try benchLargeBundles()
        benchScreen()
        print("resident memory of this process: \(residentMemory() / 1024) kB")
    }
} catch {
    print("benchmark: \(error)")
}

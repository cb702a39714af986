// The suites' vectors of DIDComm v1 and Aries: `aries-check FOLDER`, with envelopes.json and messages.json in it. Every difference is
// printed, then how many of how many agree in each file, and last in both.
// `aries-check lines` makes and opens envelopes for another implementation instead: EnvelopeLines.
// Exits 0 where all do, 1 where one does not, 2 where the folder has not both.

import Foundation
import JSON
import ProofVectors

private func read(_ name: String) -> JSONValue? {
    guard CommandLine.arguments.count == 2,
        let text = FileManager.default.contents(atPath: CommandLine.arguments[1] + "/" + name)
    else { return nil }
    return try? JSONDocument(parsing: [UInt8](text), limits: JSONLimits(nodes: 1_000_000)).root
}

if CommandLine.arguments.dropFirst().first == "lines" {
    while let line = readLine() {
        do throws(UnusableVector) {
            print(try EnvelopeLines.answer(line))
            // Whoever asks waits for the line.
            fflush(nil)
        } catch {
            print("unusable: \(error.what)")
            exit(2)
        }
    }
    exit(0)
}
guard let envelopes = read("envelopes.json"), let messages = read("messages.json") else {
    print("aries-check FOLDER, with envelopes.json and messages.json; or aries-check lines")
    exit(2)
}
do throws(UnusableVector) {
    let keys = try VectorKeys(envelopes)
    var all = try EnvelopesCheck.run(envelopes, keys)
    print("envelopes: \(all.text)")
    let others = try MessagesCheck.run(messages, keys)
    print("messages: \(others.text)")
    all.add(others)
    print(all.text)
    exit(all.agrees ? 0 : 1)
} catch {
    print("unusable: \(error.what)")
    exit(2)
}

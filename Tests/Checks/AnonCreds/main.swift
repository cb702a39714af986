// AnonCreds presentations in folders of vectors: `anoncreds-check FOLDER [times]`, with `context.json` and `vectors/*.json`, and
// `encoding.json`, `pairing.json`, `intermediate.json` where they are. Every difference is printed, a line for each of the other files, and
// how many of how many agree. With `times` the milliseconds of each vector, and libcrypto's memory, too.
// Exits 0 where all agree, 1 where something does not, 2 where the folder is none.

import Cryptography
import Foundation
import JSON
import ProofVectors

private let arguments = CommandLine.arguments
guard arguments.count == 2 || (arguments.count == 3 && arguments[2] == "times") else {
    print("anoncreds-check FOLDER [times]")
    exit(2)
}
private let folder = URL(fileURLWithPath: arguments[1])

/// A file of the folder, with more values than a presentation may have.
private func json(_ name: String) -> JSONValue? {
    let octets = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path)
    return octets.flatMap { try? JSONDocument(parsing: [UInt8]($0), limits: JSONLimits(nodes: 4_000_000)).root }
}

let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("vectors").path)) ?? []
guard let context = json("context.json"), let objects = AnonCredsObjects(context), !names.isEmpty else {
    print("\(folder.path): neither context.json nor vectors")
    exit(2)
}

private var agreed = 0, count = 0, otherDifferences = 0
private var vectors: [String: JSONValue] = [:]
for name in names.sorted() where name.hasSuffix(".json") {
    count += 1
    guard let vector = json("vectors/" + name) else {
        print("\(name): unreadable")
        continue
    }
    let check = VectorCheck(vector, objects)
    if check.differences.isEmpty { agreed += 1 }
    for difference in check.differences { print("\(check.name): \(difference)") }
    if arguments.count == 3 { print("\(check.name): \(check.milliseconds) ms, \(check.outcome)") }
    vectors[check.name] = vector
}
if let file = json("encoding.json") { otherDifferences += OtherFiles.encoding(file) }
if let file = json("pairing.json") { otherDifferences += OtherFiles.pairing(file) }
if let file = json("intermediate.json") { otherDifferences += IntermediateCheck.run(file, vectors, objects) }
if arguments.count == 3 {
    let arena = Arena.statistics
    print("libcrypto: at most \(arena.peak) octets, \(arena.fallbacks) times more than it may have")
}
print("\(agreed) of \(count)")
exit(agreed == count && count > 0 && otherDifferences == 0 ? 0 : 1)

// The suites' mdoc vectors: `mdoc-check FILE`, told by the file's members. Every difference is printed, then how many of how many agree.
// `mdoc-check FILE mutants [COUNT [SEED]]` changes what the accepted responses of `cases.json` are made of instead; `mdoc-check FILE bench`
// prints how long they take.
// Exits 0 where all do, 1 where one does not, 2 where the file is none.

import Foundation
import JSON

private let arguments = CommandLine.arguments
guard arguments.count >= 2, let text = FileManager.default.contents(atPath: arguments[1]),
    let file = try? JSONDocument(parsing: [UInt8](text), limits: JSONLimits(nodes: 1_000_000)).root
else {
    print("mdoc-check FILE [mutants [COUNT [SEED]] | bench]")
    exit(2)
}

if arguments.count > 2, arguments[2] == "mutants" {
    let count = arguments.count > 3 ? Int(arguments[3]) : 10_000, seed = arguments.count > 4 ? UInt64(arguments[4]) : 1
    guard let count, let seed else { exit(2) }
    exit(MutantsCheck.run(file, count: count, seed: seed))
}
if arguments.count > 2, arguments[2] == "bench" { exit(SpeedCheck.run(file)) }
if file[EngagementCheck.member] != nil { exit(EngagementCheck.run(file)) }
if file[FramingCheck.member] != nil { exit(FramingCheck.run(file)) }
if OlderCasesCheck.isOlder(file) { exit(OlderCasesCheck.run(file)) }
if file[CasesCheck.member] != nil { exit(CasesCheck.run(file)) }
print("neither cases, engagements nor framings")
exit(2)

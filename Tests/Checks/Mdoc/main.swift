// The suites' mdoc vectors: `mdoc-check FILE`, told by the file's members. Every difference is printed, then how many of how many agree.
// Exits 0 where all do, 1 where one does not, 2 where the file is none.

import Foundation
import JSON

guard CommandLine.arguments.count == 2, let text = FileManager.default.contents(atPath: CommandLine.arguments[1]),
    let file = try? JSONDocument(parsing: [UInt8](text)).root
else {
    print("mdoc-check FILE")
    exit(2)
}

if file[FramingCheck.member] != nil { exit(FramingCheck.run(file)) }
print("neither cases, engagements nor framings")
exit(2)

import Envelopes
import Foundation
import TestSupport
import Trust

/// The samples as files, each with its trust folder, for `gatehouse verify`: what is recorded of the program's words is about the same
/// samples.
struct SampleFiles {
    let folder: URL

    /// Writes `index.json` and, for each sample, `<number>/message` and `<number>/trust`.
    func write(_ samples: [Sample]) throws {
        var index: [[String: Any]] = []
        for (number, sample) in samples.enumerated() {
            let own = folder.appending(path: "\(number)")
            try write(sample.contents, to: own.appending(path: "trust"))
            try Data(sample.message).write(to: own.appending(path: "message"))
            index.append(["name": sample.name, "folder": "\(number)", "at": sample.time])
        }
        try json(index, folder.appending(path: "index.json"))
    }

    private func write(_ contents: TrustContents, to trust: URL) throws {
        for name in ["contexts", "lists"] {
            try FileManager.default.createDirectory(at: trust.appending(path: name), withIntermediateDirectories: true)
        }
        for (place, issuer) in contents.issuers.enumerated() {
            try Data(issuer.bytes).write(to: trust.appending(path: String(format: "issuer-%02d.json", place)))
        }
        var contexts: [[String: Any]] = [], lists: [[String: Any]] = []
        for (place, context) in contents.contexts.sorted(by: { $0.url < $1.url }).enumerated() {
            let file = "contexts/\(place).jsonld"
            try Data(context.bytes).write(to: trust.appending(path: file))
            contexts.append(["url": context.url, "file": file, "sha256": try Hex.digest(of: context.bytes)])
        }
        for (place, list) in contents.lists.enumerated() {
            let file = "lists/\(place)"
            try Data(list.bytes).write(to: trust.appending(path: file))
            lists.append(["url": list.url, "file": file, "fetched": Timestamp.text(list.fetched) ?? ""])
        }
        try json(["gatehouse-contexts": 1, "contexts": contexts], trust.appending(path: "contexts.json"))
        try json(["gatehouse-lists": 1, "lists": lists], trust.appending(path: "lists.json"))
    }

    private func json(_ value: Any, _ file: URL) throws {
        try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .prettyPrinted]).write(to: file)
    }
}
